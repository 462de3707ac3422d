// Addresses no provider may have, whatever the settings say: link-local ones, where clouds hand out credentials,
// and addresses that are no host. Private and loopback addresses are fine here, because only the operator's own
// settings can name a provider's address, and Ollama lives on one.
import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const forbidden = new BlockList();
forbidden.addSubnet('0.0.0.0', 8, 'ipv4');
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('224.0.0.0', 3, 'ipv4');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addAddress('168.63.129.16', 'ipv4');
forbidden.addAddress('::', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
// The same IPv4 ranges in IPv6 dress (NAT64); mapped addresses are matched by BlockList itself.
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');

export const FORBIDDEN_ADDRESS = 'EFORBIDDENADDRESS';

/** True for an IP address that must not be called; false for names, which are checked when they are resolved. */
export function isForbiddenAddress(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(bare);
  return family !== 0 && forbidden.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** Resolves a name once and hands on only what was checked: one bad address among several refuses them all. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const [first] = addresses;
    if (!first || addresses.some(({ address }) => isForbiddenAddress(address)))
      return callback(Object.assign(new Error('forbidden address'), { code: FORBIDDEN_ADDRESS }), '', 0);
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};
