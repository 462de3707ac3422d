// What the statements of a server cost in a window of time: all of them together as charts, then each by itself.
import { useDebouncedValue } from '@mantine/hooks';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { callCounted } from '../../api/client.ts';
import type { ReadPart } from '../../api/parts.ts';
import { useParts } from '../../api/use-parts.ts';
import { sortText } from '../../lib/sort.ts';
import { timeOf } from '../../lib/time-window.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { useChartPage } from '../../ui/charts/chart-page.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { SearchIcon } from '../../ui/icons.ts';
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
  PART,
  type Shown,
  type Statement,
  type Wanted,
  wantedOf,
} from './queries-list.ts';
import { QueriesState } from './queries-state.tsx';
import { QueriesExport, QueriesFilters } from './queries-tools.tsx';
import { useStandingWindow } from './use-standing-window.ts';

const TYPED_MS = 250;
const NAMES = ['sort', 'q', 'database', 'own'] as const;
/** Of a hundred statements each, whose texts may be long. */
const PARTS_HELD = 12;

/** For how long statements were counted in the window that is shown. */
function useMeasuredSeconds(id: number, isLive: boolean): number | null {
  const { grid } = useChartPage();
  const series = useSource({ id, source: LOAD, isLive }).data;
  return measuredSeconds(
    series?.find(({ metric }) => metric === 'calls_per_sec'),
    grid,
  );
}

function Nothing({ isSearch }: { isSearch: boolean }) {
  return (
    <EmptyState
      icon={<SearchIcon size={26} />}
      title={isSearch ? 'No statement matches' : 'No statement ran'}
    >
      {isSearch
        ? 'Try a shorter text, every database, or a longer time.'
        : 'None ran in this time, or they were not counted: the charts above say for which times they were.'}
    </EmptyState>
  );
}

/** All statements that match, of which those near the window are fetched. */
function useStatements(id: number, { from, to, compare }: Shown, wanted: Wanted) {
  const asked = JSON.stringify(askedFor(id, { from, to, compare }, wanted));
  const read = useCallback<ReadPart<Statement>>(
    (offset, signal) =>
      callCounted('listTopQueries', { query: { ...JSON.parse(asked), limit: PART, offset } }, signal),
    [asked],
  );
  return useParts(read, { size: PART, most: PARTS_HELD });
}

/** Another order or choice begins at its top. */
function useBackToTop(rows: RefObject<HTMLElement | null>, question: string): void {
  const shown = useRef(question);
  useEffect(() => {
    if (shown.current === question) return;
    shown.current = question;
    if ((rows.current?.getBoundingClientRect().top ?? 0) < 0) rows.current?.scrollIntoView();
  }, [rows, question]);
}

interface ListProps {
  id: number;
  window: Shown;
  isLive: boolean;
}

function useWanted() {
  const [text, set] = useUrlTexts(NAMES);
  const typed = text('q');
  const [settled] = useDebouncedValue(typed, TYPED_MS);
  return { typed, wanted: { ...wantedOf(text), text: settled }, set };
}

function Statements({ id, window, isLive }: ListProps) {
  const { typed, wanted, set } = useWanted();
  const rows = useRef<HTMLDivElement>(null);
  const standing = useStandingWindow(window, isLive, rows);
  const { compare } = window;
  const { from, to } = standing.window;
  const found = useStatements(id, { from, to, compare }, wanted);
  useBackToTop(rows, JSON.stringify(wanted));
  const seconds = useMeasuredSeconds(id, isLive);
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
        onText={(q) => set({ q })}
        onDatabase={(database) => set({ database })}
        onOwn={(own) => set({ own })}
      />
      <Query
        query={{ data: found.list, error: found.error, refetch: found.retry }}
        what="the statements"
        lines={8}
        padded
      >
        {(list) => (
          <>
            <QueriesState count={list.count} standing={standing} failed={found.error} onRetry={found.retry} />
            {list.count === 0 ? (
              <Nothing isSearch={isNarrowed(wanted)} />
            ) : (
              <div ref={rows}>
                <DataTable
                  caption="Statements by what they cost"
                  columns={columns}
                  rows={list}
                  isBusy={found.isOld}
                  rowPath={pathOf}
                  rowKey={({ database_name, queryid }) => `${database_name}\n${queryid}`}
                  sort={wanted.sort}
                  onSort={(sort) => set({ sort: sortText(sort) === sortText(BY_LOAD) ? '' : sortText(sort) })}
                />
              </div>
            )}
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
          <Statements id={id} window={{ ...time.window, compare: time.state.compare }} isLive={time.isLive} />
        </div>
      )}
    </ServerHistory>
  );
}
