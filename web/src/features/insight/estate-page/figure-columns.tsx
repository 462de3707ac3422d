// The figures of the estate's table: what each server is like now, and its last 24 hours. Guards: what is not known is a dash with its
// reason, never a zero; what has a limit is drawn against it.
import type { ReactNode } from 'react';
import type { EstateServer } from '../../../api/types.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { formatBytes, formatCount, formatMilliseconds, formatShare, percentOf } from '../../../lib/format.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { WarningIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Meter } from '../../../ui/meter.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { stateKey } from '../../estate/estate/server-state.ts';
import { LONG_LAG_SECONDS } from '../../history/replication/replay-pause.ts';
import { aheadText } from '../runway/runway-words.ts';
import classes from './estate-columns.module.css';
import type { EstateRow } from './estate-row.ts';
import { HistoryStrip } from './history-strip.tsx';
import { formatLoad, loadRatio, type ServerHistory } from './history-words.ts';

const [NEARLY, FULL] = [80, 95];

const toneOf = (percent: number) => (percent >= FULL ? 'bad' : percent >= NEARLY ? 'warn' : 'plain');

interface FigureProps {
  because: string | null;
  percent?: number | null;
  children: ReactNode;
}

function Figure({ because, percent = null, children }: FigureProps) {
  if (because !== null) return <Unknown because={because} />;
  return (
    <span className={classes.figure}>
      <span>{children}</span>
      {percent === null ? null : <Meter percent={percent} tone={toneOf(percent)} />}
    </span>
  );
}

const of = (limit: string | null) =>
  limit === null ? null : <span className={layout.small}> of {limit}</span>;

function Load({ load: { sessions, processors, reason } }: ServerHistory) {
  return (
    <Figure because={reason} percent={percentOf(sessions, processors)}>
      {sessions === null ? null : formatLoad(sessions)}
      {of(processors === null ? null : formatLoad(processors))}
    </Figure>
  );
}

function Connections({ connections: { used, max, reason } }: ServerHistory) {
  return (
    <Figure because={reason} percent={percentOf(used, max)}>
      {used === null ? null : formatCount(used)}
      {of(max === null ? null : formatCount(max))}
    </Figure>
  );
}

function Lag({ lag: { seconds, bytes, reason } }: ServerHistory) {
  const text = seconds === null ? null : formatMilliseconds(seconds * 1000);
  const size = bytes === null ? null : formatBytes(bytes);
  const isLong = (seconds ?? 0) >= LONG_LAG_SECONDS;
  return (
    <Figure because={reason}>
      <span
        className={isLong ? classes.late : undefined}
        title={size === null ? undefined : `${size} of WAL`}
      >
        {isLong ? <WarningIcon size={12} aria-hidden="true" /> : null}
        {isLong ? <span className="visually-hidden">long: </span> : null}
        {text ?? size}
      </span>
    </Figure>
  );
}

function Disk({ row: { fullAt }, history }: { row: EstateRow; history: ServerHistory }) {
  const { used_percent, mount_point, reason } = history.disk;
  return (
    <Figure because={reason} percent={used_percent}>
      <span title={mount_point ?? undefined}>{used_percent === null ? null : formatShare(used_percent)}</span>
      {fullAt === undefined ? null : (
        <span className={classes.soon}>full {aheadText(fullAt, currentSecond())}</span>
      )}
    </Figure>
  );
}

/** Why its latency is not known. */
function whyNoLatency(server: EstateServer): string {
  const state = stateKey(server);
  if (state === 'paused') return 'Not monitored';
  return state === 'failing' || state === 'offline'
    ? 'The server does not answer'
    : 'Not measured in the last minute';
}

const ofHistory = (render: (history: ServerHistory, row: EstateRow) => ReactNode) => (row: EstateRow) =>
  row.history ? render(row.history, row) : <Unknown because={row.because} />;

export const FIGURE_COLUMNS: readonly Column<EstateRow>[] = [
  {
    key: 'strip',
    title: '24 h',
    hint: 'Average active sessions by hour, with a mark where the server could not be read',
    needs: 'wide',
    width: 'min',
    render: ofHistory((history) => <HistoryStrip server={history} />),
  },
  {
    key: 'load',
    title: 'Load',
    hint: 'Average active sessions of the last five minutes, against the CPUs',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => (history ? (loadRatio(history) ?? history.load.sessions) : null),
    width: 'min',
    render: ofHistory((history) => <Load {...history} />),
  },
  {
    key: 'tps',
    title: 'tps',
    hint: 'Transactions per second, over 15 minutes',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history?.transactions.per_second ?? null,
    needs: 'medium',
    width: 'min',
    render: ofHistory(({ transactions: { per_second, reason } }) => (
      <Figure because={reason}>{per_second === null ? null : formatLoad(per_second)}</Figure>
    )),
  },
  {
    key: 'latency',
    title: 'Latency',
    hint: 'How long the newest answer to the collector took',
    align: 'end',
    descendingFirst: true,
    value: ({ server }) => server.response_time_ms,
    needs: 'medium',
    width: 'min',
    render: ({ server }) =>
      server.response_time_ms === null ? (
        <Unknown because={whyNoLatency(server)} />
      ) : (
        formatMilliseconds(server.response_time_ms)
      ),
  },
  {
    key: 'lag',
    title: 'Lag',
    hint: 'Replication lag: its own of a standby, else of its slowest standby',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history?.lag.seconds ?? null,
    needs: 'medium',
    width: 'min',
    render: ofHistory((history) => <Lag {...history} />),
  },
  {
    key: 'connections',
    title: 'Conns',
    hint: 'Connections used, of max_connections',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => (history ? percentOf(history.connections.used, history.connections.max) : null),
    needs: 'medium',
    width: 'min',
    render: ofHistory((history) => <Connections {...history} />),
  },
  {
    key: 'disk',
    title: 'Disk',
    hint: 'The fullest volume of its machine, and when a disk is full',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history?.disk.used_percent ?? null,
    needs: 'medium',
    width: 'min',
    render: ofHistory((history, row) => <Disk row={row} history={history} />),
  },
];
