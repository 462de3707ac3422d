// The settings of sign-in by OpenID Connect: up to three providers, each with the same keys. Guards: what could let strangers
// in, or send people to an address that nobody answers, stops the start with a sentence.
import { UsageError } from './errors.ts';
import { Secret } from './secret.ts';
import type { SettingValue } from './setting-values.ts';
import type { Setting } from './settings.ts';

/** Also the name of a provider in addresses. */
export const OIDC_PROVIDERS = ['oidc', 'oidc_2', 'oidc_3'] as const;
export type OidcProviderId = (typeof OIDC_PROVIDERS)[number];

/** What settings say of people whom a provider or a proxy has signed in. */
export interface AdmissionRules {
  label: string;
  /** Which group a value of the claim or header stands for. */
  groups: readonly { value: string; group: string }[];
  superusers: readonly string[];
  create_users: boolean;
}

export interface OidcSettings extends AdmissionRules {
  id: OidcProviderId;
  issuer: string;
  client_id: string;
  client_secret: Secret | undefined;
  scopes: string;
  username_claim: string;
  groups_claim: string;
  email_domains: readonly string[];
  end_provider_session: boolean;
  /** Whether its access tokens open /mcp/v1. */
  mcp_sign_in: boolean;
  /** Undefined for the address of /mcp/v1. */
  mcp_audience: string | undefined;
  mcp_scopes: readonly string[];
}

export const signInSettings = [
  {
    key: 'auth.local_sign_in',
    type: 'text',
    default: 'always',
    allowed: ['always', 'superusers', 'off'],
    description:
      'Who may sign in with a password or passkey where a provider or `auth.proxy` is configured. One-time links of `matriarch user link` work in any case.',
  },
  {
    key: 'auth.require_second_factor',
    type: 'text',
    default: 'none',
    allowed: ['none', 'superusers', 'all'],
    description:
      'Which users must have a second factor or passkey, beside members of groups that require it. Without one they can only set it up. Tokens and sign-ins with a provider or proxy are not concerned.',
  },
  {
    key: 'auth.session_idle_minutes',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 1440,
    description:
      'After so many minutes without a request a session ends, 5 at least; 0: only 24 hours after signing in. An open page in a visible window keeps asking, so it counts as use.',
  },
] as const satisfies readonly Setting[];

/** Of access tokens at /mcp/v1. */
const mcpSettingsOf = (id: OidcProviderId): Setting[] => [
  {
    key: `auth.${id}.mcp_sign_in`,
    type: 'boolean',
    default: false,
    description:
      'Whether access tokens of this provider open `/mcp/v1`, so that MCP clients sign in there by OAuth. They must be signed JWTs.',
  },
  {
    key: `auth.${id}.mcp_audience`,
    type: 'text',
    description:
      'Audience (`aud`) that these access tokens must have, where it is not the address of `/mcp/v1`. Never client_id, which ID tokens have.',
  },
  {
    key: `auth.${id}.mcp_scopes`,
    type: 'list',
    form: { pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/, words: 'scope of OAuth, such as matriarch:read' },
    description: 'Scopes that these access tokens must have; clients are told to ask for them.',
  },
];

const settingsOf = (id: OidcProviderId, which: string): Setting[] => [
  {
    key: `auth.${id}.issuer`,
    type: 'url',
    description: `Issuer of ${which} OpenID Connect provider; switches it on, and needs client_id and api.public_url.`,
  },
  { key: `auth.${id}.client_id`, type: 'text', description: 'Client id of Matriarch at this provider.' },
  {
    key: `auth.${id}.client_secret`,
    type: 'secret',
    description: 'Client secret; without one the client is a public one, with PKCE alone.',
  },
  {
    key: `auth.${id}.scopes`,
    type: 'text',
    default: 'openid profile email',
    description: 'Scopes to ask for, `openid` among them.',
  },
  {
    key: `auth.${id}.label`,
    type: 'text',
    default: 'single sign-on',
    description: 'What follows “Sign in with” on the button.',
  },
  {
    key: `auth.${id}.username_claim`,
    type: 'text',
    default: 'preferred_username',
    description: 'Claim with the user name of a user that is created.',
  },
  {
    key: `auth.${id}.groups_claim`,
    type: 'text',
    default: 'groups',
    description: 'Claim with the groups of a user; dots lead into it, as in `realm_access.roles`.',
  },
  {
    key: `auth.${id}.groups`,
    type: 'list',
    form: { pattern: /^[^=\s].*=\s*[^=\s][^=]*$/, words: 'claim value=group, such as dba=Administrators' },
    description:
      'Which group a value of the claim stands for, as `value=group` (the last `=` counts). At each sign-in membership in these groups becomes what the claim says; other groups stay.',
  },
  {
    key: `auth.${id}.superusers`,
    type: 'list',
    description:
      'Values of the claim that make a superuser. When set, a user without any of them is made an ordinary user at sign-in; the last enabled superuser stays one.',
  },
  {
    key: `auth.${id}.create_users`,
    type: 'boolean',
    default: false,
    description: 'Whether the first sign-in of a person creates the user; otherwise it is refused.',
  },
  {
    key: `auth.${id}.email_domains`,
    type: 'list',
    description: 'Only people with a verified email address of one of these domains may sign in.',
  },
  {
    key: `auth.${id}.end_provider_session`,
    type: 'boolean',
    default: true,
    description: 'Whether signing out here leads to the sign-out of the provider.',
  },
  ...mcpSettingsOf(id),
];

