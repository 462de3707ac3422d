// Superusers that log in, beside the one that made the server.
import { evidenceOf, isBootstrap, logins, nameOf, ROLE_COLUMNS } from './roles.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** A few administrators have names of their own; more are a habit. */
const MANY = 5;

export const check = defineCheck({
  name: 'superuser_login',
  category: 'security',
  title: 'Superuser with login',
  meaning: 'Its password gives full access to all data, and to programs on the host.',
  advice: 'Revoke superuser, and grant only the privileges it needs.',
  caution: 'First find out what it does as superuser: extensions, event triggers, server files.',
  source: 'role-attributes.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => {
    const found = logins(facts).filter(
      (role) => role.flag('rolsuper') === true && role.flag('is_own') !== true && !isBootstrap(role),
    );
    return {
      found: found.map((role) => ({
        database_name: '',
        object_name: nameOf(role),
        object_key: role.text('oid') ?? nameOf(role),
        severity: found.length >= MANY ? 'warning' : 'info',
        message: `Role "${nameOf(role)}" is a superuser and can log in.`,
        figure: null,
        evidence: { ...evidenceOf(role), superusers: found.length },
        remedy: `alter role ${quoted(nameOf(role))} nosuperuser;`,
      })),
    };
  },
});
