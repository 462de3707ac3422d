// Roles that log in and may create roles, or see all rows.
import type { Item } from './facts.ts';
import { evidenceOf, logins, nameOf, ROLE_COLUMNS } from './roles.ts';
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

/** Since then it may only grant what it administers. */
const CREATEROLE_IS_BOUND = 160_000;

function foundOf(role: Item, version: number): Problem {
  const name = nameOf(role);
  const creates = role.flag('rolcreaterole') === true;
  const bypasses = role.flag('rolbypassrls') === true;
  const has = [...(creates ? ['createrole'] : []), ...(bypasses ? ['bypassrls'] : [])];
  const reaches = creates && version < CREATEROLE_IS_BOUND;
  return {
    database_name: '',
    object_name: name,
    object_key: role.text('oid') ?? name,
    severity: 'info',
    message: `Role "${name}" can log in and has ${has.join(' and ')}${reaches ? ', so it can join any non-superuser role' : ''}.`,
    figure: null,
    evidence: evidenceOf(role),
    remedy: `alter role ${quoted(name)} ${has.map((one) => `no${one}`).join(' ')};`,
  };
}

export const check = defineCheck({
  name: 'powerful_login',
  category: 'security',
  title: 'Login role with powerful attributes',
  meaning: 'Its password grants access to privileges of other roles, or to rows hidden from others.',
  advice: 'Keep such attributes for roles without login, and use them with SET ROLE.',
  caution: 'User management tools, and backups of tables with row-level security, may need them.',
  source: 'role-attributes.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => ({
    found: logins(facts)
      .filter(
        (role) =>
          role.flag('rolsuper') !== true &&
          role.flag('is_own') !== true &&
          (role.flag('rolcreaterole') === true || role.flag('rolbypassrls') === true),
      )
      .map((role) => foundOf(role, facts.versionNum)),
  }),
});
