// How far sequences and the integer columns they feed have got. Guards: the last value of a sequence is read under a
// lock that lasts to the end of the statement, so one that somebody else has locked against that is left unknown, and
// no more are read than the server's table of locks takes easily, those that can run out first.
import { MOST_OBJECTS, UNWATCHED } from './most-important.ts';
import { defineProbe } from './types.ts';
import { gauges, labels } from './view-columns.ts';

/** Sequences read in one statement: a small part of the locks that the server has room for. */
const MOST = `least(
    2000,
    pg_catalog.current_setting('max_locks_per_transaction')::bigint
      * pg_catalog.current_setting('max_connections')::bigint / 8
  )`;

const percent = (name: string, description: string) =>
  ({ name, type: 'double precision', kind: 'gauge', unit: 'percent', description }) as const;

export const probe = defineProbe({
  name: 'pg_sequence_usage',
  description: 'Sequences and integer keys: how much of their range is used up.',
  level: 'D',
  intervalSeconds: 3600,
  guardSeconds: 14400,
  retentionDays: 30,
  keeps: 'objects',
  columns: [
    { name: 'seqrelid', type: 'bigint', kind: 'key', description: 'Object id of the sequence.' },
    ...labels([
      ['schemaname', 'Schema.'],
      ['sequencename', 'Sequence.'],
      ['data_type', 'Type of the sequence.'],
      ['table_schema', 'Schema of the table whose column it feeds; null when none is known.'],
      ['table_name', 'That table.'],
      ['column_name', 'That column.'],
      ['column_type', 'Type of the column.'],
    ]),
    { name: 'is_readable', type: 'boolean', kind: 'label', description: 'Our role may read its last value.' },
    { name: 'cycles', type: 'boolean', kind: 'label', description: 'Begins anew at its end.' },
    { name: 'increment_by', type: 'bigint', kind: 'label', description: 'Step; negative runs down.' },
    { name: 'min_value', type: 'bigint', kind: 'label', description: 'Smallest value.' },
    { name: 'max_value', type: 'bigint', kind: 'label', description: 'Largest value.' },
    ...gauges('count', [
      ['last_value', 'Last one given out; null when none was, it is locked or our role may not read it.'],
    ]),
    percent('used_percent', 'Share of the range of the sequence.'),
    percent('column_used_percent', 'Share of the range of the column; null for types without one.'),
    {
      ...percent('exhausted_percent', 'The higher of both; null for a sequence that begins anew at its end.'),
      combine: 'max',
    },
  ],
  unreadable: { objects: 'sequences', column: 'is_readable', schema: 'schemaname' },
  metrics: [
    {
      name: 'days_left',
      unit: 'days',
      description:
        'Until the sequence, or the column that it feeds, has no number left, as they are taken now.',
      combine: 'min',
      worse: 'less',
      value: { kind: 'days left', of: 'sequence' },
    },
  ],
  unwatched: { objects: 'sequences', by: 'how small the numbers of their columns are', shares: [] },
  caps: { maxRows: MOST_OBJECTS, maxText: 256, timeoutMs: 15_000 },
  sql: () => `with locked as materialized (
  select l.relation
  from pg_catalog.pg_locks l
  where l.locktype = 'relation'
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())
    and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
), ranked as (
  select
    q.*,
    f.table_oid,
    a.attname,
    a.atttypid,
    pg_catalog.row_number() over (
      order by q.seqmax < 9223372036854775807 or a.atttypid in (21, 23) desc nulls last, q.seqrelid
    ) as place
  from pg_catalog.pg_sequence q
  left join (
    -- A sequence belongs to its column, or the default of one takes its numbers.
    select distinct on (d.sequence_oid) d.sequence_oid, d.table_oid, d.column_number
    from (
      select
        case when a.oid is null then d.objid else d.refobjid end as sequence_oid,
        case when a.oid is null then d.refobjid else a.adrelid end as table_oid,
        case when a.oid is null then d.refobjsubid else a.adnum end as column_number,
        a.oid is not null as is_default
      from pg_catalog.pg_depend d
      left join pg_catalog.pg_attrdef a on a.oid = d.objid and d.classid = 'pg_catalog.pg_attrdef'::regclass
      where d.refclassid = 'pg_catalog.pg_class'::regclass
        and (
          a.oid is not null
          or d.classid = 'pg_catalog.pg_class'::regclass and d.deptype in ('a', 'i') and d.refobjsubid > 0
        )
    ) d
    order by d.sequence_oid, d.is_default, d.table_oid, d.column_number
  ) f on f.sequence_oid = q.seqrelid
  left join pg_catalog.pg_attribute a on a.attrelid = f.table_oid and a.attnum = f.column_number
), position as materialized (
  select
    r.*,
    c.relname,
    n.nspname,
    t.relname as table_name,
    tn.nspname as table_schema,
    pg_catalog.has_sequence_privilege(c.oid, 'select,usage') as is_readable,
    pg_catalog.count(*) over () as total,
    pg_catalog.count(*) filter (where r.place <= ${MOST}) over () as watched,
    case
      when r.place <= ${MOST}
        and pg_catalog.has_sequence_privilege(c.oid, 'select,usage')
        and not (c.relpersistence = 'u' and pg_catalog.pg_is_in_recovery())
        and not exists (select from locked l where l.relation = c.oid)
      then pg_catalog.pg_sequence_last_value(c.oid)
    end as last_value
  from ranked r
  join pg_catalog.pg_class c on c.oid = r.seqrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_class t on t.oid = r.table_oid
  left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
  where c.relpersistence <> 't'
)
select
  u.seqrelid::bigint as seqrelid,
  u.nspname::text as schemaname,
  u.relname::text as sequencename,
  pg_catalog.format_type(u.seqtypid, null) as data_type,
  u.table_schema::text as table_schema,
  u.table_name::text as table_name,
  u.attname::text as column_name,
  pg_catalog.format_type(u.atttypid, null) as column_type,
  u.is_readable,
  u.seqcycle as cycles,
  u.seqincrement as increment_by,
  u.seqmin as min_value,
  u.seqmax as max_value,
  u.last_value as last_value,
  u.used_percent,
  u.column_used_percent,
  case when not u.seqcycle then greatest(u.used_percent, u.column_used_percent) end as exhausted_percent,
  case
    when u.watched < u.total then pg_catalog.json_build_array(u.total, u.watched)::text
  end as ${UNWATCHED}
from (
  select
    p.*,
    case
      when p.seqincrement > 0
      then 100 * (p.last_value::float8 - p.seqmin) / nullif(p.seqmax::float8 - p.seqmin, 0)
      else 100 * (p.seqmax - p.last_value::float8) / nullif(p.seqmax::float8 - p.seqmin, 0)
    end as used_percent,
    case
      when p.seqincrement > 0 and p.last_value is not null
      then 100 * greatest(p.last_value, 0)::float8 / case p.atttypid::int4
        when 21 then 32767
        when 23 then 2147483647
        when 20 then 9223372036854775807
      end
    end as column_used_percent
  from position p
  order by used_percent desc nulls last, p.seqrelid
) u`,
});