export const OIDC_SETTINGS: readonly Setting[] = [
  ...settingsOf('oidc', 'an'),
  ...settingsOf('oidc_2', 'a second'),
  ...settingsOf('oidc_3', 'a third'),
];

export interface SettingReader {
  of(setting: Setting): SettingValue;
}

/** From `value=group`, divided by the last `=`. */
export const groupsOf = (entries: readonly string[]): AdmissionRules['groups'] =>
  entries.map((entry) => {
    const at = entry.lastIndexOf('=');
    return { value: entry.slice(0, at).trim(), group: entry.slice(at + 1).trim() };
  });

function readerOf(id: OidcProviderId, values: SettingReader) {
  const find = (name: string): SettingValue => {
    const setting = OIDC_SETTINGS.find(({ key }) => key === `auth.${id}.${name}`);
    return setting && values.of(setting);
  };
  return {
    find,
    text: (name: string) => String(find(name) ?? ''),
    list: (name: string): readonly string[] => {
      const value = find(name);
      return Array.isArray(value) ? value : [];
    },
  };
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const bare = (issuer: string) => issuer.replace(/\/$/, '');
const OPEN_TO_ALL = 'https://accounts.google.com';

function demandUsable(settings: OidcSettings): void {
  const { id, issuer, client_id, scopes, create_users, email_domains } = settings;
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !LOOPBACK.test(hostname))
    throw new UsageError(`auth.${id}.issuer: ${issuer} must begin with https://.`);
  if (client_id === '') throw new UsageError(`auth.${id}.issuer needs auth.${id}.client_id.`);
  if (!scopes.split(/\s+/).includes('openid')) throw new UsageError(`auth.${id}.scopes must contain openid.`);
  if (settings.mcp_audience === client_id)
    throw new UsageError(
      `auth.${id}.mcp_audience is client_id, so ID tokens would open /mcp/v1. Give /mcp/v1 an audience of its own.`,
    );
  if (create_users && bare(issuer) === OPEN_TO_ALL && email_domains.length === 0)
    throw new UsageError(
      `auth.${id}.create_users needs auth.${id}.email_domains here: every Google account could sign in.`,
    );
}

function readProvider(id: OidcProviderId, values: SettingReader): OidcSettings | undefined {
  const { find, text, list } = readerOf(id, values);
  const secret = find('client_secret');
  const issuer = text('issuer');
  if (issuer === '') {
    if (text('client_id') !== '' || secret !== undefined)
      throw new UsageError(`auth.${id}.client_id and client_secret need auth.${id}.issuer.`);
    return undefined;
  }
  const settings: OidcSettings = {
    id,
    issuer,
    client_id: text('client_id'),
    client_secret: secret instanceof Secret ? secret : undefined,
    scopes: text('scopes'),
    label: text('label'),
    username_claim: text('username_claim'),
    groups_claim: text('groups_claim'),
    groups: groupsOf(list('groups')),
    superusers: list('superusers'),
    create_users: find('create_users') === true,
    email_domains: list('email_domains').map((domain) => domain.toLowerCase().replace(/^@/, '')),
    end_provider_session: find('end_provider_session') === true,
    mcp_sign_in: find('mcp_sign_in') === true,
    mcp_audience: text('mcp_audience') || undefined,
    mcp_scopes: list('mcp_scopes'),
  };
  demandUsable(settings);
  return settings;
}

export interface SignInRules {
  public_url: string | undefined;
  local_sign_in: string;
  /** What the button of the proxy says, where one signs people in. */
  proxy_label: string | undefined;
}

/** The providers that are configured; a UsageError for what would not work or let nobody in. */
export function readOidc(values: SettingReader, rules: SignInRules): readonly OidcSettings[] {
  const providers = OIDC_PROVIDERS.flatMap((id) => readProvider(id, values) ?? []);
  const [first] = providers;
  if (first && rules.public_url === undefined)
    throw new UsageError(
      `auth.${first.id}.issuer needs api.public_url, the address to which the provider sends people back.`,
    );
  if (!first && rules.proxy_label === undefined && rules.local_sign_in !== 'always')
    throw new UsageError(
      `auth.local_sign_in: ${rules.local_sign_in} needs a provider to sign in with; set auth.oidc.issuer or auth.proxy.user_header.`,
    );
  for (const { id, issuer, label } of providers) {
    const twin = providers.find((other) => other.id < id && bare(other.issuer) === bare(issuer));
    if (twin)
      throw new UsageError(
        `auth.${twin.id}.issuer and auth.${id}.issuer are the same; each provider needs an issuer of its own.`,
      );
    if (label === rules.proxy_label)
      throw new UsageError(
        `auth.${id}.label and auth.proxy.label are the same; give each way to sign in a label of its own.`,
      );
    const namesake = providers.find((other) => other.id < id && other.label === label);
    if (namesake)
      throw new UsageError(
        `auth.${namesake.id}.label and auth.${id}.label are the same; give each provider a label of its own.`,
      );
  }
  return providers;
}
