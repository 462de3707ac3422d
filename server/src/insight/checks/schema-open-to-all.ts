// Schemas in which all roles may create objects.
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
  title: 'Schema in which everybody may create objects',
  meaning: 'Any role can leave a function or table there that others then call in place of the right one.',
  advice: 'Revoke the right from public, and grant it to the roles that need it.',
  caution: 'Applications that create tables there need a grant of their own first.',
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
            message: `All roles may create objects in the schema ${schema}; ${ordinary} that are no superusers may log in.`,
            figure: null,
            evidence: { owner: item.text('owner'), login_roles: ordinary },
            remedy: `revoke create on schema ${quoted(schema)} from public;`,
          } as const;
        }),
    };
  },
});
