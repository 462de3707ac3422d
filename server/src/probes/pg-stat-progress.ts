// Everything that says how far it is: vacuum, analyze, create index, cluster, base backup, copy. One row for each
// running command; what only one kind knows stands in `details`, under its view's own names.
import { type Capabilities, defineProbe } from './types.ts';
import { gauges, labels, percentages, times } from './view-columns.ts';

interface Kind {
  readonly view: string;
  /** What it is called, as an expression over `p`. */
  readonly command: string;
  readonly unit: 'blocks' | 'bytes' | 'tuples';
  readonly done: string;
  readonly total: string;
  /** Columns that all versions have. */
  readonly relid?: string;
}

const REPACK = 'pg_stat_progress_repack';
const CLUSTER = 'pg_stat_progress_cluster';

/** Of the phase that runs now, where a command has several. */
const KINDS: readonly Kind[] = [
  {
    view: 'pg_stat_progress_vacuum',
    command: `'VACUUM'`,
    unit: 'blocks',
    done: 'p.heap_blks_scanned',
    total: 'p.heap_blks_total',
    relid: 'p.relid',
  },
  {
    view: 'pg_stat_progress_analyze',
    command: `'ANALYZE'`,
    unit: 'blocks',
    done: 'p.sample_blks_scanned',
    total: 'p.sample_blks_total',
    relid: 'p.relid',
  },
  {
    view: 'pg_stat_progress_create_index',
    command: 'p.command',
    unit: 'blocks',
    done: 'p.blocks_done',
    total: 'p.blocks_total',
    relid: 'p.relid',
  },
  {
    view: CLUSTER,
    command: 'p.command',
    unit: 'blocks',
    done: 'p.heap_blks_scanned',
    total: 'p.heap_blks_total',
    relid: 'p.relid',
  },
  // Of 19, where pg_stat_progress_cluster shows the same and calls it by the names of before.
  {
    view: REPACK,
    command: 'p.command',
    unit: 'blocks',
    done: 'p.heap_blks_scanned',
    total: 'p.heap_blks_total',
    relid: 'p.relid',
  },
  // Of betas of 19, taken back before 19.0; read where a server has it.
  {
    view: 'pg_stat_progress_data_checksums',
    command: `'DATA CHECKSUMS'`,
    unit: 'blocks',
    done: 'p.blocks_done',
    total: 'p.blocks_total',
  },
  {
    view: 'pg_stat_progress_basebackup',
    command: `'BASE BACKUP'`,
    unit: 'bytes',
    done: 'p.backup_streamed',
    total: 'p.backup_total',
  },
  {
    view: 'pg_stat_progress_copy',
    command: 'p.command',
    unit: 'bytes',
    done: 'p.bytes_processed',
    total: 'p.bytes_total',
    relid: 'p.relid',
  },
];

const viewOf = ({ view }: Kind) => `pg_catalog.${view}`;

const select = (kind: Kind) => `select
    ${kind.command} as command,
    p.pid,
    ${kind.relid ?? 'null'}::bigint as relid,
    ${kind.view === 'pg_stat_progress_copy' ? 'p.type' : 'p.phase'} as phase,
    '${kind.unit}' as unit,
    ${kind.done}::bigint as done,
    nullif(${kind.total}, 0)::bigint as total,
    pg_catalog.to_jsonb(p.*) as details
  from ${viewOf(kind)} p`;

const NOTHING = `select
    null::text as command,
    null::integer as pid,
    null::bigint as relid,
    null::text as phase,
    null::text as unit,
    null::bigint as done,
    null::bigint as total,
    null::jsonb as details
  where false`;

const kindsOn = ({ columns }: Capabilities) =>
  KINDS.filter(
    (kind) =>
      columns.has(viewOf(kind)) && !(kind.view === CLUSTER && columns.has(viewOf({ ...kind, view: REPACK }))),
  );

export const probe = defineProbe({
  name: 'pg_stat_progress',
  description: 'Progress of running commands.',
  level: 'S',
  intervalSeconds: 10,
  retentionDays: 7,
  keeps: 'samples',
  hidden: { without: 'pg_read_all_stats', column: 'phase' },
  views: KINDS.map(viewOf),
  columns: [
    {
      name: 'command',
      type: 'text',
      kind: 'key',
      description: 'VACUUM, ANALYZE, CREATE INDEX, REPACK, COPY FROM, …',
    },
    { name: 'pid', type: 'integer', kind: 'key', description: 'Process.' },
    ...labels([
      ['datname', 'Database.'],
      ['usename', 'Role; null for autovacuum.'],
      ['backend_type', 'autovacuum worker or client backend.'],
    ]),
    { name: 'relid', type: 'bigint', kind: 'label', description: 'Object id of the table; null where none.' },
    ...labels([
      ['relation_name', "Schema and table; null outside the connection's own database."],
      ['phase', 'What it does now; of COPY where data comes from.'],
      ['unit', 'What done and total count: blocks, bytes.'],
    ]),
    ...gauges('count', [
      ['done', 'Done so far, in this phase.'],
      ['total', 'To be done in this phase; null while unknown.'],
    ]),
    ...percentages([['percent', 'Share that is done.']]),
    ...times([['started_at', 'When the statement began.']]),
    { name: 'details', type: 'jsonb', kind: 'label', description: "All columns of the command's own view." },
  ],
  caps: { maxRows: 200, maxBytes: 1024 * 1024, maxText: 1024, timeoutMs: 5000 },
  sql: (capabilities) => `select
  s.command,
  s.pid,
  d.datname::text as datname,
  case when a.usesysid <> 0 then pg_catalog.pg_get_userbyid(a.usesysid)::text end as usename,
  a.backend_type,
  s.relid,
  case
    when d.datname = pg_catalog.current_database()
    then (
      select n.nspname || '.' || c.relname
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.oid = s.relid
    )
  end as relation_name,
  s.phase,
  s.unit,
  s.done,
  s.total,
  case when s.total is not null then least(100, 100.0 * s.done / s.total) end::double precision as percent,
  coalesce(a.query_start, a.xact_start) as started_at,
  s.details
from (
  ${kindsOn(capabilities).map(select).join('\n  union all\n  ') || NOTHING}
) s
left join lateral pg_catalog.pg_stat_get_activity(s.pid) a on true
left join pg_catalog.pg_database d on d.oid = a.datid`,
});
