// The metrics that rules judge exist under exactly their names, and every declaration names columns that are there.
import { expect, it } from 'vitest';
import { probes } from './catalog.gen.ts';
import type { MetricValue } from './metric-types.ts';
import { metricOf, metricsOf, numberColumns } from './metrics.ts';
import type { Probe } from './types.ts';

const RULES = [
  'age_percent',
  'connection_utilization_percent',
  'pg_node_role.subscription_worker_down',
  'pg_replication_slots.inactive',
  'pg_replication_slots.max_retained_bytes',
  'pg_settings.max_connections',
  'pg_stat_activity.blocked_count',
  'pg_stat_activity.count',
  'pg_stat_activity.idle_in_transaction_seconds',
  'pg_stat_activity.max_lock_wait_seconds',
  'pg_stat_activity.max_query_duration_seconds',
  'pg_stat_activity.max_xact_duration_seconds',
  'pg_stat_all_tables.dead_tuple_percent',
  'pg_stat_archiver.failed_count_delta',
  'pg_stat_checkpointer.checkpoints_req_delta',
  'pg_stat_database.cache_hit_ratio',
  'pg_stat_database.deadlocks_delta',
  'pg_stat_database.temp_files_delta',
  'pg_stat_replication.lag_bytes',
  'pg_stat_replication.standby_disconnected',
  'pg_stat_statements.slow_query_count',
  'pg_sys_cpu_usage_info.processor_time_percent',
  'pg_sys_disk_info.used_percent',
  'pg_sys_load_avg_info.load_per_cpu',
  'pg_sys_memory_info.used_percent',
  'probe_staleness_ratio',
  'spock_exception_log.recent_count',
  'spock_resolutions.recent_count',
  'table_bloat_ratio',
  'table_last_autovacuum_hours',
];

const all = probes.flatMap((probe) => metricsOf(probe).map((metric) => ({ probe, metric })));

it.each(RULES)('%s is a metric of exactly one probe', (name) => {
  expect(all.filter(({ metric }) => metric.wireName === name)).toHaveLength(1);
});

it('a name means one thing, within a probe and as rules name it', () => {
  for (const probe of probes) {
    const names = metricsOf(probe).map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  }
  const wireNames = all.map(({ metric }) => metric.wireName);
  expect(wireNames.filter((name, index) => wireNames.indexOf(name) !== index)).toEqual([]);
});

it('every gauge and counter is a metric, and every counter has its rate', () => {
  for (const probe of probes)
    for (const { name, kind } of numberColumns(probe)) {
      expect(metricOf(probe, name)?.value.kind).toBe(kind === 'counter' ? 'increase' : 'gauge');
      expect(metricOf(probe, `${name}_per_sec`)?.unit.endsWith('/s') ?? false).toBe(kind === 'counter');
    }
});

it('units are those of the wire', () => {
  const units = new Set(all.map(({ metric }) => metric.unit.replace(/\/s$/, '')));
  expect(
    [...units].filter((unit) => !/^(|bytes|ms|seconds|days|percent|count|blocks|rows)$/.test(unit)),
  ).toEqual([]);
});

/** Columns that a declaration reads, by what they have to be. */
function namedBy(value: MetricValue): { counters: string[]; gauges: string[]; any: string[] } {
  const conditions = 'where' in value ? (value.where ?? []) : [];
  const simple = conditions.flatMap((one) => ('either' in one ? one.either : [one]));
  const any = simple.flatMap((one) => {
    if ('either' in one) return [];
    return 'lessThan' in one ? [one.column, one.lessThan] : [one.column];
  });
  const none = { counters: [], gauges: [], any };
  switch (value.kind) {
    case 'gauge':
      return value.where ? { ...none, any: [...any, value.column] } : { ...none, gauges: [value.column] };
    case 'increase':
    case 'rate':
      return { ...none, counters: [value.column] };
    case 'ratio of increases':
      return { ...none, counters: [...value.of, ...value.to] };
    case 'objects above':
    case 'times before':
      return { ...none, counters: [...value.ratio.of, ...value.ratio.to] };
    case 'ratio of gauges':
      return { ...none, gauges: [...value.of, ...(typeof value.to === 'number' ? [] : value.to)] };
    case 'hours above':
      return { ...none, gauges: value.pairs.flat() };
    case 'age':
      return { ...none, any: [...any, value.since] };
    default:
      return none;
  }
}

const columnsOf = (probe: Probe, kind?: string) =>
  probe.columns.filter((column) => kind === undefined || column.kind === kind).map(({ name }) => name);

it('declarations name columns that are there, of the right kind', () => {
  for (const { probe, metric } of all) {
    const { counters, gauges, any } = namedBy(metric.value);
    expect(columnsOf(probe, 'counter'), metric.wireName).toEqual(expect.arrayContaining(counters));
    expect(columnsOf(probe, 'gauge'), metric.wireName).toEqual(expect.arrayContaining(gauges));
    expect(columnsOf(probe), metric.wireName).toEqual(expect.arrayContaining(any));
    if (metric.value.kind !== 'share') continue;
    const { of, limit } = metric.value;
    expect(metricOf(probe, of)).toBeDefined();
    const other = probes.find(({ name }) => name === limit.probe);
    expect(other && columnsOf(other)).toContain(limit.column);
  }
});
