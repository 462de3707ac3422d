// Databases whose collation changed under them.
import { defineRule } from './types.ts';

export const rule = defineRule({
  name: 'collation_version_mismatch',
  category: 'maintenance',
  metric: 'pg_database.collation_mismatch',
  operator: '==',
  threshold: 1,
  severity: 'warning',
  title: 'Collation version mismatch',
  meaning:
    'The sort order of the operating system changed after the database was created. Indexes on text may miss rows or hold duplicates.',
  remedy:
    'Reindex indexes on text columns and check unique keys. Then run alter database name refresh collation version.',
  evidence: {
    sql: `select datname, datcollate, pg_encoding_to_char(encoding) as encoding, to_jsonb(d) ->> 'datcollversion' as version_at_creation
    from pg_database d
    order by datname`,
  },
  isOurs: true,
});
