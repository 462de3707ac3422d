// The settings of sign-in by a header of a reverse proxy. Guards: off until both a header and addresses are named; a network that
// holds every address, and a header that clients or other proxies set for other purposes, stop the start with a sentence.
import { demandNetwork } from './address-settings.ts';
import { UsageError } from './errors.ts';
import { type AdmissionRules, groupsOf, type SettingReader } from './oidc-settings.ts';
import type { Setting } from './settings.ts';

export interface ProxySignInSettings extends AdmissionRules {
  /** Addresses and networks of the proxies, as CIDR or single. */
  addresses: readonly string[];
  /** Names of headers in lower case. */
  user_header: string;
  groups_header: string | undefined;
  groups_separator: string;
  sign_out_url: string | undefined;
}

const SEPARATORS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', pipe: '|' };

export const PROXY_SETTINGS: readonly Setting[] = [
  {
    key: 'auth.proxy.user_header',
    type: 'text',
    description:
      'Header in which a reverse proxy that signs people in sends the user name, such as `X-Remote-User`; switches this way on, and needs auth.proxy.addresses.',
  },
  {
    key: 'auth.proxy.addresses',
    type: 'list',
    description:
      'Addresses or networks of the proxies whose header counts, as the network connection shows them; X-Forwarded-For is not looked at. Programs at these addresses can sign in as any user.',
  },
  {
    key: 'auth.proxy.groups_header',
    type: 'text',
    description: 'Header with the groups of the user, such as `X-Remote-Groups`.',
  },
  {
    key: 'auth.proxy.groups_separator',
    type: 'text',
    default: 'comma',
    allowed: Object.keys(SEPARATORS),
    description: 'What stands between two groups in that header.',
  },
  {
    key: 'auth.proxy.label',
    type: 'text',
    default: 'single sign-on',
    description: 'What follows “Sign in with” on the button.',
  },
  {
    key: 'auth.proxy.groups',
    type: 'list',
    form: { pattern: /^[^=\s].*=\s*[^=\s][^=]*$/, words: 'header value=group, such as dba=Administrators' },
    description:
      'Which group a value of the groups header stands for, as `value=group` (the last `=` counts). At each sign-in membership in these groups becomes what the header says; other groups stay.',
  },
  {
    key: 'auth.proxy.superusers',
    type: 'list',
    description:
      'Values of the groups header that make a superuser. When set, a user without any of them is made an ordinary user at sign-in; the last enabled superuser stays one.',
  },
  {
    key: 'auth.proxy.create_users',
    type: 'boolean',
    default: false,
    description: 'Whether the first sign-in of a person creates the user; otherwise it is refused.',
  },
  {
    key: 'auth.proxy.sign_out_url',
    type: 'url',
    description: 'Where signing out here leads, such as the sign-out of the proxy.',
  },
];

const HEADER = /^[A-Za-z0-9!#$%&'*+.^`|~-]{1,64}$/;
/** Browsers, or any client on the way, may set these; a name in them proves nothing. */
const COMMON =
  /^(?:authorization|proxy-authorization|cookie|host|origin|referer|user-agent|forwarded|from|via|x-forwarded-(?:for|proto|host|port)|accept.*|content-.*|sec-.*)$/;

function readHeader(key: string, name: string): string {
  if (!HEADER.test(name))
    throw new UsageError(`${key}: found ${JSON.stringify(name)}, allowed is the name of a header without _.`);
  const lower = name.toLowerCase();
  if (COMMON.test(lower))
    throw new UsageError(
      `${key}: ${name} has another meaning. Choose a header of its own, such as X-Remote-User.`,
    );
  return lower;
}

function demandAddress(entry: string): void {
  if (demandNetwork('auth.proxy.addresses', entry) === 0)
    throw new UsageError(
      `auth.proxy.addresses: ${entry} holds every address, so anyone could sign in as any user. Name the proxies alone.`,
    );
}

function readerOf(values: SettingReader) {
  const find = (name: string) => {
    const setting = PROXY_SETTINGS.find(({ key }) => key === `auth.proxy.${name}`);
    return setting && values.of(setting);
  };
  return {
    text(name: string): string {
      const value = find(name);
      return typeof value === 'string' ? value : '';
    },
    list(name: string): readonly string[] {
      const value = find(name);
      return Array.isArray(value) ? value : [];
    },
    isOn: (name: string) => find(name) === true,
  };
}

/** Without a header nothing else may be set, so that a forgotten one is noticed. */
function demandNothingElse({ text, list, isOn }: ReturnType<typeof readerOf>): void {
  const isSet =
    ['addresses', 'groups', 'superusers'].some((name) => list(name).length > 0) ||
    ['groups_header', 'sign_out_url'].some((name) => text(name) !== '') ||
    isOn('create_users');
  if (isSet) throw new UsageError('auth.proxy needs auth.proxy.user_header, the header with the user name.');
}

/** Undefined where it is not configured; a UsageError for what would not work or would let strangers in. */
export function readProxySignIn(values: SettingReader): ProxySignInSettings | undefined {
  const reader = readerOf(values);
  const { text, list } = reader;
  if (text('user_header') === '') {
    demandNothingElse(reader);
    return undefined;
  }
  const user_header = readHeader('auth.proxy.user_header', text('user_header'));
  const addresses = list('addresses');
  if (addresses.length === 0)
    throw new UsageError(
      'auth.proxy.user_header needs auth.proxy.addresses, the addresses of the proxies that may send it.',
    );
  addresses.forEach(demandAddress);
  const groups_header = text('groups_header')
    ? readHeader('auth.proxy.groups_header', text('groups_header'))
    : undefined;
  if (groups_header === user_header)
    throw new UsageError('auth.proxy.user_header and auth.proxy.groups_header are the same.');
  const [groups, superusers] = [groupsOf(list('groups')), list('superusers')];
  if (groups_header === undefined && groups.length + superusers.length > 0)
    throw new UsageError('auth.proxy.groups and superusers need auth.proxy.groups_header.');
  return {
    ...{ addresses, user_header, groups_header, groups, superusers },
    groups_separator: SEPARATORS[text('groups_separator')] ?? ',',
    label: text('label'),
    create_users: reader.isOn('create_users'),
    sign_out_url: text('sign_out_url') || undefined,
  };
}
