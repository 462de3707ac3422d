// What the headers of a reverse proxy say of a person. Guards: they count from addresses that the settings name alone, by the peer of
// the socket; a name that came twice, or joined from two, is refused, since one of them may be a client's.
import { isUtf8 } from 'node:buffer';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { ProxySignInSettings } from '../../kernel/proxy-sign-in-settings.ts';

/** How a request came. */
export interface Arrived {
  /** The other end of the socket. */
  peer: string;
  /** Each value that a header of that name, in lower case, was sent with. */
  headerValues(name: string): readonly string[];
}

export interface HeaderPerson {
  subject: string;
  groups: readonly string[];
}

const SUBJECT = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Says whether an address is one of these; they were checked when the settings were read. */
export function networksOf(entries: readonly string[]): (address: string) => boolean {
  const networks = new BlockList();
  for (const entry of entries) {
    const [base = '', bits] = entry.split('/');
    if (bits === undefined) networks.addAddress(base, family(base));
    else networks.addSubnet(base, Number(bits), family(base));
  }
  return (address) => {
    // An interface may follow the address, as in fe80::1%eth0.
    const [bare = ''] = address.split('%');
    return isIP(bare) !== 0 && networks.check(bare, family(bare));
  };
}

/** Node reads headers as Latin-1; proxies send UTF-8. */
function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

function groupsIn(value: string, separator: string): string[] {
  return utf8(value)
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** A sentence where the headers cannot be used. */
export function readPerson(settings: ProxySignInSettings, { headerValues }: Arrived): HeaderPerson | string {
  const { user_header, groups_header, groups_separator, label } = settings;
  const users = headerValues(user_header);
  const groups = groups_header === undefined ? [] : headerValues(groups_header);
  const [user = '', ...others] = users;
  if (user === '' && others.length === 0)
    return `The proxy sent no user name in the header ${user_header}. Check its configuration.`;
  if (others.length > 0 || user.includes(','))
    return `The header ${user_header} holds more than one user name. The proxy must replace what clients send.`;
  if (groups.length > 1)
    return `The header ${groups_header} came more than once. The proxy must replace what clients send.`;
  if (!SUBJECT.test(user))
    return `The user name that ${label} sent is not 1 to 255 ASCII characters. Check the header ${user_header}.`;
  return { subject: user, groups: groups.flatMap((value) => groupsIn(value, groups_separator)) };
}
