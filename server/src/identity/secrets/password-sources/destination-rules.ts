// Which destinations may get a password of a source. Pure. Guards: the address that was connected to is what counts for networks, and a
// host name counts only while it is what leads there.
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { PasswordSource } from '../../../kernel/password-source-settings.ts';
import { SSL_MODES, type SslMode } from '../../../kernel/server-address/ssl-mode.ts';

export interface PasswordDestination {
  host: string;
  hostaddr: string | null;
  port: number;
  username: string;
  database_name: string;
  ssl_mode: SslMode;
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
const plainName = (host: string) => host.toLowerCase().replace(/\.$/, '');

function isName(entry: string): boolean {
  return isIP(entry.split('/')[0] ?? '') === 0;
}

function namesHost(entry: string, host: string): boolean {
  const pattern = plainName(entry);
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function holdsAddress(entry: string, address: string): boolean {
  if (isIP(address) === 0) return false;
  const [base = '', bits] = entry.split('/');
  const network = new BlockList();
  if (bits === undefined) network.addAddress(base, family(base));
  else network.addSubnet(base, Number(bits), family(base));
  return network.check(address, family(address));
}

/** What can be said before an address is known: `undefined` when nothing is against it. */
function refusedUse(source: PasswordSource, destination: PasswordDestination): string | undefined {
  const { name, ports, usernames, min_ssl_mode } = source;
  const { port, username, ssl_mode, hostaddr } = destination;
  if (ports.length > 0 && !ports.includes(port))
    return `The password source ${name} is not for port ${port}. It is for: ${ports.join(', ')}.`;
  if (usernames.length > 0 && !usernames.includes(username))
    return `The password source ${name} has no password for the role ${username}. It is for: ${usernames.join(', ')}.`;
  if (SSL_MODES.indexOf(ssl_mode) < SSL_MODES.indexOf(min_ssl_mode))
    return `The password source ${name} needs ssl_mode ${min_ssl_mode} or stricter; this connection has ${ssl_mode}.${
      source.kind === 'aws_rds_iam' ? ' RDS takes its tokens over TLS alone.' : ''
    }`;
  if (source.kind === 'aws_rds_iam' && hostaddr !== null)
    return `The password source ${name} signs a token for the host. Remove hostaddr, which could lead the token elsewhere.`;
  return undefined;
}

/**
 * Why the source gives no password for this destination, in words; undefined when it does. Of the addresses each has to be one of the
 * source's networks, unless a host name matches.
 */
export function refusedDestination(
  source: PasswordSource,
  destination: PasswordDestination,
  addresses: readonly string[],
): string | undefined {
  const refused = refusedUse(source, destination);
  if (refused !== undefined) return refused;
  const { name, hosts } = source;
  if (hosts.length === 0) return undefined;
  const host = plainName(destination.host);
  const names = destination.hostaddr === null ? hosts.filter(isName) : [];
  if (isIP(destination.host) === 0 && names.some((entry) => namesHost(entry, host))) return undefined;
  const networks = hosts.filter((entry) => !isName(entry));
  const isWithin = (address: string) => networks.some((entry) => holdsAddress(entry, address));
  if (addresses.length > 0 && addresses.every(isWithin)) return undefined;
  const where = destination.hostaddr ?? destination.host;
  return `The password source ${name} is not for ${where}. It is for: ${hosts.join(', ')}.`;
}
