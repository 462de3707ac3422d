// The databases of a server: how large they are and what they did in the window of the page.
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { changeText } from '../../../lib/change.ts';
import { countOf, formatCount, formatShare, percentOf } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { COMPARISON_WORDS, type Comparison, coarseWindow, timeOf } from '../../../lib/time-window.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import type { PageTime } from '../../../lib/use-time-window.ts';
import { type Grid, onGrid } from '../../../ui/charts/series.ts';
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import { formatValue } from '../../../ui/charts/values.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { DatabaseIcon } from '../../../ui/icons.ts';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { Size } from './cells.tsx';
import classes from './objects.module.css';

type Summary = OperationTypes['getDatabaseSummaries']['result']['databases'][number];

const PROBES = ['pg_database', 'pg_stat_database', 'pg_stat_all_tables'];
const READ_MS = 60_000;
const LARGEST_FIRST = { key: 'size', descending: true };
const NOT_READ = 'Not measured in this time; Coverage says why';

/** The server says 0 where it does not know a size: a database of no size does not exist. */
const sizeOf = ({ size_bytes }: Summary): number | null => (size_bytes > 0 ? size_bytes : null);

interface Facts {
  largest: number;
  grid: Grid;
  compare: Comparison | undefined;
  pathOf: (tab: string, database: string) => string;
}

interface BeforeProps {
  /** As text; null where it was not measured then. */
  then: string | null;
  /** How the figure differs, where that is not plain. */
  change?: string | null;
  compare: Comparison | undefined;
}

/** What the figure was in the window that this one is compared with. */
function Before({ then, change = null, compare }: BeforeProps) {
  if (compare === undefined) return null;
  const before = then === null ? 'not measured' : change === null ? then : `${then}, ${change}`;
  return (
    <span className={classes.before} title={COMPARISON_WORDS[compare]}>
      {before}
      <span className="visually-hidden"> {COMPARISON_WORDS[compare]}</span>
    </span>
  );
}

/** Size and sessions are read by different probes, each at its own interval. */
const Read = ({ at }: { at: string | null | undefined }) =>
  at == null ? null : (
    <span className={classes.before}>
      <ReadAt at={at} />
    </span>
  );

interface FigureProps extends Pick<Facts, 'grid' | 'compare'> {
  row: Summary;
}

function Transactions({ row: { transaction_rate, compared }, compare }: Omit<FigureProps, 'grid'>) {
  const then = compared?.transaction_rate ?? null;
  return (
    <>
      {formatValue(transaction_rate, 'count/s') ?? <Unknown because={NOT_READ} />}
      <Before
        then={formatValue(then, 'count/s') ?? null}
        change={changeText(transaction_rate ?? null, then)}
        compare={compare}
      />
    </>
  );
}

function Hit({ row: { cache_hit_ratio, compared }, grid, compare }: FigureProps) {
  const { current, time_series } = cache_hit_ratio;
  if (current === undefined) return <Unknown because={NOT_READ} />;
  const then = compared?.cache_hit_ratio.current;
  return (
    <div className={classes.hit}>
      <Sparkline values={onGrid(time_series, grid)} />
      <span>
        {formatShare(current)}
        <Before then={then === undefined ? null : formatShare(then)} compare={compare} />
      </span>
    </div>
  );
}

