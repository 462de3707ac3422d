// What the statements of a server cost in a window of time: all of them together in a row of figures, then each by itself.
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { callCounted } from '../../../api/client.ts';
import type { ReadPart } from '../../../api/parts.ts';
import { useParts } from '../../../api/use-parts.ts';
import { sortText } from '../../../lib/sort.ts';
import { COMPARISON_WORDS, timeOf, type Window } from '../../../lib/time-window.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { hourText, momentText } from '../../../lib/zone.ts';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { formatValue } from '../../../ui/charts/values.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { fileName } from '../../../ui/download.ts';
import { SearchIcon } from '../../../ui/icons.ts';
import { ListExport } from '../../../ui/long-list/list-export.tsx';
import { ListState } from '../../../ui/long-list/list-state.tsx';
import { useBackToTop } from '../../../ui/long-list/use-back-to-top.ts';
import { useHeldWindow } from '../../../ui/long-list/use-held-window.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Tile, TileRow } from '../../../ui/tiles.tsx';
import { FigureTime } from '../activity/figure-time.tsx';
import { figureOf } from '../activity/newest-figure.ts';
import { ServerHistory } from '../activity/server-history.tsx';
import { SourceCharts, useSource } from '../activity/source-charts.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import classes from './queries.module.css';
import { columnsOf, type PathOf } from './queries-columns.tsx';
import { asCsv, asJson } from './queries-export.ts';
import {
  askedFor,
  BY_LOAD,
  COURSE_BUCKETS,
  isNarrowed,
  LOAD,
  measuredSeconds,
  PART,
  type QueriesFilter,
  type Shown,
  type Statement,
  wantedOf,
} from './queries-list.ts';
import { QueriesFilters } from './queries-tools.tsx';
import { useStatementWatch, WATCHED_MS } from './use-statement-watch.ts';

const TYPED_MS = 250;
const WORDS = ['statement', 'statements'] as const;
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
        : 'None ran in this time, or they were not counted. The charts of all statements show for which times they were.'}
    </EmptyState>
  );
}

interface Read {
  id: number;
  window: Shown;
  wanted: QueriesFilter;
  /** With the course of each. */
  course_buckets?: number;
}

/** Reads a part of all statements that match. */
function useReadStatements({ id, window, wanted, course_buckets }: Read): ReadPart<Statement> {
  const asked = JSON.stringify({
    ...askedFor(id, window, wanted),
    ...(course_buckets !== undefined && { course_buckets }),
  });
  return useCallback(
    (offset, signal) =>
      callCounted('listTopQueries', { query: { ...JSON.parse(asked), limit: PART, offset } }, signal),
    [asked],
  );
}

/** All of them as files; what they are compared with is not among it. */
function StatementsExport({ id, window, wanted }: { id: number; window: Window; wanted: QueriesFilter }) {
  const read = useReadStatements({ id, window, wanted });
  return (
    <ListExport
      read={read}
      size={PART}
      words={WORDS}
      fileOf={(all, ending) => ({
        content: ending === 'csv' ? asCsv(all) : asJson(all, { id, window }),
        name: fileName(`statements ${id}`, window, ending),
      })}
    />
  );
}

function CountedUntil({ at }: { at: number }) {
  const { zone } = useChartPage();
  return <span title={momentText(at, zone)}>counted until {hourText(at, zone)}</span>;
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
  const held = useHeldWindow(window, { isLive, stepMs: WATCHED_MS }, rows);
  const { compare = 'previous' } = window;
  const { from, to } = held.window;
  const read = useReadStatements({
    ...{ id, wanted, course_buckets: COURSE_BUCKETS },
    window: { from, to, compare },
  });
  const found = useParts(read, { size: PART, most: PARTS_HELD });
  useBackToTop(rows, JSON.stringify(wanted));
  const seconds = useMeasuredSeconds(id, isLive);
  const [search] = useSearchParams();
  const kept = String(timeOf(search));
  const { columns, pathOf } = useMemo(() => {
    const path: PathOf = ({ queryid }) => `/servers/${id}/queries/${queryid}${kept === '' ? '' : `?${kept}`}`;
    return { columns: columnsOf({ seconds, pathOf: path }), pathOf: path };
  }, [id, seconds, kept]);
  return (
    <Panel
      title="Statements"
      note={`by total time, against ${COMPARISON_WORDS[compare]}`}
      actions={<StatementsExport id={id} window={{ from, to }} wanted={wanted} />}
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
            <ListState
              count={list.count}
              words={WORDS}
              held={held}
              failed={found.error}
              onRetry={found.retry}
            >
              <CountedUntil at={to} />
            </ListState>
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

/** All statements of the server together: a row of figures, and their charts on request. */
function Together({ id, isLive }: { id: number; isLive: boolean }) {
  const { grid } = useChartPage();
  const [open, setOpen] = useState(false);
  const found = useSource({ id, source: LOAD, isLive });
  return (
    <div className={classes.together}>
      <TileRow label="All statements">
        {LOAD.charts.map(({ title, metrics }) => {
          const { values, unit, newest } = figureOf(found.data ?? [], { metrics }, grid);
          return (
            <Tile
              key={title}
              title={title}
              value={newest && formatValue(newest.value, unit)}
              isLoading={found.isPending}
              detail={newest && <FigureTime of={newest} isLive={isLive} />}
              values={values}
            />
          );
        })}
      </TileRow>
      <details className={classes.more} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Charts of all statements</summary>
        {open ? (
          <div className={classes.charts}>
            <SourceCharts id={id} source={LOAD} isLive={isLive} />
          </div>
        ) : null}
      </details>
    </div>
  );
}

function AllQueries(props: ListProps) {
  const { id, isLive } = props;
  useStatementWatch(id, isLive);
  return (
    <div className={classes.view}>
      <MissingReadings id={id} probes={[LOAD.probe]} />
      <Together id={id} isLive={isLive} />
      <Statements {...props} />
    </div>
  );
}

export function QueriesView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time }) => (
        <AllQueries id={id} window={{ ...time.window, compare: time.state.compare }} isLive={time.isLive} />
      )}
    </ServerHistory>
  );
}
