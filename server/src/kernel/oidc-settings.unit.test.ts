// What stops the start: settings of sign-in that would not work, or would let strangers in.
import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { OIDC_SETTINGS } from './oidc-settings.ts';
import { completeSettings, KERNEL_SETTINGS } from './settings.ts';

const settings = completeSettings([...KERNEL_SETTINGS, ...OIDC_SETTINGS]);
const PUBLIC = ['--api-public-url', 'https://matriarch.example.com'];
const provider = (id: string, issuer: string) => [
  `--auth-${id}-issuer`,
  issuer,
  `--auth-${id}-client-id`,
  'm',
];
const OWN = [...PUBLIC, ...provider('oidc', 'https://login.example.com')];
const load = (argv: string[], env: NodeJS.ProcessEnv = {}) => loadConfig({ settings, argv, env }).auth;

describe('settings of sign-in', () => {
  it('are none at first', () => {
    expect(load([])).toMatchObject({ providers: [], local_sign_in: 'always' });
  });

  it('describe a provider', () => {
    const groups = ['--auth-oidc-groups', 'dba=Operators, cn=dev+ou=it = Readers'];
    const domains = ['--auth-oidc-email-domains', '@Example.com,example.org'];
    const secret = { MATRIARCH_AUTH_OIDC_CLIENT_SECRET: 'hush' };
    const [one] = load([...OWN, ...groups, ...domains], secret).providers;
    expect(one).toMatchObject({
      id: 'oidc',
      scopes: 'openid profile email',
      create_users: false,
      groups: [
        { value: 'dba', group: 'Operators' },
        { value: 'cn=dev+ou=it', group: 'Readers' },
      ],
      email_domains: ['example.com', 'example.org'],
    });
    expect(one?.client_secret?.reveal()).toBe('hush');
    expect(JSON.stringify(one)).not.toContain('hush');
  });

  it('take plain HTTP of this machine alone', () => {
    for (const issuer of ['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])
      expect(load([...PUBLIC, ...provider('oidc', issuer)]).providers).toHaveLength(1);
  });

  it.each<[string, string[], RegExp]>([
    ['no public address', provider('oidc', 'https://a.example'), /needs api\.public_url/],
    ['no client', [...PUBLIC, '--auth-oidc-issuer', 'https://a.example'], /needs auth\.oidc\.client_id/],
    ['no issuer', ['--auth-oidc-client-id', 'm'], /need auth\.oidc\.issuer/],
    ['plain HTTP', [...PUBLIC, ...provider('oidc', 'http://login.example.com')], /must begin with https/],
    ['a name like loopback', [...PUBLIC, ...provider('oidc', 'http://127.0.0.1.evil.example')], /must begin/],
    ['no openid', [...OWN, '--auth-oidc-scopes', 'profile'], /must contain openid/],
    ['a group without a name', [...OWN, '--auth-oidc-groups', 'dba='], /claim value=group/],
    ['a group without a value', [...OWN, '--auth-oidc-groups', '=Operators'], /claim value=group/],
    ['no way in', ['--auth-local-sign-in', 'off'], /off needs a provider to sign in with/],
    ['an unknown word', [...OWN, '--auth-local-sign-in', 'never'], /--auth-local-sign-in: found "never"/],
    [
      'one issuer twice',
      [...OWN, ...provider('oidc-3', 'https://login.example.com/')],
      /auth\.oidc\.issuer and auth\.oidc_3\.issuer are the same/,
    ],
    [
      'two buttons of one name',
      [...OWN, ...provider('oidc-2', 'https://b.example')],
      /auth\.oidc\.label and auth\.oidc_2\.label are the same/,
    ],
    [
      'every Google account',
      [...PUBLIC, ...provider('oidc', 'https://accounts.google.com'), '--auth-oidc-create-users', 'true'],
      /every Google account could sign in/,
    ],
  ])('stop the start: %s', (_what, argv, sentence) => expect(() => load(argv)).toThrow(sentence));

  it('let tokens open /mcp/v1 only where that is set, never with the audience of ID tokens', () => {
    expect(load(OWN).providers[0]).toMatchObject({
      mcp_sign_in: false,
      mcp_audience: undefined,
      mcp_scopes: [],
    });
    const on = [...OWN, '--auth-oidc-mcp-sign-in', 'true', '--auth-oidc-mcp-scopes', 'a,b'];
    expect(load(on).providers[0]).toMatchObject({ mcp_sign_in: true, mcp_scopes: ['a', 'b'] });
    expect(() => load([...on, '--auth-oidc-mcp-audience', 'm'])).toThrow(/mcp_audience is client_id/);
    expect(() => load([...OWN, '--auth-oidc-mcp-scopes', 'a"b'])).toThrow(/scope of OAuth/);
  });
});
