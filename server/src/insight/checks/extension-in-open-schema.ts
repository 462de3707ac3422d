// Extensions whose objects lie in a schema in which everybody may create others.
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

export const check = defineCheck({
  name: 'extension_in_open_schema',
  category: 'security',
  title: 'Extension in a publicly writable schema',
  meaning:
    'Any role can create operators and functions next to those of the extension. Queries may then use them instead.',
  advice: 'Revoke CREATE on the schema, or install the extension in its own schema.',
  caution: 'Queries that use its objects unqualified need that schema in their search_path.',
  source: 'extend-extensions.html#EXTEND-EXTENSIONS-SECURITY',
  proof: 'stated',
  reads: {
    pg_extension: ['extname', 'schema_name', 'extversion'],
    pg_public_privileges: ['object_type', 'schemaname'],
  },
  judge: (facts) => {
    const open = new Set(
      facts
        .rows('pg_public_privileges')
        .filter((item) => item.text('object_type') === 'schema')
        .map((item) => `${item.database_name}\n${item.text('schemaname')}`),
    );
    return {
      found: facts.rows('pg_extension').flatMap((item): Problem[] => {
        const schema = item.text('schema_name') ?? '';
        if (!open.has(`${item.database_name}\n${schema}`)) return [];
        const name = item.text('extname') ?? '';
        return [
          {
            database_name: item.database_name,
            object_name: name,
            severity: 'info',
            message: `Extension "${name}" is in schema "${schema}", where all roles can create objects.`,
            figure: null,
            evidence: { schema_name: schema, extversion: item.text('extversion') },
            remedy: `revoke create on schema ${quoted(schema)} from public;`,
          },
        ];
      }),
    };
  },
});
