// Functions that run as a superuser and look for what they call along the caller's search_path.
import type { Item } from './facts.ts';
import { defineCheck, type Problem } from './types.ts';
import { named, qualified, quoted } from './units.ts';

function foundOf(item: Item): Problem {
  const schema = item.text('schemaname');
  const name = item.text('object_name');
  const isOpen = item.flag('public_may') === true;
  const signature = `${named(schema, name)}(${item.text('arguments') ?? ''})`;
  return {
    database_name: item.database_name,
    object_name: signature,
    object_key: item.text('object_oid') ?? signature,
    severity: isOpen ? 'warning' : 'info',
    message: `Function "${signature}" runs as superuser ${item.text('owner')} with the search_path of the caller${isOpen ? ', and all roles can execute it' : ''}.`,
    figure: null,
    evidence: { owner: item.text('owner'), public_may_call: isOpen },
    remedy: `alter routine ${qualified(schema, name)}(${item.text('arguments') ?? ''}) set search_path = pg_catalog, ${quoted(schema ?? '')}, pg_temp;`,
  };
}

export const check = defineCheck({
  name: 'unsafe_security_definer',
  category: 'security',
  title: 'SECURITY DEFINER function without search_path',
  meaning: 'A caller can shadow objects it uses, and so run statements as superuser.',
  advice: 'Set its search_path, with pg_temp last.',
  caution: 'It then finds only objects of these schemas. Add other schemas that it uses.',
  source: 'sql-createfunction.html#SQL-CREATEFUNCTION-SECURITY',
  proof: 'stated',
  reads: {
    pg_public_privileges: [
      'object_type',
      'object_oid',
      'schemaname',
      'object_name',
      'arguments',
      'owner',
      'public_may',
    ],
  },
  judge: (facts) => ({
    found: facts
      .rows('pg_public_privileges')
      .filter((item) => item.text('object_type') === 'function')
      .map(foundOf),
  }),
});