function columnsOf({ largest, grid, compare, pathOf }: Facts): Column<Summary>[] {
  return [
    {
      key: 'name',
      title: 'Database',
      value: (row) => row.database_name,
      width: 'grow',
      render: ({ database_name }) => (
        <div className={classes.object}>
          <bdi className={classes.name}>{database_name}</bdi>
          <div className={classes.place}>
            <Link className="link" to={pathOf('queries', database_name)}>
              Queries<span className="visually-hidden"> of {database_name}</span>
            </Link>
            {' · '}
            <Link className="link" to={pathOf('tables', database_name)}>
              Tables<span className="visually-hidden"> of {database_name}</span>
            </Link>
          </div>
        </div>
      ),
    },
    {
      key: 'size',
      title: 'Size',
      value: sizeOf,
      descendingFirst: true,
      width: 'small',
      render: (row) => (
        <>
          <Size bytes={sizeOf(row)} because="The role may not read the size" />
          <Meter percent={percentOf(sizeOf(row), largest) ?? 0} />
          <Read at={row.size_collected_at} />
        </>
      ),
    },
    {
      key: 'sessions',
      title: 'Sessions',
      align: 'end',
      value: (row) => row.active_connections,
      descendingFirst: true,
      render: (row) => (
        <>
          {row.sessions_collected_at === null ? (
            <Unknown because="Sessions were never read" />
          ) : (
            formatCount(row.active_connections)
          )}
          <Read at={row.sessions_collected_at} />
        </>
      ),
    },
    {
      key: 'transactions',
      title: 'Transactions',
      hint: 'That ended, a second',
      align: 'end',
      value: (row) => row.transaction_rate ?? null,
      descendingFirst: true,
      needs: 'medium',
      render: (row) => <Transactions row={row} compare={compare} />,
    },
    {
      key: 'hit',
      title: 'Cache hit',
      hint: 'Blocks found in shared buffers',
      align: 'end',
      value: (row) => row.cache_hit_ratio.current ?? null,
      needs: 'medium',
      render: (row) => <Hit row={row} grid={grid} compare={compare} />,
    },
    {
      key: 'dead',
      title: 'Dead tuples',
      hint: 'Of the rows of all tables',
      align: 'end',
      value: (row) => row.dead_tuple_ratio ?? null,
      descendingFirst: true,
      needs: 'medium',
      render: ({ dead_tuple_ratio }) =>
        dead_tuple_ratio === undefined ? <Unknown because={NOT_READ} /> : formatShare(dead_tuple_ratio),
    },
  ];
}

const KEYS = ['name', 'size', 'sessions', 'transactions', 'hit', 'dead'];

/** The buckets in which the server answers. */
const BUCKETS = 60;

function Databases({ id, time }: { id: number; time: PageTime }) {
  const [sort, setSort] = useUrlText('sort');
  const [search] = useSearchParams();
  const { from, to } = coarseWindow(time.window, time.isLive);
  const { compare } = time.state;
  const query = useOperation(
    'getDatabaseSummaries',
    {
      query: {
        connection_id: id,
        start_time: new Date(from).toISOString(),
        end_time: new Date(to).toISOString(),
        ...(compare && { compare }),
      },
    },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  const rows = query.data?.databases;
  const columns = useMemo(() => {
    const kept = timeOf(search);
    return columnsOf({
      largest: rows?.reduce((most, { size_bytes }) => Math.max(most, size_bytes), 0) ?? 0,
      grid: { from, to, buckets: BUCKETS },
      compare,
      pathOf: (tab, database) => {
        const params = new URLSearchParams(kept);
        params.set('tab', tab);
        params.set('database', database);
        return `?${params}`;
      },
    });
  }, [rows, from, to, search, compare]);
  return (
    <Panel title="Databases" note={rows ? countOf(rows.length, 'database') : undefined} flush>
      <Query query={query} what="the databases" lines={5} padded>
        {({ databases }) =>
          databases.length === 0 ? (
            <EmptyState icon={<DatabaseIcon size={26} />} title="No database is known">
              The list was not read yet, or the role may not read it. Coverage says which.
            </EmptyState>
          ) : (
            <DataTable
              caption="Databases and what they did"
              columns={columns}
              rows={databases}
              rowKey={(row) => row.database_name}
              sort={parseSort(sort, KEYS, LARGEST_FIRST)}
              onSort={(next) => setSort(sortText(next) === sortText(LARGEST_FIRST) ? '' : sortText(next))}
              ties={[(row) => row.database_name]}
            />
          )
        }
      </Query>
    </Panel>
  );
}

export function DatabasesView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time }) => (
        <div className={classes.view}>
          <Databases id={id} time={time} />
          <MissingReadings id={id} probes={PROBES} />
        </div>
      )}
    </ServerHistory>
  );
}
