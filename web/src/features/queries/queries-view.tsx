// What the statements of a server cost in a window of time: all of them together as charts, then each by itself.
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useCounted } from '../../api/use-operation.ts';
import { sortText } from '../../lib/sort.ts';
import { coarseWindow, timeOf } from '../../lib/time-window.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { useChartPage } from '../../ui/charts/chart-page.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { Pager } from '../../ui/pager.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { SourceCharts, useSource } from '../activity/source-charts.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import classes from './queries.module.css';
import { columnsOf, type PathOf } from './queries-columns.tsx';
import {
  askedFor,
  BY_LOAD,
  isNarrowed,
  LOAD,
  measuredSeconds,
  PAGE_SIZE,
  type Shown,
  type Statement,
  wantedOf,
} from './queries-list.ts';
import { QueriesExport, QueriesFilters } from './queries-tools.tsx';

const READ_MS = 60_000;
const TYPED_MS = 250;
const NAMES = ['sort', 'q', 'database', 'own', 'page'] as const;

const TIES = [(row: Statement) => row.database_name, (row: Statement) => row.queryid] as const;

/** For how long statements were counted in the window that is shown. */
function useMeasuredSeconds(id: number, isLive: boolean): number | null {
  const { grid } = useChartPage();
  const series = useSource({ id, source: LOAD, isLive }).data;
  return measuredSeconds(
    series?.find(({ metric }) => metric === 'calls_per_sec'),
    grid,
  );
}

function Nothing({ isSearch, page }: { isSearch: boolean; page: number }) {
  return (
    <EmptyState
      icon={<SearchIcon size={26} />}
      title={
        page > 1 ? 'The list ends before this page' : isSearch ? 'No statement matches' : 'No statement ran'
      }
    >
      {isSearch
        ? 'Try a shorter text, every database, or a longer time.'
        : 'None ran in this time, or they were not counted: the charts above say for which times they were.'}
    </EmptyState>
  );
}

interface ListProps {
  id: number;
  window: Shown;
  isLive: boolean;
}

function Statements({ id, window, isLive }: ListProps) {
  const [text, set] = useUrlTexts(NAMES);
  const typed = text('q');
  const [settled] = useDebouncedValue(typed, TYPED_MS);
  const wanted = { ...wantedOf(text), text: settled };
  const query = useCounted(
    'listTopQueries',
    { query: askedFor(id, window, wanted) },
    { keepPrevious: true, ...(isLive ? { everyMs: READ_MS } : {}) },
  );
  const seconds = useMeasuredSeconds(id, isLive);
  const { from, to, compare } = window;
  const [search] = useSearchParams();
  const kept = String(timeOf(search));
  const { columns, pathOf } = useMemo(() => {
    const path: PathOf = ({ queryid }) => `/servers/${id}/queries/${queryid}${kept === '' ? '' : `?${kept}`}`;
    return { columns: columnsOf({ seconds, pathOf: path, compare }), pathOf: path };
  }, [id, seconds, kept, compare]);
  return (
    <Panel
      title="Statements"
      note="what each cost in this time"
      actions={<QueriesExport id={id} window={{ from, to }} wanted={wanted} />}
      flush
    >
      <QueriesFilters
        id={id}
        text={typed}
        wanted={wanted}
        onText={(q) => set({ q, page: '' })}
        onDatabase={(database) => set({ database, page: '' })}
        onOwn={(own) => set({ own, page: '' })}
      />
      <Query query={query} what="the statements" lines={8} padded>
        {({ rows, total }) => (
          <>
            {rows.length === 0 ? (
              <Nothing isSearch={isNarrowed(wanted)} page={wanted.page} />
            ) : (
              <DataTable
                caption="Statements by what they cost"
                columns={columns}
                rows={rows}
                rowPath={pathOf}
                rowKey={({ database_name, queryid }) => `${database_name}\n${queryid}`}
                sort={wanted.sort}
                onSort={(sort) =>
                  set({ sort: sortText(sort) === sortText(BY_LOAD) ? '' : sortText(sort), page: '' })
                }
                ties={TIES}
              />
            )}
            <Pager
              page={wanted.page}
              size={PAGE_SIZE}
              total={total ?? rows.length}
              one="statement"
              onPage={(page) => set({ page: page === 1 ? '' : String(page) })}
            />
          </>
        )}
      </Query>
    </Panel>
  );
}

export function QueriesView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time }) => (
        <div className={classes.view}>
          <MissingReadings id={id} probes={[LOAD.probe]} />
          <div className={classes.charts}>
            <SourceCharts id={id} source={LOAD} isLive={time.isLive} />
          </div>
          <Statements
            id={id}
            window={{ ...coarseWindow(time.window, time.isLive), compare: time.state.compare }}
            isLive={time.isLive}
          />
        </div>
      )}
    </ServerHistory>
  );
}
