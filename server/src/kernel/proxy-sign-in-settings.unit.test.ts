// What stops the start: settings of the proxy header that would not work, or would let strangers in.
import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { OIDC_SETTINGS } from './oidc-settings.ts';
import { PROXY_SETTINGS } from './proxy-sign-in-settings.ts';
import { completeSettings, KERNEL_SETTINGS } from './settings.ts';

const settings = completeSettings([...KERNEL_SETTINGS, ...OIDC_SETTINGS, ...PROXY_SETTINGS]);
const load = (argv: string[]) => loadConfig({ settings, argv, env: {} }).auth;
const USER = ['--auth-proxy-user-header', 'X-Remote-User'];
const FROM = ['--auth-proxy-addresses', '127.0.0.1'];
const GROUPS = ['--auth-proxy-groups-header', 'X-Remote-Groups'];

describe('settings of the proxy header', () => {
  it('are off at first', () => expect(load([]).proxy).toBeUndefined());

  it('describe the proxy, and are a way in beside passwords', () => {
    const addresses = ['--auth-proxy-addresses', '10.0.0.7, 10.1.0.0/16, fd00::/8'];
    const more = [...GROUPS, '--auth-proxy-groups', 'a=b=Operators', '--auth-proxy-groups-separator', 'pipe'];
    const auth = load([...USER, ...addresses, ...more, '--auth-local-sign-in', 'off']);
    expect(auth.proxy).toEqual({
      addresses: ['10.0.0.7', '10.1.0.0/16', 'fd00::/8'],
      user_header: 'x-remote-user',
      groups_header: 'x-remote-groups',
      groups_separator: '|',
      groups: [{ value: 'a=b', group: 'Operators' }],
      ...{ superusers: [], create_users: false, label: 'single sign-on', sign_out_url: undefined },
    });
    expect(auth.local_sign_in).toBe('off');
  });

  it.each<[string, string[], RegExp]>([
    ['no address', USER, /needs auth\.proxy\.addresses/],
    ['no header', FROM, /needs auth\.proxy\.user_header/],
    ['users without a header', ['--auth-proxy-create-users', 'true'], /needs auth\.proxy\.user_header/],
    ['every address', [...USER, '--auth-proxy-addresses', '0.0.0.0/0'], /anyone could sign in as any user/],
    ['every address of IPv6', [...USER, '--auth-proxy-addresses', '::/0'], /holds every address/],
    ['a host name', [...USER, '--auth-proxy-addresses', 'proxy.example'], /an address or a network/],
    ['too many bits', [...USER, '--auth-proxy-addresses', '10.0.0.0/33'], /an address or a network/],
    ['no bits', [...USER, '--auth-proxy-addresses', '10.0.0.0/'], /an address or a network/],
    ['a header of clients', ['--auth-proxy-user-header', 'User-Agent', ...FROM], /another meaning/],
    ['a header of forwarding', ['--auth-proxy-user-header', 'X-Forwarded-For', ...FROM], /another meaning/],
    ['a header with _', ['--auth-proxy-user-header', 'REMOTE_USER', ...FROM], /name of a header without _/],
    ['no name of a header', ['--auth-proxy-user-header', 'X Remote', ...FROM], /name of a header/],
    [
      'groups without a header',
      [...USER, ...FROM, '--auth-proxy-superusers', 'a'],
      /auth\.proxy\.groups_header/,
    ],
    [
      'one header for both',
      [...USER, ...FROM, '--auth-proxy-groups-header', 'x-remote-USER'],
      /are the same/,
    ],
    [
      'two buttons of one name',
      [
        ...[...USER, ...FROM, '--api-public-url', 'https://m.example'],
        ...['--auth-oidc-issuer', 'https://login.example', '--auth-oidc-client-id', 'm'],
      ],
      /auth\.oidc\.label and auth\.proxy\.label are the same/,
    ],
  ])('stop the start: %s', (_what, argv, sentence) => expect(() => load(argv)).toThrow(sentence));
});
