// The statements of copying a store into another datastore. Guards: progress is noted in the target, in a schema of its
// own, in the transaction that writes what it tells of; checksums do not depend on the order of rows, and both sides
// name their columns in the same order.
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts';

/** A table as the source has it. */
export interface SourceTable {
  schema: 'matriarch' | 'metrics';
  name: string;
  /** [name, type, not null], in order. */
  columns: [string, string, boolean][];
  /** Of its primary key, in order. */
  key: string[];
  /** Tables of the same schema that its rows refer to. */
  parents: string[];
  /** Of our own; those of an engine are left alone. */
  has_triggers: boolean;
}

/** All of a table, or what of it lies between two moments (ms since the epoch). */
export interface Part {
  table: SourceTable;
  from?: number;
  to?: number;
}

export const identity = sql`
  /* copy.identity */
  select c.system_identifier::text || ' ' || current_database() as id
  from pg_catalog.pg_control_system() c`;

export const has = (relation: string): Sql => sql`
  /* copy.has */
  select to_regclass(${relation}::text) is not null as is_there`;

export const inUse = sql`
  /* copy.in_use */
  select exists (select 1 from matriarch.collectors c where c.expires_at > now())
    or exists (select 1 from matriarch.connection_leases l where l.expires_at > now()) as in_use`;

export const holdsOthers = sql`
  /* copy.holds_others */
  select exists (select 1 from matriarch.users)
    or exists (select 1 from matriarch.connections)
    or exists (select 1 from matriarch.metric_tables) as holds_others`;

export const PROGRESS: readonly Sql[] = [
  sql`/* copy.schema */ create schema if not exists matriarch_copy`,
  sql`
    /* copy.run_table */
    create table if not exists matriarch_copy.run (
      is_only boolean primary key default true check (is_only),
      source text not null,
      finished_at timestamptz
    )`,
  sql`
    /* copy.parts_table */
    create table if not exists matriarch_copy.parts (
      name text primary key,
      rows bigint not null,
      checksum text not null,
      copied_at timestamptz not null default now()
    )`,
];

export const beginRun = (source: string): Sql => sql`
  /* copy.begin */
  insert into matriarch_copy.run (source) values (${source}) on conflict do nothing`;

/** Of whom the target is a copy. */
export interface CopyRun {
  source: string;
  is_finished: boolean;
}

export const readRun = sql`
  /* copy.run */
  select source, finished_at is not null as is_finished from matriarch_copy.run`;

export const finishRun = sql`
  /* copy.finish */
  update matriarch_copy.run set finished_at = now() where finished_at is null`;

/** One copy at a time; the next one finds what this one noted. */
export const LOCK_PART = '/* copy.lock */ select pg_advisory_xact_lock(7264930)';
export const PART_IS_DONE = '/* copy.is_done */ select 1 from matriarch_copy.parts where name = $1';
export const NOTE_PART =
  '/* copy.note */ insert into matriarch_copy.parts (name, rows, checksum) values ($1, $2, $3)';

/** Tables with rows of their own; partitions and the tables of extensions are not among them. */
export const sourceTables = sql`
  /* copy.tables */
  select
    n.nspname as schema,
    c.relname as name,
    (
      select jsonb_agg(
        jsonb_build_array(a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull) order by a.attnum
      )
      from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns,
    coalesce((
      select jsonb_agg(a.attname order by k.position)
      from pg_catalog.pg_index i
      cross join lateral unnest(i.indkey::smallint[]) with ordinality as k (attnum, position)
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary
    ), '[]') as key,
    coalesce((
      select jsonb_agg(distinct p.relname)
      from pg_catalog.pg_constraint f
      join pg_catalog.pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
    ), '[]') as parents,
    n.nspname = 'matriarch' and exists (
      select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
    ) as has_triggers
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('matriarch', 'metrics')
    and c.relkind in ('r', 'p')
    and not c.relispartition
    and (n.nspname, c.relname) <> ('matriarch', 'migrations')
    and not exists (
      select 1
      from pg_catalog.pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
  order by 1, 2`;

/** Tables of samples, ticks, packed hours and rollups: what the engine has made. */
export const enginesTables = sql`
  /* copy.engines_tables */
  select table_name as name from matriarch.metric_tables
  union
  select table_name from matriarch.tier_tables`;

export const sequences = sql`
  /* copy.sequences */
  select sequencename as name, last_value::text as last_value
  from pg_catalog.pg_sequences
  where schemaname = 'matriarch' and last_value is not null`;

export const setSequence = (name: string, value: string): Sql => sql`
  /* copy.set_sequence */
  select setval(format('matriarch.%I', ${name}::text)::regclass, ${value}::text::bigint)`;

const qualifiedName = ({ schema, name }: SourceTable): Sql => sql`${identifier(schema)}.${identifier(name)}`;
const columnsOf = ({ columns }: SourceTable): Sql =>
  join(
    columns.map(([name]) => identifier(name)),
    sql`, `,
  );

/** A moment as part of the text, since COPY takes no parameters. */
function moment(ms: number): Sql {
  const text = `'${new Date(ms).toISOString()}'::timestamptz`;
  return sql(Object.assign([text], { raw: [text] }));
}

const within = ({ from, to }: Part): Sql =>
  from === undefined || to === undefined
    ? sql``
    : sql`where collected_at >= ${moment(from)} and collected_at < ${moment(to)}`;

export const copyOut = (part: Part): Sql => sql`
  /* copy.out */
  copy (select ${columnsOf(part.table)} from ${qualifiedName(part.table)} ${within(part)}) to stdout`;

export const copyInto = ({ table }: Part): Sql => sql`
  /* copy.into */
  copy ${qualifiedName(table)} (${columnsOf(table)}) from stdin`;

export const clearPart = (part: Part): Sql => sql`
  /* copy.clear */
  delete from ${qualifiedName(part.table)} ${within(part)}`;

/** What our own triggers guard is copied as it is. */
export const triggers = ({ table }: Part, how: 'enable' | 'disable'): Sql => sql`
  /* copy.triggers */
  alter table ${qualifiedName(table)} ${how === 'enable' ? sql`enable` : sql`disable`} trigger user`;

export const sumOf = (part: Part): Sql => sql`
  /* copy.sum */
  select
    count(*)::text as rows,
    coalesce(sum(hashtextextended(row(${columnsOf(part.table)})::text, 0)), 0)::text as checksum
  from ${qualifiedName(part.table)} ${within(part)}`;
