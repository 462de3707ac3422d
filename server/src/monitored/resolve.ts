// From a host to addresses that may be connected to. Guards: resolved once, every address judged, and one refused
// address refuses the host, so an answer that mixes public and forbidden addresses gets nowhere.
import { isIP } from 'node:net';
import { refusedAddress } from '../kernel/http/address-guard.ts';
import { hostaddrProblem, hostProblem } from './host-name.ts';
import { type Lookup, lookupHost } from './lookup.ts';
import { TargetError } from './target-error.ts';

export interface HostFacts {
  host: string;
  hostaddr?: string | undefined;
  allow_private_networks: boolean;
}

function refuse(message: string, code: string): never {
  throw new TargetError({ step: 'resolve', message, code });
}

/** Throws when an address is refused; `what` names it in the sentence. */
function judge(address: string, what: string, allowPrivateNetworks: boolean): void {
  const problem = refusedAddress(address, allowPrivateNetworks);
  if (problem !== undefined)
    refuse(`${what} ${problem}. Connections there are not allowed.`, 'address_refused');
}

/** The address literals that stand in the settings themselves, judged; undefined when the host must be resolved. */
function literalAddress(facts: HostFacts): string | undefined {
  const problem = hostProblem(facts.host);
  if (problem !== undefined) refuse(problem, 'bad_host');
  if (isIP(facts.host)) judge(facts.host, facts.host, facts.allow_private_networks);
  if (facts.hostaddr !== undefined) {
    const wrong = hostaddrProblem(facts.hostaddr);
    if (wrong !== undefined) refuse(wrong, 'bad_host');
    judge(facts.hostaddr, `The hostaddr ${facts.hostaddr}`, facts.allow_private_networks);
    return facts.hostaddr;
  }
  return isIP(facts.host) ? facts.host : undefined;
}

/** The addresses to connect to, in order, each of them judged. */
export async function resolveHost(facts: HostFacts, lookup: Lookup = lookupHost): Promise<readonly string[]> {
  const literal = literalAddress(facts);
  if (literal !== undefined) return [literal];
  const addresses = [...new Set(await lookup(facts.host))];
  if (addresses.length === 0) refuse(`The name ${facts.host} has no addresses.`, 'ENODATA');
  for (const address of addresses) {
    judge(address, `${facts.host} resolves to ${address}, which`, facts.allow_private_networks);
  }
  return addresses;
}
