// Replication of a server, seen from it: how far its standbys and subscribers are behind, what its slots keep, and from
// whom it receives itself.
import { useMemo } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import type { ActivitySource } from '../activity/activity-charts.ts';
import { ServerHistory } from '../activity/server-history.tsx';
import { SourceCharts } from '../activity/source-charts.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { ObjectName } from '../objects/cells.tsx';
import { NewestRows } from '../objects/newest-rows.tsx';
import { flagOf, isoOf, numberOf, type Row, textOf } from '../objects/rows.ts';
import { LONG_LAG_SECONDS, pausedReplay } from './replay-pause.ts';
import classes from './replication.module.css';

const SENDERS = 'pg_stat_replication';
const SLOTS = 'pg_replication_slots';
const SUBSCRIPTIONS = 'pg_stat_subscription';

const SOURCES: readonly ActivitySource[] = [
  {
    probe: SENDERS,
    charts: [
      { title: 'Replication lag', metrics: ['write_lag', 'flush_lag', 'replay_lag'] },
      { title: 'Lag in bytes', metrics: ['lag_bytes'] },
    ],
  },
  { probe: 'pg_stat_wal', charts: [{ title: 'WAL', metrics: ['wal_bytes_per_sec'] }] },
  {
    probe: SLOTS,
    charts: [
      { title: 'WAL kept for slots', metrics: ['max_retained_bytes'] },
      { title: 'Decoded for subscribers', metrics: ['total_bytes_per_sec', 'spill_bytes_per_sec'] },
    ],
  },
];

const text = (key: string, title: string, needs?: 'wide' | 'medium'): Column<Row> => ({
  key,
  title,
  ...(needs && { needs }),
  render: (row) => textOf(row, key) ?? <Unknown />,
});

const figure = (key: string, title: string, unit: string): Column<Row> => ({
  key,
  title,
  align: 'end',
  render: (row) => formatValue(numberOf(row, key), unit) ?? <Unknown because="The other end did not say" />,
});

const since = (key: string, title: string): Column<Row> => ({
  key,
  title,
  align: 'end',
  needs: 'wide',
  render: (row) => {
    const at = isoOf(row, key);
    return at === null ? <Unknown /> : <RelativeTime at={at} />;
  },
});

/** What each standby that is monitored says of its replay, by the name under which it connects here. */
type Pauses = ReadonlyMap<string, string>;

const PAUSES_MS = 30_000;

function usePauses(id: number): Pauses {
  const membership = useOperation('getConnectionCluster', { params: { id } }, { everyMs: PAUSES_MS }).data;
  const cluster = membership?.info.cluster_id ?? null;
  const hasStandby =
    membership?.relationships.some(({ target_connection_id }) => target_connection_id === id) === true;
  const detail = useOperation(
    'getClusterTopologyDetail',
    { params: { id: `cluster-${cluster}` } },
    { everyMs: PAUSES_MS, enabled: cluster !== null && hasStandby },
  ).data;
  return useMemo(() => {
    const links = (detail?.links ?? []).filter(({ target_connection_id }) => target_connection_id === id);
    const found = links.flatMap(({ readings }) => {
      const state = readings.find(
        ({ replay_pause_state }) => replay_pause_state !== null,
      )?.replay_pause_state;
      return readings.flatMap(({ measured_at, application_name }) =>
        measured_at === 'sender' && application_name !== null && state
          ? [[application_name, state] as const]
          : [],
      );
    });
    return new Map(found);
  }, [detail, id]);
}

/** Of a standby that is not monitored a primary knows only that WAL arrives there and is not replayed. */
function Replay({ row, pauses }: { row: Row; pauses: Pauses }) {
  const state = pauses.get(textOf(row, 'application_name') ?? '');
  if (state !== undefined) return <PausedReplay state={state} />;
  const [flushed, replayed] = [numberOf(row, 'flush_lag') ?? 0, numberOf(row, 'replay_lag') ?? 0];
  return replayed < LONG_LAG_SECONDS || flushed > replayed / 2 ? null : (
    <Status mark="warning" label="WAL arrives, but is not replayed" />
  );
}

const receiversOf = (pauses: Pauses): readonly Column<Row>[] => [
  {
    key: 'application_name',
    title: 'Standby or subscriber',
    width: 'grow',
    render: (row) => (
      <>
        <ObjectName
          name={textOf(row, 'application_name')}
          place={[textOf(row, 'client_addr') ?? 'by a socket', textOf(row, 'usename')]}
        />
        <Replay row={row} pauses={pauses} />
      </>
    ),
  },
  text('state', 'State', 'medium'),
  text('sync_state', 'Synchronous', 'wide'),
  figure('replay_lag', 'Replay lag', 'seconds'),
  figure('lag_bytes', 'Lag in bytes', 'bytes'),
  since('reply_time', 'Last reply'),
];

function PausedReplay({ state }: { state: string | null }) {
  const label = pausedReplay(state);
  return label === undefined ? null : <Status mark="warning" label={label} />;
}

