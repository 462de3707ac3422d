// Where a provider may be: anywhere but on the addresses that are refused to every target (link-local ones, where
// clouds hand out credentials, and what is no host). Private and loopback addresses are fine here, because only the
// operator's own settings name a provider's address, and Ollama lives on one.
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { refusedAddress } from '../../kernel/target/address-guard.ts';

export const FORBIDDEN_ADDRESS = 'EFORBIDDENADDRESS';

/** True for an IP address that must not be called; false for names, which are checked when they are resolved. */
export function isForbiddenHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && refusedAddress(address, true) !== undefined;
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * For a socket's `lookup`: resolves a name once and hands on only what was checked, so the address that is called
 * is the address that was judged. One bad address among several refuses them all.
 */
export function guardLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => refusedAddress(address, true) !== undefined))
        return callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN_ADDRESS }), '', 0);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
