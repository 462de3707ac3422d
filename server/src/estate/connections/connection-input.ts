// What somebody typed in as a connection, judged before it is stored: kind sentences, no contact with the server.
// Guards: no host, address or URL in a refused range is saved. DNS is asked once and briefly; a name that does not
// resolve now is accepted, since each connect judges its addresses again.
import path from 'node:path';
import { Fault } from '../../kernel/errors.ts';
import { Deadline } from '../../monitored/deadline.ts';
import { type Lookup, lookupHost } from '../../monitored/lookup.ts';
import { type HostFacts, resolveHost } from '../../monitored/resolve.ts';
import { TargetError } from '../../monitored/target-error.ts';
import type { ConnectionFacts } from './connections.queries.ts';
import type { TlsFolders } from './tls-folders.ts';

const DNS_MS = 2000;
const CONTROL = /\p{Cc}/u;

export interface HostRules {
  allow_private_networks: boolean;
  lookup?: Lookup | undefined;
  /** Where files of TLS may lie; anywhere when absent. */
  tls_folders?: TlsFolders | undefined;
}

function refuse(sentence: string): never {
  throw new Fault('bad_request', sentence);
}

function checkPath(member: string, file: string | null): void {
  if (file === null) return;
  if (!path.isAbsolute(file)) refuse(`${member} must be an absolute path on the machine Matriarch runs on.`);
  if (CONTROL.test(file)) refuse(`${member} must not hold control characters.`);
}

function checkFiles(facts: ConnectionFacts): void {
  checkPath('ssl_cert_path', facts.ssl_cert_path);
  checkPath('ssl_key_path', facts.ssl_key_path);
  checkPath('ssl_root_cert_path', facts.ssl_root_cert_path);
  if ((facts.ssl_cert_path === null) !== (facts.ssl_key_path === null)) {
    refuse('ssl_cert_path and ssl_key_path belong together: give both or none.');
  }
}

/** Each once, without spaces around it, in alphabetical order; the same as before is what was stored. */
export function tagsAfter(
  input: readonly string[] | undefined,
  stored: readonly string[],
): readonly string[] {
  if (input === undefined) return stored;
  if (input.some((tag) => tag.includes(','))) refuse('tags must not hold commas.');
  const tags = [...new Set(input.map((tag) => tag.trim()).filter((tag) => tag !== ''))].sort();
  return tags.join('\n') === stored.join('\n') ? stored : tags;
}

/** Everything that can be judged without DNS. */
export function checkFacts(facts: ConnectionFacts): void {
  for (const member of ['database_name', 'username'] as const) {
    if (facts[member].trim() === '') refuse(`${member} must not be empty.`);
    if (CONTROL.test(facts[member])) refuse(`${member} must not hold control characters.`);
  }
  checkFiles(facts);
  if (facts.node_exporter_url !== null) exporterHost(facts.node_exporter_url);
}

/** The host of a node_exporter URL, which must be a plain http(s) address. */
function exporterHost(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return refuse('node_exporter_url must be an http:// or https:// address.');
  }
  if (url.username !== '' || url.password !== '') {
    refuse('node_exporter_url must not hold a user name or password.');
  }
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Refuses a host that is, or now resolves to, an address that is never connected to. */
async function checkHost(facts: HostFacts, rules: HostRules, member: string): Promise<void> {
  const deadline = new Deadline(DNS_MS);
  try {
    await deadline.race(resolveHost(facts, rules.lookup ?? lookupHost));
  } catch (error) {
    const isOurs = error instanceof TargetError && /^(address_refused|bad_host)$/.test(error.code);
    if (isOurs) throw new Fault('bad_request', `${member}: ${error.message}`, { cause: error });
  } finally {
    deadline.end();
  }
}

export async function checkAddresses(facts: ConnectionFacts, rules: HostRules): Promise<void> {
  const { allow_private_networks } = rules;
  const hostaddr = facts.hostaddr ?? undefined;
  await checkHost(
    { host: facts.host, hostaddr, allow_private_networks },
    rules,
    hostaddr ? 'hostaddr' : 'host',
  );
  if (facts.node_exporter_url === null) return;
  const host = exporterHost(facts.node_exporter_url);
  await checkHost({ host, allow_private_networks }, rules, 'node_exporter_url');
}
