// The last 24 hours of every server, and what each is like now, worst first. What is not known is a dash with its reason.
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { EstateServer } from '../../api/types.ts';
import { useOperation } from '../../api/use-operation.ts';
import { formatBytes, formatCount, formatMilliseconds, formatShare, percentOf } from '../../lib/format.ts';
import { parseSort, type Sort, type SortValue, sortText } from '../../lib/sort.ts';
import { useUrlText } from '../../lib/url-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { ReadAt } from '../../ui/read-at.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import classes from './history-strip.module.css';
import { HistoryStrip } from './history-strip.tsx';
import { formatLoad, type HistoryRow, loadRatio, rowsOf, urgency } from './history-words.ts';

/** The server reads it anew as often. */
const EVERY_MS = 30_000;
const [NEARLY, FULL] = [80, 95];

const toneOf = (percent: number) => (percent >= FULL ? 'bad' : percent >= NEARLY ? 'warn' : 'plain');

/** A figure of a server, or why it is not known. */
function Figure({ because, percent = null, children }: FigureProps) {
  if (because !== null) return <Unknown because={because} />;
  return (
    <span className={classes.figure}>
      <span>{children}</span>
      {percent === null ? null : <Meter percent={percent} tone={toneOf(percent)} />}
    </span>
  );
}

interface FigureProps {
  because: string | null;
  percent?: number | null;
  children: ReactNode;
}

function Load({ row: { history } }: { row: HistoryRow }) {
  const { sessions, processors, reason } = history.load;
  return (
    <Figure because={reason} percent={percentOf(sessions, processors)}>
      {sessions === null ? null : formatLoad(sessions)}
      {processors === null ? null : ` of ${formatLoad(processors)}`}
    </Figure>
  );
}

function Connections({ row: { history } }: { row: HistoryRow }) {
  const { used, max, reason } = history.connections;
  return (
    <Figure because={reason} percent={percentOf(used, max)}>
      {used === null ? null : formatCount(used)}
      {max === null ? null : ` of ${formatCount(max)}`}
    </Figure>
  );
}

function Lag({ row: { history } }: { row: HistoryRow }) {
  const { seconds, bytes, reason } = history.lag;
  const parts = [
    ...(seconds === null ? [] : [formatMilliseconds(seconds * 1000)]),
    ...(bytes === null ? [] : [formatBytes(bytes)]),
  ];
  return <Figure because={reason}>{parts.join(' · ')}</Figure>;
}

function Disk({ row: { history } }: { row: HistoryRow }) {
  const { used_percent, mount_point, reason } = history.disk;
  return (
    <Figure because={reason} percent={used_percent}>
      <span title={mount_point ?? undefined}>{used_percent === null ? null : formatShare(used_percent)}</span>
    </Figure>
  );
}

const COLUMNS: readonly Column<HistoryRow>[] = [
  {
    key: 'name',
    title: 'Server',
    value: ({ server }) => server.name,
    width: 'grow',
    render: ({ server }) => (
      <Link className="link" to={`/servers/${server.connection_id}`} data-row-link>
        {server.name}
      </Link>
    ),
  },
  {
    key: 'worst',
    title: 'Last 24 h',
    hint: 'Average active sessions hour by hour, with a mark where the server could not be read; the worst first',
    value: urgency,
    width: 'min',
    render: ({ history }) => <HistoryStrip server={history} />,
  },
  {
    key: 'load',
    title: 'Load',
    hint: 'Average active sessions of the last minutes, of the processors',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => loadRatio(history),
    width: 'small',
    render: (row) => <Load row={row} />,
  },
  {
    key: 'transactions',
    title: 'Transactions/s',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history.transactions.per_second,
    needs: 'medium',
    width: 'small',
    render: ({ history: { transactions } }) => (
      <Figure because={transactions.reason}>{formatLoad(transactions.per_second ?? 0)}</Figure>
    ),
  },
  {
    key: 'cache',
    title: 'Cache hits',
    align: 'end',
    value: ({ history }) => history.cache.hit_percent,
    needs: 'wide',
    width: 'small',
    render: ({ history: { cache } }) => (
      <Figure because={cache.reason}>{formatShare(cache.hit_percent ?? 0)}</Figure>
    ),
  },
  {
    key: 'lag',
    title: 'Lag',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history.lag.seconds ?? history.lag.bytes,
    needs: 'medium',
    width: 'small',
    render: (row) => <Lag row={row} />,
  },
  {
    key: 'connections',
    title: 'Connections',
    align: 'end',
    descendingFirst: true,
    value: ({ history: { connections } }) => percentOf(connections.used, connections.max),
    needs: 'medium',
    width: 'small',
    render: (row) => <Connections row={row} />,
  },
  {
    key: 'disk',
    title: 'Disk',
    hint: 'The fullest volume of its machine',
    align: 'end',
    descendingFirst: true,
    value: ({ history }) => history.disk.used_percent,
    needs: 'wide',
    width: 'small',
    render: (row) => <Disk row={row} />,
  },
];

const SORT_KEYS = COLUMNS.map(({ key }) => key);
const WORST_FIRST: Sort = { key: 'worst', descending: false };
const BY_NAME: readonly ((row: HistoryRow) => SortValue)[] = [
  ({ server }) => server.name,
  ({ server }) => server.connection_id,
];

export function EstateHistory({ servers }: { servers: readonly EstateServer[] }) {
  const history = useOperation('getEstateHistory', {}, { everyMs: () => EVERY_MS });
  const [sort, setSort] = useUrlText('sort');
  return (
    <Panel title="The last 24 hours" note={<ReadAt at={history.data?.generated_at} />} flush>
      <Query query={history} what="the last 24 hours" lines={4} padded>
        {(found) => (
          <DataTable
            caption="The last 24 hours of each server, and what it is like now"
            columns={COLUMNS}
            rows={rowsOf(servers, found.servers)}
            rowKey={({ server }) => String(server.connection_id)}
            rowPath={({ server }) => `/servers/${server.connection_id}`}
            sort={parseSort(sort, SORT_KEYS, WORST_FIRST)}
            onSort={(next) => {
              const text = sortText(next);
              setSort(text === sortText(WORST_FIRST) ? '' : text);
            }}
            ties={BY_NAME}
          />
        )}
      </Query>
    </Panel>
  );
}
