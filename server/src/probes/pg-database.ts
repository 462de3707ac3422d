// All databases of the server, templates included. A size our role may not see is null and never fails the rest:
// pg_database_size wants CONNECT on that database, or pg_read_all_stats.
import { type Capabilities, columnOrNull, defineProbe, hasColumn } from './types.ts';
import { counts, flags, gauges, labels } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_database';

// The right is null of what has been dropped since the list was read, and asking for its size is an error.
const sizeOf = (oid: string) => `case
    when pg_catalog.has_database_privilege(${oid}, 'connect') is null then null
    when pg_catalog.has_database_privilege(${oid}, 'connect')
      or pg_catalog.pg_has_role('pg_read_all_stats', 'usage')
    then pg_catalog.pg_database_size(${oid})
  end`;

function databases(capabilities: Capabilities, size: string): string {
  const column = (name: string) => columnOrNull(capabilities, { view: VIEW, alias: 'd', name, type: 'text' });
  const locale = capabilities.columns.get(VIEW)?.has('datlocale') ? 'datlocale' : 'daticulocale';
  return `select
  d.datname::text as datname,
  d.oid::bigint as oid,
  pg_catalog.pg_get_userbyid(d.datdba)::text as datdba,
  pg_catalog.pg_encoding_to_char(d.encoding)::text as encoding,
  case ${column('datlocprovider')}::text
    when 'c' then 'libc'
    when 'i' then 'icu'
    when 'b' then 'builtin'
  end as datlocprovider,
  d.datcollate::text as datcollate,
  d.datctype::text as datctype,
  ${column(locale)} as datlocale,
  ${column('daticurules')} as daticurules,
  ${column('datcollversion')} as datcollversion,
  ${
    hasColumn(capabilities, VIEW, 'datcollversion')
      ? 'd.datcollversion <> pg_catalog.pg_database_collation_actual_version(d.oid)'
      : 'null::boolean'
  } as collation_differs,
  d.datistemplate as datistemplate,
  d.datallowconn as datallowconn,
  d.datconnlimit as datconnlimit,
  ${columnOrNull(capabilities, { view: VIEW, alias: 'd', name: 'dathasloginevt', type: 'boolean' })} as dathasloginevt,
  d.datfrozenxid::text::bigint as datfrozenxid,
  d.datminmxid::text::bigint as datminmxid,
  t.spcname::text as dattablespace,
  d.datacl::text[] as datacl,
  pg_catalog.age(d.datfrozenxid)::bigint as age_datfrozenxid,
  pg_catalog.mxid_age(d.datminmxid)::bigint as age_datminmxid,
  ${size} as database_size_bytes
from pg_catalog.pg_database d
left join pg_catalog.pg_tablespace t on t.oid = d.dattablespace
order by d.datname`;
}

export const probe = defineProbe({
  name: 'pg_database',
  description: 'Databases with owner, encoding, limits, age and size.',
  level: 'S',
  intervalSeconds: 300,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'database_size_bytes' },
  views: [VIEW],
  columns: [
    { name: 'datname', type: 'text', kind: 'key', description: 'Name.', oid: 'oid' },
    {
      name: 'oid',
      type: 'bigint',
      kind: 'label',
      description: 'Object id; stays when the database is renamed.',
    },
    ...labels([
      ['datdba', 'Role that owns it.'],
      ['encoding', "The server's name of it, e.g. UTF8."],
      ['datlocprovider', 'libc, icu or builtin (15+).'],
      ['datcollate', 'LC_COLLATE.'],
      ['datctype', 'LC_CTYPE.'],
      ['datlocale', 'Locale of the provider (15+).'],
      ['daticurules', 'Own rules of an ICU locale (16+).'],
      ['datcollversion', 'Collation version at creation (15+).'],
    ]),
    ...flags([
      ['collation_differs', 'The collation of the server has another version than at creation (15+).'],
      ['datistemplate', 'A template for new databases.'],
      ['datallowconn', 'False: no connections are allowed.'],
    ]),
    ...counts([['datconnlimit', 'Most sessions; -1 none, -2 an interrupted drop.']]),
    ...flags([['dathasloginevt', 'Has login event triggers (17+).']]),
    {
      name: 'datfrozenxid',
      type: 'bigint',
      kind: 'label',
      description: 'Transactions before it are frozen.',
    },
    { name: 'datminmxid', type: 'bigint', kind: 'label', description: 'Multixacts before it are gone.' },
    { name: 'dattablespace', type: 'text', kind: 'label', description: 'Default tablespace.' },
    { name: 'datacl', type: 'text[]', kind: 'label', description: 'Who may do what; null: the defaults.' },
    ...gauges('transactions', [
      ['age_datfrozenxid', 'Transactions since the oldest unfrozen one.'],
      ['age_datminmxid', 'Multixacts since the oldest one.'],
    ]),
    ...gauges('bytes', [['database_size_bytes', 'All files; null where our role may not know it.']]),
  ],
  metrics: [
    {
      name: 'age_percent',
      wireName: 'age_percent',
      unit: 'percent',
      description: 'Age of the oldest unfrozen transaction, of the 2,147,483,647 there can be.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'ratio of gauges', of: ['age_datfrozenxid'], to: 2_147_483_647, scale: 100 },
    },
    {
      name: 'collation_mismatch',
      unit: '',
      description: '1 when the collation of the server has another version than at creation.',
      combine: 'max',
      worse: 'more',
      value: { kind: 'rows', where: [{ column: 'collation_differs', in: [true] }] },
    },
  ],
  caps: { maxRows: 10_000, maxText: 1024, timeoutMs: 15_000 },
  sql: (capabilities) => databases(capabilities, sizeOf('d.oid')),
  sized: {
    id: 'd.oid',
    list: 'select d.oid::text as id from pg_catalog.pg_database d order by d.oid',
    one: `select (${sizeOf('$1::oid')})::text as size`,
    sql: databases,
  },
});
