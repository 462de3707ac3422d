import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../kernel/config.ts';
import { OIDC_SETTINGS, type OidcSettings } from '../../kernel/oidc-settings.ts';
import { completeSettings, KERNEL_SETTINGS } from '../../kernel/settings.ts';
import { emailFault, mergedClaims, personFrom, rightsFrom } from './claims.ts';

function settingsWith(change: Partial<OidcSettings>): OidcSettings {
  const own = { api: 'https://m.example', issuer: 'https://login.example.com', client: 'matriarch' };
  const argv = [
    '--api-public-url',
    own.api,
    '--auth-oidc-issuer',
    own.issuer,
    '--auth-oidc-client-id',
    own.client,
  ];
  const settings = completeSettings([...KERNEL_SETTINGS, ...OIDC_SETTINGS]);
  const [one] = loadConfig({ settings, argv, env: {} }).auth.providers;
  if (!one) throw new Error('there is no provider');
  return { ...one, ...change };
}

const mapped = settingsWith({
  groups: [
    { value: 'dba', group: 'Operators' },
    { value: 'oncall', group: 'Operators' },
    { value: 'dev', group: 'Readers' },
  ],
  superusers: ['root'],
});

describe('groups of the claims', () => {
  it.each<[unknown, string[], boolean]>([
    [['dba', 'oncall', 'unknown'], ['Operators'], false],
    [['dev', 'root'], ['Readers'], true],
    ['dba', ['Operators'], false],
    [[], [], false],
    [undefined, [], false],
    [null, [], false],
    [{ root: true }, [], false],
    [[['root']], [], false],
    [[{ name: 'root' }, true], [], false],
    ['DBA', [], false],
    ['dba,root', [], false],
  ])('%j gives %j, superuser %j', (groups, held, is_superuser) => {
    expect(rightsFrom({ groups }, mapped)).toEqual({
      groups: held,
      mapped: ['Operators', 'Readers'],
      is_superuser,
    });
  });

  it('says nothing of superusers where the settings do not', () => {
    expect(rightsFrom({ groups: ['root'] }, settingsWith({})).is_superuser).toBeUndefined();
  });

  it('finds a claim by its name before it follows dots, and nothing inherited', () => {
    const nested = { ...mapped, groups_claim: 'realm_access.roles' };
    expect(rightsFrom({ realm_access: { roles: ['root'] } }, nested).is_superuser).toBe(true);
    const both = { 'realm_access.roles': ['dev'], realm_access: { roles: ['root'] } };
    expect(rightsFrom(both, nested)).toMatchObject({ groups: ['Readers'], is_superuser: false });
    const inherited = { ...mapped, superusers: ['Object'], groups_claim: 'constructor.name' };
    expect(rightsFrom({}, inherited).is_superuser).toBe(false);
  });
});

describe('the person of the claims', () => {
  it('has a name that can be typed, or none', () => {
    const person = personFrom({ preferred_username: 'anna', name: 'Anna B', email: 'a@b.example' }, mapped);
    expect(person).toEqual({ username: 'anna', display_name: 'Anna B', email: 'a@b.example' });
    for (const preferred_username of [undefined, '', 7, 'two words', '../x', 'x'.repeat(129), '\u202eanna'])
      expect(personFrom({ preferred_username }, mapped)).toMatch(/holds no user name that can be used here/);
    expect(personFrom({ preferred_username: 'anna', email: 'no address' }, mapped)).toMatchObject({
      email: '',
    });
  });

  it.each<[Record<string, unknown>, boolean]>([
    [{ email: 'a@example.com', email_verified: true }, true],
    [{ email: 'a@EXAMPLE.com', email_verified: true }, true],
    [{ email: 'a@example.com' }, false],
    [{ email: 'a@example.com', email_verified: 'true' }, false],
    [{ email: 'a@sub.example.com', email_verified: true }, false],
    [{ email: 'a@example.com@evil.example', email_verified: true }, false],
    [{ email: 'example.com', email_verified: true }, false],
    [{ email_verified: true }, false],
  ])('%j of a demanded domain: %j', (claims, isLetIn) => {
    const fault = emailFault(claims, settingsWith({ email_domains: ['example.com'] }));
    expect(fault === undefined).toBe(isLetIn);
  });

  it('takes no verification of one address for another', () => {
    const verified = { email: 'a@evil.example', email_verified: true };
    expect(mergedClaims(verified, { email: 'a@example.com' }).email_verified).toBeUndefined();
    expect(mergedClaims(verified, { email: 'a@evil.example' }).email_verified).toBe(true);
    expect(mergedClaims(verified, {})).toEqual(verified);
    expect(mergedClaims({ email_verified: true }, { email: 'a@example.com', email_verified: false })).toEqual(
      {
        email: 'a@example.com',
        email_verified: false,
      },
    );
  });
});
