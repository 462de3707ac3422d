// Installed extensions, database by database: what is installed in one says nothing about the next.
import { defineProbe } from './types.ts';
import { flags } from './view-columns.ts';

export const probe = defineProbe({
  name: 'pg_extension',
  description: 'Installed extensions of each database.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 30,
  keeps: 'change-tracked',
  columns: [
    { name: 'extname', type: 'text', kind: 'key', description: 'Name.' },
    { name: 'extversion', type: 'text', kind: 'label', description: 'Installed version.' },
    ...flags([['extrelocatable', 'Whether its schema can be changed.']]),
    { name: 'schema_name', type: 'text', kind: 'label', description: 'Schema that holds its objects.' },
    {
      name: 'default_version',
      type: 'text',
      kind: 'label',
      description: 'Version of its files on the server, which an update would install; null without files.',
    },
  ],
  caps: { maxRows: 1000, maxBytes: 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  sql: () => `select
  e.extname::text as extname,
  e.extversion as extversion,
  e.extrelocatable as extrelocatable,
  n.nspname::text as schema_name,
  a.default_version
from pg_catalog.pg_extension e
join pg_catalog.pg_namespace n on n.oid = e.extnamespace
left join pg_catalog.pg_available_extensions() a on a.name = e.extname
order by e.extname`,
});
