// Extensions whose objects lie in a schema in which everybody may create others.
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

export const check = defineCheck({
  name: 'extension_in_open_schema',
  category: 'security',
  title: 'Extension in a schema that is open to all',
  meaning: 'Any role can create operators and functions beside its own, which queries may then find instead.',
  advice: 'Close the schema, or install the extension in one of its own.',
  caution: 'Queries that name its objects without a schema need that schema in their search_path.',
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
            message: `The extension ${name} lies in the schema ${schema}, in which all roles may create objects.`,
            figure: null,
            evidence: { schema_name: schema, extversion: item.text('extversion') },
            remedy: `revoke create on schema ${quoted(schema)} from public;`,
          },
        ];
      }),
    };
  },
});