const RECEIVING: readonly Column<Row>[] = [
  {
    key: 'sender_host',
    title: 'Receives from',
    width: 'grow',
    render: (row) =>
      numberOf(row, 'pid') === 0 ? (
        <Status mark="warning" label="Not receiving" />
      ) : (
        <>
          <ObjectName
            name={textOf(row, 'sender_host')}
            place={[
              textOf(row, 'receiver_slot_name') === null ? null : `slot ${textOf(row, 'receiver_slot_name')}`,
            ]}
          />
          <PausedReplay state={textOf(row, 'replay_pause_state')} />
        </>
      ),
  },
  text('receiver_status', 'State', 'medium'),
  figure('replay_lag', 'Age of the newest replayed', 'seconds'),
  since('last_msg_receipt_time', 'Last message'),
];

function SlotState({ row }: { row: Row }) {
  const wal = textOf(row, 'wal_status');
  if (wal === 'lost') return <Status mark="failed" label={textOf(row, 'invalidation_reason') ?? 'Lost'} />;
  if (flagOf(row, 'active') === true) return <Status mark="ok" label="In use" />;
  const at = isoOf(row, 'inactive_since');
  return (
    <span className={classes.slot}>
      <Status mark={wal === 'unreserved' ? 'failed' : 'warning'} label="Not in use" />
      {at === null ? null : <RelativeTime at={at} />}
    </span>
  );
}

const SLOT_COLUMNS: readonly Column<Row>[] = [
  {
    key: 'slot_name',
    title: 'Slot',
    width: 'grow',
    render: (row) => (
      <ObjectName
        name={textOf(row, 'slot_name')}
        place={[textOf(row, 'slot_type'), textOf(row, 'plugin'), textOf(row, 'database')]}
      />
    ),
  },
  { key: 'active', title: 'State', render: (row) => <SlotState row={row} /> },
  figure('retained_bytes', 'WAL retained', 'bytes'),
  { ...text('wal_status', 'WAL status'), needs: 'wide' },
  { ...figure('safe_wal_size', 'WAL until lost', 'bytes'), needs: 'wide' },
];

const SUBSCRIPTION_COLUMNS: readonly Column<Row>[] = [
  {
    key: 'subname',
    title: 'Subscription',
    width: 'grow',
    render: (row) => (
      <ObjectName
        name={textOf(row, 'subname')}
        place={[textOf(row, 'datname'), textOf(row, 'worker_type')]}
      />
    ),
  },
  {
    key: 'pid',
    title: 'Worker',
    render: (row) => {
      if (flagOf(row, 'subenabled') === false) return <Status mark="skipped" label="Switched off" />;
      const runs = numberOf(row, 'pid') !== 0;
      return <Status mark={runs ? 'ok' : 'warning'} label={runs ? 'Runs' : 'None'} />;
    },
  },
  { ...figure('apply_error_count', 'Errors', 'count'), needs: 'medium' },
  since('latest_end_time', 'Confirmed'),
];

const isSender = (row: Row) => textOf(row, 'role') === 'primary';

function Tables({ id }: { id: number }) {
  const pauses = usePauses(id);
  const receivers = useMemo(() => receiversOf(pauses), [pauses]);
  return (
    <>
      <NewestRows
        id={id}
        probe={SENDERS}
        title="Receiver"
        words={['receiver', 'receivers']}
        order={{ key: 'role', descending: true }}
        columns={RECEIVING}
        rowKey={(row) => String(row.pid)}
        keep={(row) => !isSender(row)}
      />
      <NewestRows
        id={id}
        probe={SENDERS}
        title="Standbys and subscribers"
        words={['connection', 'connections']}
        order={{ key: 'lag_bytes', descending: true }}
        columns={receivers}
        rowKey={(row) => String(row.pid)}
        keep={isSender}
        empty="No standby is connected."
      />
      <NewestRows
        id={id}
        probe={SLOTS}
        title="Replication slots"
        words={['slot', 'slots']}
        order={{ key: 'retained_bytes', descending: true }}
        columns={SLOT_COLUMNS}
        rowKey={(row) => String(row.slot_name)}
        empty="There is no replication slot."
      />
      <NewestRows
        id={id}
        probe={SUBSCRIPTIONS}
        title="Subscriptions"
        words={['worker', 'workers']}
        order={{ key: 'subname', descending: false }}
        columns={SUBSCRIPTION_COLUMNS}
        rowKey={(row) => `${row.subid} ${row.pid}`}
        empty="This server has no subscriptions."
      />
    </>
  );
}

export function ReplicationView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time }) => (
        <div className={classes.view}>
          <Tables id={id} />
          <div className={classes.charts}>
            {SOURCES.map((source) => (
              <SourceCharts key={source.probe} id={id} source={source} isLive={time.isLive} />
            ))}
          </div>
          <MissingReadings id={id} probes={[SENDERS, SLOTS, SUBSCRIPTIONS, 'pg_stat_wal']} />
        </div>
      )}
    </ServerHistory>
  );
}
