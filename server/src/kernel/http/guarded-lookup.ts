// Where a call over HTTP may go: never to the addresses that are refused to every target (link-local ones, where clouds
// hand out credentials, and what is no host), and to private and loopback ones only where the caller allows them: the
// operator's own settings may name such an address, somebody who only uses the product may not.
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { refusedAddress } from './address-guard.ts';

export const FORBIDDEN_ADDRESS = 'EFORBIDDENADDRESS';

/** True for an IP address that must not be called; false for names, which are checked when they are resolved. */
export function isForbiddenHost(hostname: string, allowPrivate: boolean): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && refusedAddress(address, allowPrivate) !== undefined;
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
export function guardLookup(allowPrivate: boolean, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const [first] = addresses;
      if (!first || addresses.some(({ address }) => refusedAddress(address, allowPrivate) !== undefined))
        return callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN_ADDRESS }), '', 0);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
