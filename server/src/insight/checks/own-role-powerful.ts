// Our own role: it needs pg_monitor and no more.
import type { Item } from './facts.ts';
import { evidenceOf, isBootstrap, nameOf, ROLE_COLUMNS, serverRights } from './roles.ts';
import { defineCheck, NOTHING, unknown } from './types.ts';
import { quoted } from './units.ts';

const ATTRIBUTES = [
  ['rolsuper', 'is a superuser', 'nosuperuser'],
  ['rolcreaterole', 'may create roles', 'nocreaterole'],
  ['rolbypassrls', 'is not bound by row-level security', 'nobypassrls'],
  ['rolreplication', 'may stream all data by replication', 'noreplication'],
] as const;

function remedyOf(role: Item): string {
  const name = quoted(nameOf(role));
  // The role that made the server stays a superuser.
  if (isBootstrap(role))
    return `create role "matriarch_reader" login;
grant pg_monitor to "matriarch_reader";
-- Then give it a password with \\password, and let the connection log in as that role.`;
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
  title: 'We log in with more rights than we need',
  meaning: 'Whoever gets hold of the password that is kept for this connection has these rights as well.',
  advice: 'Let the connection log in as a role that has pg_monitor and nothing else.',
  caution: 'Ending sessions of others from the interface takes pg_signal_backend as well.',
  source: 'predefined-roles.html',
  proof: 'stated',
  reads: { pg_roles: ROLE_COLUMNS },
  judge: (facts) => {
    const role = facts.rows('pg_roles').find((item) => item.flag('is_own') === true);
    if (!role) return unknown('Our own role is not among those that were read.');
    const has = [
      ...ATTRIBUTES.filter(([attribute]) => role.flag(attribute) === true).map(([, words]) => words),
      ...serverRights(role).map((right) => `is a member of ${right}`),
    ];
    if (has.length === 0) return NOTHING;
    return {
      found: [
        {
          database_name: '',
          object_name: nameOf(role),
          severity: 'info',
          message: `The role ${nameOf(role)}, with which we read, ${has.join(', ')}.`,
          figure: null,
          evidence: { ...evidenceOf(role), granted: serverRights(role).join(', ') },
          remedy: remedyOf(role),
        },
      ],
    };
  },
});
