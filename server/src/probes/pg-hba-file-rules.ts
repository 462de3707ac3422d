// The rules of pg_hba.conf as the server reads them, with their history. Guards: secrets in options are masked before
// they leave the server. A rule is known by its number, a line with an error by that error.
import { defineProbe } from './types.ts';
import { labels, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_hba_file_rules';
const MASK = '********';

const plain = [
  ...labels([['file_name', 'File (16+).']]),
  { name: 'line_number', type: 'integer', kind: 'label', description: 'Line.' },
  ...labels([['type', 'local, host, hostssl, hostnossl, hostgssenc, hostnogssenc.']]),
  { name: 'database', type: 'text[]', kind: 'label', description: 'Databases it applies to.' },
  { name: 'user_name', type: 'text[]', kind: 'label', description: 'Roles it applies to.' },
  ...labels([
    ['address', 'Host or network; null for local.'],
    ['netmask', 'Mask of the network.'],
    ['auth_method', 'How clients sign in.'],
  ]),
  {
    name: 'error',
    type: 'text',
    kind: 'key',
    description: 'Why the line is not understood; null when it is.',
  },
] as const;

export const probe = defineProbe({
  name: 'pg_hba_file_rules',
  description: 'Rules of pg_hba.conf, as they are in the files.',
  level: 'S',
  intervalSeconds: 3600,
  retentionDays: 365,
  keeps: 'change-tracked',
  views: [VIEW],
  requires: { relation: VIEW, functions: ['pg_catalog.pg_hba_file_rules()'] },
  grants: ['select on pg_catalog.pg_hba_file_rules', 'execute on function pg_catalog.pg_hba_file_rules()'],
  columns: [
    {
      name: 'rule_number',
      type: 'integer',
      kind: 'key',
      description: 'Order in which rules are tried; null for a line with an error.',
    },
    ...plain,
    { name: 'options', type: 'text[]', kind: 'label', description: 'Options; secrets are masked.' },
  ],
  caps: { maxRows: 2000, maxBytes: 4 * 1024 * 1024, maxText: 2048 },
  sql: (capabilities) => `select
  case
    when s.error is null
    then pg_catalog.row_number() over (
      partition by s.error is null
      order by ${capabilities.columns.get(VIEW)?.has('rule_number') ? 's.rule_number' : 's.line_number'}
    )
  end::integer as rule_number,
${viewColumns(capabilities, { view: VIEW, alias: 's' }, plain)},
  case
    when s.options is not null
    then array(
      select pg_catalog.regexp_replace(o.option, '^(ldapbindpasswd|radiussecrets)=.*$', '\\1=${MASK}')
      from pg_catalog.unnest(s.options) with ordinality as o (option, position)
      order by o.position
    )
  end as options
from ${VIEW} s`,
});
