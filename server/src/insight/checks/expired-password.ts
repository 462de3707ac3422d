// Login roles whose password has expired.

import { DAY_MS } from '../../kernel/units.ts';
import { logins, nameOf, ROLE_COLUMNS } from './roles.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** As the probe writes -infinity. */
const NEVER = Date.parse('0001-01-01T00:00:00Z');

export const check = defineCheck({
  name: 'expired_password',
  category: 'security',
  title: 'Role with an expired password',
  meaning: 'The role can no longer log in with a password. Its application may fail, or the role is unused.',
  advice: 'Disable its login, or set a new password and expiry date.',
  caution: 'It can still log in by methods without a password, such as cert, peer and trust.',
  source: 'sql-createrole.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => ({
    found: logins(facts).flatMap((role) => {
      const until = role.time('rolvaliduntil');
      if (until === null || until >= facts.now) return [];
      const isNever = until <= NEVER;
      const expired = isNever
        ? 'was never valid'
        : `expired on ${new Date(until).toISOString().slice(0, 10)}`;
      return [
        {
          database_name: '',
          object_name: nameOf(role),
          object_key: role.text('oid') ?? nameOf(role),
          severity: 'info' as const,
          message: `The password of role "${nameOf(role)}" ${expired}, and the role can log in.`,
          figure: null,
          evidence: {
            rolvaliduntil: isNever ? '-infinity' : new Date(until).toISOString(),
            days: isNever ? null : Math.floor((facts.now - until) / DAY_MS),
          },
          remedy: `alter role ${quoted(nameOf(role))} nologin;`,
        },
      ];
    }),
  }),
});
