// What the statements of a server cost in a window of time: all of them together as charts, then each by itself.
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { callCounted } from '../../api/client.ts';
import type { ReadPart } from '../../api/parts.ts';
import { useParts } from '../../api/use-parts.ts';
import { sortText } from '../../lib/sort.ts';
import { timeOf, type Window } from '../../lib/time-window.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { hourText, momentText } from '../../lib/zone.ts';
import { useChartPage } from '../../ui/charts/chart-page.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { fileName } from '../../ui/download.ts';
import { SearchIcon } from '../../ui/icons.ts';
import { ListExport } from '../../ui/long-list/list-export.tsx';
import { ListState } from '../../ui/long-list/list-state.tsx';
import { useBackToTop } from '../../ui/long-list/use-back-to-top.ts';
import { useStandingWindow } from '../../ui/long-list/use-standing-window.ts';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { SourceCharts, useSource } from '../activity/source-charts.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import classes from './queries.module.css';
import { columnsOf, type PathOf } from './queries-columns.tsx';
import { asCsv, asJson } from './queries-export.ts';
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
import { QueriesFilters } from './queries-tools.tsx';

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
        : 'None ran in this time, or they were not counted: the charts above say for which times they were.'}
    </EmptyState>
  );
}

/** Reads a part of all statements that match. */
function useReadStatements(id: number, { from, to, compare }: Shown, wanted: Wanted): ReadPart<Statement> {
  const asked = JSON.stringify(askedFor(id, { from, to, compare }, wanted));
  return useCallback(
    (offset, signal) =>
      callCounted('listTopQueries', { query: { ...JSON.parse(asked), limit: PART, offset } }, signal),
    [asked],
  );
}

/** All of them as files; what they are compared with is not among it. */
function StatementsExport({ id, window, wanted }: { id: number; window: Window; wanted: Wanted }) {
  const read = useReadStatements(id, window, wanted);
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
  const standing = useStandingWindow(window, isLive, rows);
  const { compare } = window;
  const { from, to } = standing.window;
  const read = useReadStatements(id, { from, to, compare }, wanted);
  const found = useParts(read, { size: PART, most: PARTS_HELD });
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
              standing={standing}
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
