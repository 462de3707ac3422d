// What the claims of a provider say of a person: pure. Guards: claims are a stranger's text, so names that cannot be shown
// or typed are refused, and what is absent grants nothing.
import { nameFromServer } from '../../kernel/clean-name.ts';
import type { AdmissionRules, OidcSettings } from '../../kernel/oidc-settings.ts';
import { isRecord } from '../../kernel/read-json.ts';
import { usernameFault } from '../auth/users.service.ts';

export type Claims = Readonly<Record<string, unknown>>;

const MOST_VALUES = 10_000;
const LONGEST_EMAIL = 255;

/** Of the ID token and of the user info. What is verified is the address that it was said of, and no other. */
export function mergedClaims(userInfo: Claims, idToken: Claims): Claims {
  const isOther = Object.hasOwn(idToken, 'email') && idToken.email !== userInfo.email;
  return { ...userInfo, ...(isOther && { email_verified: undefined }), ...idToken };
}

/** The claim of that name, else what the parts between dots lead to. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (!isRecord(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

const textAt = (claims: Claims, name: string): string => {
  const value = claimAt(claims, name);
  return typeof value === 'string' ? value : '';
};

/** A text, or those of a list; nothing else counts. */
function groupValues(claims: Claims, name: string): string[] {
  const value = claimAt(claims, name);
  const values: unknown[] = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return values.flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

export interface ClaimedRights {
  /** Names of groups that the settings map: those the person is in, and all of them. */
  groups: readonly string[];
  mapped: readonly string[];
  /** Undefined where the settings say nothing of superusers. */
  is_superuser: boolean | undefined;
}

/** The rights of a person with these values in the claim or header. */
export function rightsOf(
  present: readonly string[],
  { groups, superusers }: Pick<AdmissionRules, 'groups' | 'superusers'>,
): ClaimedRights {
  const values = new Set(present);
  const held = groups.filter(({ value }) => values.has(value));
  return {
    groups: [...new Set(held.map(({ group }) => group))],
    mapped: [...new Set(groups.map(({ group }) => group))],
    is_superuser: superusers.length === 0 ? undefined : superusers.some((value) => values.has(value)),
  };
}

export const rightsFrom = (claims: Claims, settings: OidcSettings): ClaimedRights =>
  rightsOf(groupValues(claims, settings.groups_claim), settings);

/** The sentence for a person whose email address keeps them out; undefined for those who may come in. */
export function emailFault(claims: Claims, { email_domains, label }: OidcSettings): string | undefined {
  if (email_domains.length === 0) return undefined;
  const email = textAt(claims, 'email');
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (email.includes('@') && claims.email_verified === true && email_domains.includes(domain))
    return undefined;
  return `Only people with a verified email address of ${email_domains.join(' or ')} may sign in with ${label}. Use another account there.`;
}

export interface NewPerson {
  username: string;
  display_name: string;
  email: string;
}

/** Who the user would be that is created; a sentence where the provider gave no name that can be used. */
export function personFrom(claims: Claims, { username_claim, label }: OidcSettings): NewPerson | string {
  const username = textAt(claims, username_claim);
  if (usernameFault(username) !== undefined)
    return `The claim ${username_claim} of ${label} holds no user name that can be used here. Ask an administrator to choose another claim.`;
  const email = textAt(claims, 'email');
  return {
    username,
    display_name: nameFromServer(textAt(claims, 'name')) ?? '',
    email: /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= LONGEST_EMAIL ? email : '',
  };
}

/** Who the user would be of whom nothing but a name is known; undefined where it is no user name. */
export const plainPerson = (username: string): NewPerson | undefined =>
  usernameFault(username) === undefined ? { username, display_name: '', email: '' } : undefined;
