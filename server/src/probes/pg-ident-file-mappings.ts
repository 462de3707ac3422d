// The mappings of pg_ident.conf as the server reads them, with their history. A mapping is known by its number, a
// line with an error by that error.
import { defineProbe } from './types.ts';
import { labels, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_ident_file_mappings';

const plain = [
  ...labels([['file_name', 'File (16+).']]),
  { name: 'line_number', type: 'integer', kind: 'label', description: 'Line.' },
  ...labels([
    ['map_name', 'Map that rules of pg_hba.conf name.'],
    ['sys_name', "The client's name outside, or a pattern of names."],
    ['pg_username', 'Role it may sign in as.'],
  ]),
  {
    name: 'error',
    type: 'text',
    kind: 'key',
    description: 'Why the line is not understood; null when it is.',
  },
] as const;

export const probe = defineProbe({
  name: 'pg_ident_file_mappings',
  description: 'Mappings of pg_ident.conf, as they are in the files.',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  views: [VIEW],
  requires: { version_num: 150_000, relation: VIEW, functions: ['pg_catalog.pg_ident_file_mappings()'] },
  grants: [
    'select on pg_catalog.pg_ident_file_mappings',
    'execute on function pg_catalog.pg_ident_file_mappings()',
  ],
  columns: [
    {
      name: 'map_number',
      type: 'integer',
      kind: 'key',
      description: 'Order of the mappings; null for a line with an error.',
    },
    ...plain,
  ],
  caps: { maxRows: 5000, maxBytes: 4 * 1024 * 1024, maxText: 2048 },
  sql: (capabilities) => `select
  case
    when s.error is null
    then pg_catalog.row_number() over (
      partition by s.error is null
      order by ${capabilities.columns.get(VIEW)?.has('map_number') ? 's.map_number' : 's.line_number'}
    )
  end::integer as map_number,
${viewColumns(capabilities, { view: VIEW, alias: 's' }, plain)}
from ${VIEW} s`,
});
