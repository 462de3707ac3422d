// Schemas in which all roles may create objects.
import { shownCount } from '../../kernel/shown-value.ts';
import { logins, ROLE_COLUMNS } from './roles.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** Before, it was so by itself in every database. */
const CLOSED_BY_DEFAULT = 150_000;
/** With so many roles that are no superusers, not all can know each other. */
const MANY_ROLES = 5;

export const check = defineCheck({
  name: 'schema_open_to_all',
  category: 'security',
  title: 'Publicly writable schema',
  meaning: 'Any role can create a function or table that others then use by mistake.',
  advice: 'Revoke CREATE from PUBLIC, and grant it to the roles that need it.',
  caution: 'Applications that create tables there need a grant first.',
  source: 'ddl-schemas.html#DDL-SCHEMAS-PATTERNS',
  proof: 'stated',
  reads: {
    pg_public_privileges: ['object_type', 'object_oid', 'schemaname', 'owner'],
    pg_roles: ROLE_COLUMNS,
  },
  judge: (facts) => {
    const ordinary = logins(facts).filter((role) => role.flag('rolsuper') !== true).length;
    const isUsual = facts.versionNum < CLOSED_BY_DEFAULT || ordinary < MANY_ROLES;
    return {
      found: facts
        .rows('pg_public_privileges')
        .filter((item) => item.text('object_type') === 'schema')
        .map((item) => {
          const schema = item.text('schemaname') ?? '';
          return {
            database_name: item.database_name,
            object_name: schema,
            object_key: item.text('object_oid') ?? schema,
            severity: isUsual ? 'info' : 'warning',
            message: `All roles can create objects in schema "${schema}". ${shownCount(ordinary, 'role')} without superuser rights can log in.`,
            figure: null,
            evidence: { owner: item.text('owner'), login_roles: ordinary },
            remedy: `revoke create on schema ${quoted(schema)} from public;`,
          } as const;
        }),
    };
  },
});
