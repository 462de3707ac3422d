// Tablespaces with what lies in them. A size our role may not see is null and never fails the rest. Sizing looks at
// every file, so it is done seldom.
import { defineProbe } from './types.ts';
import { gauges, labels } from './view-columns.ts';

export const probe = defineProbe({
  name: 'pg_tablespace',
  description: 'Tablespaces and their size.',
  level: 'S',
  intervalSeconds: 900,
  guardSeconds: 3600,
  retentionDays: 30,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'tablespace_size_bytes' },
  columns: [
    { name: 'spcname', type: 'text', kind: 'key', description: 'Name.' },
    { name: 'oid', type: 'bigint', kind: 'label', description: 'Object id.' },
    ...labels([
      ['spcowner', 'Role that owns it.'],
      ['location', 'Directory; null for those inside the data directory.'],
    ]),
    { name: 'spcoptions', type: 'text[]', kind: 'label', description: 'Its options.' },
    ...gauges('bytes', [['tablespace_size_bytes', 'All files; null where our role may not know it.']]),
  ],
  caps: { maxRows: 500, maxText: 1024, timeoutMs: 15_000 },
  // The right is null of what has been dropped since the list was read, and asking for its size is an error.
  sql: () => `select
  t.spcname::text as spcname,
  t.oid::bigint as oid,
  pg_catalog.pg_get_userbyid(t.spcowner)::text as spcowner,
  nullif(pg_catalog.pg_tablespace_location(t.oid), '') as location,
  t.spcoptions,
  case
    when pg_catalog.has_tablespace_privilege(t.oid, 'create') is null then null
    when pg_catalog.has_tablespace_privilege(t.oid, 'create')
      or pg_catalog.pg_has_role('pg_read_all_stats', 'usage')
    then pg_catalog.pg_tablespace_size(t.oid)
  end as tablespace_size_bytes
from pg_catalog.pg_tablespace t
order by t.spcname`,
});
