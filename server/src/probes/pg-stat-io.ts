// Reads and writes by kind of process, object and context, and the small caches as backend_type slru. Guards: bytes
// mean the same everywhere; before 18 they are operations times their fixed size. A server before 16 has no such view,
// and the small caches alone would look like all of its reads and writes.
import { type Capabilities, type Column, defineProbe } from './types.ts';
import { counters, millisecondCounters, times, viewColumns } from './view-columns.ts';

const VIEW = 'pg_catalog.pg_stat_io';

const keys = [
  {
    name: 'backend_type',
    type: 'text',
    kind: 'key',
    description: 'Kind of process; slru for the small caches.',
  },
  {
    name: 'object',
    type: 'text',
    kind: 'key',
    description: 'relation, temp relation, wal, or the name of a cache.',
  },
  { name: 'context', type: 'text', kind: 'key', description: 'normal, vacuum, bulkread, bulkwrite, init.' },
] as const;

const operations: readonly Column[] = [
  ...counters('count', [
    ['reads', 'Read operations.'],
    ['writes', 'Write operations.'],
    ['writebacks', 'Blocks that the kernel was asked to write out.'],
    ['extends', 'Extensions of relations.'],
    ['hits', 'Blocks found in shared buffers.'],
    ['evictions', 'Blocks thrown out to make room.'],
    ['reuses', 'Blocks of a ring used again.'],
    ['fsyncs', 'Calls of fsync, to make what was written durable.'],
  ]),
  ...millisecondCounters([
    ['read_time', 'Time of reads; 0 while its timing is off.'],
    ['write_time', 'Time spent in write operations; 0 while its timing is off.'],
    ['writeback_time', 'Time of asking for write-out.'],
    ['extend_time', 'Time of extensions.'],
    ['fsync_time', 'Time of fsync calls.'],
  ]),
];
const reset = times([['stats_reset', 'Last reset of these statistics.']]);

const bytes = counters('bytes', [
  ['read_bytes', 'Bytes read.'],
  ['write_bytes', 'Bytes written.'],
  ['extend_bytes', 'Bytes that relations were extended by.'],
]);

const slru = [
  ...counters('blocks', [
    ['blks_zeroed', 'Pages of a small cache zeroed.'],
    ['blks_exists', 'Pages of a small cache looked for on disk.'],
  ]),
  ...counters('count', [
    ['flushes', 'Flushes of a small cache.'],
    ['truncates', 'Truncations of a small cache.'],
  ]),
];

const NAMES = [
  ['CommitTs', 'commit_timestamp'],
  ['MultiXactMember', 'multixact_member'],
  ['MultiXactOffset', 'multixact_offset'],
  ['Notify', 'notify'],
  ['Serial', 'serializable'],
  ['Subtrans', 'subtransaction'],
  ['Xact', 'transaction'],
] as const;

const FROM_SLRU: Readonly<Record<string, string>> = {
  reads: 's.blks_read',
  writes: 's.blks_written',
  hits: 's.blks_hit',
  read_bytes: 's.blks_read * b.size',
  write_bytes: 's.blks_written * b.size',
};

const caches = () => `select
  'slru' as backend_type,
  case s.name
${NAMES.map(([old, now]) => `    when '${old}' then '${now}'`).join('\n')}
    else s.name
  end as object,
  'normal' as context,
${[...operations, ...bytes].map(({ name, type }) => `  (${FROM_SLRU[name] ?? 'null'})::${type} as ${name}`).join(',\n')},
  s.stats_reset as stats_reset,
${slru.map(({ name, type }) => `  s.${name}::${type} as ${name}`).join(',\n')}
from pg_catalog.pg_stat_slru s
cross join (select pg_catalog.current_setting('block_size')::bigint as size) b`;

function processes(capabilities: Capabilities): string {
  const has = (name: string) => capabilities.columns.get(VIEW)?.has(name) ?? false;
  const bytesOf = ({ name }: Column) => {
    const operation = name.replace('_bytes', 's');
    return `  ${has(name) ? `s.${name}` : `(s.${operation} * s.op_bytes)`}::bigint as ${name}`;
  };
  return `select
${viewColumns(capabilities, { view: VIEW, alias: 's' }, keys)},
${viewColumns(capabilities, { view: VIEW, alias: 's' }, operations)},
${bytes.map(bytesOf).join(',\n')},
  s.stats_reset as stats_reset,
${slru.map(({ name, type }) => `  null::${type} as ${name}`).join(',\n')}
from ${VIEW} s`;
}

export const probe = defineProbe({
  name: 'pg_stat_io',
  description: 'Input and output by kind of process, and the small caches.',
  level: 'S',
  intervalSeconds: 900,
  retentionDays: 7,
  keeps: 'samples',
  views: [VIEW],
  requires: { version_num: 160_000 },
  settings: ['track_io_timing'],
  columns: [...keys, ...operations, ...bytes, ...reset, ...slru],
  caps: { maxRows: 500, maxText: 255, timeoutMs: 5000 },
  sql: (capabilities) => `${processes(capabilities)}\nunion all\n${caches()}`,
});
