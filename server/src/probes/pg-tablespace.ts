// Tablespaces with what lies in them. A size our role may not see is null and never fails the rest. Sizing looks at
// every file, so it is done seldom.
import { type Capabilities, defineProbe } from './types.ts';
import { gauges, labels } from './view-columns.ts';

// The right is null of what has been dropped since the list was read, and asking for its size is an error.
const sizeOf = (oid: string) => `case
    when pg_catalog.has_tablespace_privilege(${oid}, 'create') is null then null
    when pg_catalog.has_tablespace_privilege(${oid}, 'create')
      or pg_catalog.pg_has_role('pg_read_all_stats', 'usage')
    then pg_catalog.pg_tablespace_size(${oid})
  end`;

const tablespaces = (_capabilities: Capabilities, size: string): string => `select
  t.spcname::text as spcname,
  t.oid::bigint as oid,
  pg_catalog.pg_get_userbyid(t.spcowner)::text as spcowner,
  nullif(pg_catalog.pg_tablespace_location(t.oid), '') as location,
  t.spcoptions,
  ${size} as tablespace_size_bytes
from pg_catalog.pg_tablespace t
order by t.spcname`;

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
  sql: (capabilities) => tablespaces(capabilities, sizeOf('t.oid')),
  sized: {
    id: 't.oid',
    list: 'select t.oid::text as id from pg_catalog.pg_tablespace t order by t.oid',
    one: `select (${sizeOf('$1::oid')})::text as size`,
    sql: tablespaces,
  },
});
