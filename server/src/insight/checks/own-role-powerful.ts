// Our own role: it needs pg_monitor and no more.
import type { Item } from './facts.ts';
import { evidenceOf, isBootstrap, nameOf, ROLE_COLUMNS, serverRights } from './roles.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';
import { quoted } from './units.ts';

const ATTRIBUTES = [
  ['rolsuper', 'is a superuser', 'nosuperuser'],
  ['rolcreaterole', 'can create roles', 'nocreaterole'],
  ['rolbypassrls', 'bypasses row-level security', 'nobypassrls'],
  ['rolreplication', 'can stream all data by replication', 'noreplication'],
] as const;

function remedyOf(role: Item): string {
  const name = quoted(nameOf(role));
  // The role that made the server stays a superuser.
  if (isBootstrap(role))
    return `create role "matriarch_reader" login;
grant pg_monitor to "matriarch_reader";
-- Then set its password with \\password, and use that role in the connection.`;
  const less = ATTRIBUTES.filter(([attribute]) => role.flag(attribute) === true).map(([, , off]) => off);
  return [
    ...(less.length > 0 ? [`alter role ${name} ${less.join(' ')};`] : []),
    ...serverRights(role).map((right) => `revoke ${right} from ${name};`),
    `grant pg_monitor to ${name};`,
  ].join('\n');
}

export const check = defineCheck({
  name: 'own_role_powerful',
  category: 'security',
  title: 'Monitoring role with excessive privileges',
  meaning: 'A leaked password of this connection also grants these privileges.',
  advice: 'Use a role that has only pg_monitor for the connection.',
  caution: 'Ending sessions from the interface also needs pg_signal_backend.',
  source: 'predefined-roles.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => {
    const role = facts.rows('pg_roles').find((item) => item.flag('is_own') === true);
    if (!role) return unknown('The monitoring role is missing from the roles that were read.');
    const has = [
      ...ATTRIBUTES.filter(([attribute]) => role.flag(attribute) === true).map(([, words]) => words),
      ...serverRights(role).map((right) => `is a member of ${right}`),
    ];
    if (has.length === 0) return NOTHING;
    return foundOnServer({
      object_name: nameOf(role),
      severity: 'info',
      message: `Monitoring role "${nameOf(role)}" ${has.join(', ')}.`,
      figure: null,
      evidence: { ...evidenceOf(role), granted: serverRights(role).join(', ') },
      remedy: remedyOf(role),
    });
  },
});
