// The machine under a server over a window of time: processors, memory, disks and network, what its volumes hold, and
// which processes are busiest.
import { volumePercent } from '../../../lib/format.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import type { ActivitySource } from '../activity/activity-charts.ts';
import { ServerHistory } from '../activity/server-history.tsx';
import { SourceCharts } from '../activity/source-charts.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { HostSources } from '../coverage/coverage-view.tsx';
import { useCoverage } from '../coverage/use-coverage.ts';
import { NewestRows } from '../objects/newest-rows.tsx';
import { numberOf, type Row, textOf } from '../objects/rows.ts';
import classes from './system.module.css';

const SOURCES: readonly ActivitySource[] = [
  {
    probe: 'pg_sys_cpu_usage_info',
    charts: [
      {
        title: 'CPU',
        metrics: [
          'processor_time_percent',
          'user_time_percent',
          'privileged_time_percent',
          'io_completion_percent',
        ],
      },
    ],
  },
  {
    probe: 'pg_sys_load_avg_info',
    charts: [
      {
        title: 'Load average',
        metrics: ['load_avg_one_minute', 'load_avg_five_minutes', 'load_avg_fifteen_minutes'],
      },
    ],
  },
  {
    probe: 'pg_sys_memory_info',
    charts: [
      { title: 'Memory', metrics: ['used_memory', 'cache_total', 'free_memory'] },
      { title: 'Swap', metrics: ['swap_used'] },
    ],
  },
  {
    probe: 'pg_sys_io_analysis_info',
    charts: [
      { title: 'Disk throughput', metrics: ['read_bytes_per_sec', 'write_bytes_per_sec'] },
      { title: 'Disk operations', metrics: ['total_reads_per_sec', 'total_writes_per_sec'] },
      { title: 'Time of disk operations', metrics: ['read_time_ms_per_sec', 'write_time_ms_per_sec'] },
    ],
  },
  { probe: 'pg_sys_disk_info', charts: [{ title: 'Space in use', metrics: ['used_percent'] }] },
  {
    probe: 'pg_sys_network_info',
    charts: [
      { title: 'Network', metrics: ['rx_bytes_per_sec', 'tx_bytes_per_sec'] },
      { title: 'Network faults', metrics: ['rx_errors', 'tx_errors', 'rx_dropped', 'tx_dropped'] },
    ],
  },
  { probe: 'pg_sys_os_info', charts: [{ title: 'Processes', metrics: ['process_count'] }] },
];

const PROBES = [...SOURCES.map(({ probe }) => probe), 'pg_sys_cpu_memory_by_process'];

const figure = (key: string, title: string, unit: string): Column<Row> => ({
  key,
  title,
  align: 'end',
  render: (row) => formatValue(numberOf(row, key), unit) ?? <Unknown />,
});

function Used({ row }: { row: Row }) {
  const percent = volumePercent(numberOf(row, 'used_space'), numberOf(row, 'free_space'));
  if (percent === null) return <Unknown />;
  return (
    <div className={classes.used}>
      <span>{Math.round(percent)} %</span>
      <Meter percent={percent} tone={percent >= 95 ? 'bad' : percent >= 85 ? 'warn' : 'plain'} />
    </div>
  );
}

const VOLUMES: readonly Column<Row>[] = [
  {
    key: 'mount_point',
    title: 'Volume',
    width: 'grow',
    render: (row) => <code className={classes.code}>{textOf(row, 'mount_point')}</code>,
  },
  {
    key: 'file_system',
    title: 'Device',
    needs: 'wide',
    render: (row) => textOf(row, 'file_system') ?? <Unknown />,
  },
  {
    key: 'file_system_type',
    title: 'Type',
    needs: 'medium',
    render: (row) => textOf(row, 'file_system_type') ?? <Unknown />,
  },
  { key: 'used_percent', title: 'In use', width: 'small', render: (row) => <Used row={row} /> },
  { ...figure('total_space', 'Size', 'bytes'), needs: 'medium' },
  figure('free_space', 'Free', 'bytes'),
  { ...figure('free_inodes', 'Files left', 'count'), needs: 'wide' },
];

const PROCESSES: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Process',
    width: 'grow',
    render: (row) => (
      <code className={classes.code} title={textOf(row, 'name') ?? undefined}>
        {textOf(row, 'name')}
      </code>
    ),
  },
  { key: 'pid', title: 'PID', align: 'end', needs: 'medium', render: (row) => numberOf(row, 'pid') },
  figure('cpu_usage', 'CPU', 'percent'),
  figure('memory_bytes', 'Memory', 'bytes'),
  { ...figure('running_since_seconds', 'Runs for', 'seconds'), needs: 'medium' },
];

/** Where the facts could come from, while there is no source of them. */
function NoSource({ id }: { id: number }) {
  const sources = useCoverage(id).data?.host_sources ?? [];
  return sources.some(({ status }) => status === 'ok') ? null : <HostSources sources={sources} />;
}

export function SystemView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time }) => (
        <div className={classes.view}>
          <NoSource id={id} />
          <div className={classes.charts}>
            {SOURCES.map((source) => (
              <SourceCharts key={source.probe} id={id} source={source} isLive={time.isLive} />
            ))}
          </div>
          <NewestRows
            id={id}
            probe="pg_sys_disk_info"
            title="Volumes"
            words={['volume', 'volumes']}
            order={{ key: 'used_space', descending: true }}
            columns={VOLUMES}
            rowKey={(row) => String(row.mount_point)}
            empty="No volume is known. Coverage says why, and what would change that."
          />
          <NewestRows
            id={id}
            probe="pg_sys_cpu_memory_by_process"
            title="Busiest processes"
            words={['process', 'processes']}
            order={{ key: 'cpu_usage', descending: true }}
            columns={PROCESSES}
            rowKey={(row) => String(row.pid)}
            limit={20}
            empty="No process is known. Coverage says why, and what would change that."
          />
          <MissingReadings id={id} probes={PROBES} />
        </div>
      )}
    </ServerHistory>
  );
}
