// Runs of autovacuum as the log of the server has them, of all tables or of one. Guards: where the log is not read, or hides short runs,
// it says so; what a version does not write is a dash and never a zero.
import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatBytes, formatCount, formatDuration } from '../../../lib/format.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { momentText, zoneName } from '../../../lib/zone.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './objects.module.css';

type Answer = OperationTypes['listConnectionVacuumRuns']['result'];
type Run = Answer['runs'][number];

const READ_MS = 60_000;
const TYPED_MS = 250;
const NOT_SAID = 'The log does not say it of this run';
const KINDS: Readonly<Record<Run['kind'], string>> = {
  vacuum: 'Vacuum',
  wraparound_vacuum: 'Vacuum to prevent wraparound',
  analyze: 'Analyze',
  cancelled: 'Cancelled by a lock request',
};

type Counted = Pick<Column<Run>, 'key' | 'title'> & Partial<Column<Run>>;

const counted = (column: Counted, of: (run: Run) => number | null): Column<Run> => ({
  align: 'end',
  render: (run) => {
    const count = of(run);
    return count === null ? (
      <Unknown because={NOT_SAID} />
    ) : (
      <span title={formatCount(count)}>{formatValue(count, 'count')}</span>
    );
  },
  ...column,
});

const columnsOf = (zone: string): readonly Column<Run>[] => [
  {
    key: 'table',
    title: 'Table',
    width: 'grow',
    render: ({ table, kind }) => (
      <div className={classes.object}>
        <bdi className={classes.name} title={table ?? undefined}>
          {table ?? <Unknown because="The line does not name the table" />}
        </bdi>
        <div className={classes.place}>{KINDS[kind]}</div>
      </div>
    ),
  },
  {
    key: 'ended',
    title: 'Ended',
    render: ({ ended_at }) => (
      <time className={classes.ended} dateTime={ended_at}>
        {momentText(Date.parse(ended_at), zone)}
      </time>
    ),
  },
  {
    key: 'elapsed',
    title: 'Duration',
    align: 'end',
    render: ({ elapsed_seconds }) => {
      if (elapsed_seconds === null) return <Unknown because={NOT_SAID} />;
      // The log says hundredths of a second.
      return elapsed_seconds === 0 ? '< 10 ms' : formatDuration(elapsed_seconds);
    },
  },
  counted(
    { key: 'removed', title: 'Removed', hint: 'Dead tuples that were removed' },
    ({ tuples_removed }) => tuples_removed,
  ),
  counted(
    { key: 'kept', title: 'Not removable', hint: 'Dead tuples that an old transaction still needed' },
    ({ tuples_not_removable }) => tuples_not_removable,
  ),
  counted({ key: 'scanned', title: 'Pages scanned', needs: 'wide' }, ({ pages_scanned }) => pages_scanned),
  counted({ key: 'reads', title: 'Buffers read', needs: 'wide' }, ({ buffer_reads }) => buffer_reads),
  {
    key: 'wal',
    title: 'WAL',
    align: 'end',
    needs: 'medium',
    render: ({ wal_bytes }) => (wal_bytes === null ? <Unknown because={NOT_SAID} /> : formatBytes(wal_bytes)),
  },
];

/** Which runs that setting, in milliseconds, leaves out of the log. */
function unlogged(setting: string, runs: string, least: number | null): string[] {
  if (least === null || least === 0) return [];
  if (least < 0) return [`${setting} is -1: ${runs.toLowerCase()} are not logged, unless a table sets it.`];
  return [
    `${runs} shorter than ${formatDuration(least / 1000)} are not logged (${setting}), unless a table sets it.`,
  ];
}

/** What the list does not have. */
export function lacksOf(
  found: Pick<
    Answer,
    | 'reading'
    | 'min_duration_ms'
    | 'analyze_min_duration_ms'
    | 'events_logged'
    | 'events_kept'
    | 'runs'
    | 'is_cut'
    | 'start_time'
  >,
): string[] {
  const { reading, min_duration_ms: least, analyze_min_duration_ms: leastAnalyze } = found;
  const { events_logged, events_kept, runs, is_cut, start_time } = found;
  const isLate = reading.since !== null && Date.parse(reading.since) > Date.parse(start_time);
  return [
    ...(reading.reason === null ? [] : [reading.reason]),
    ...(isLate && reading.since !== null
      ? [`The log has been read since ${reading.since.slice(0, 16).replace('T', ' ')} UTC.`]
      : []),
    ...unlogged('log_autovacuum_min_duration', leastAnalyze === null ? 'Runs' : 'Vacuums', least),
    ...unlogged('log_autoanalyze_min_duration', 'Analyzes', leastAnalyze),
    ...(events_kept < events_logged
      ? [
          `The log has ${formatCount(events_logged)} runs of all tables in this time; ${formatCount(events_kept)} are kept.`,
        ]
      : []),
    ...(is_cut ? [`The newest ${runs.length} are listed.`] : []),
  ];
}

function Runs({ found, isNarrowed }: { found: Answer; isNarrowed: boolean }) {
  const { runs, reading } = found;
  const lacks = lacksOf(found);
  const zone = zoneName(usePageTime().state.zone);
  return (
    <>
      <div className={classes.lacks} role="note">
        <span>{countOf(runs.length, 'run')}</span>
        {lacks.map((one) => (
          <span key={one}>{one}</span>
        ))}
      </div>
      {reading.mend !== null && reading.state !== 'reading' ? (
        <CodeBlock code={reading.mend} label="Run as a superuser in the database of the connection" />
      ) : null}
      {runs.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title={isNarrowed ? 'No run matches' : 'No run is known'}>
          {isNarrowed
            ? 'Try a shorter text, or a longer time.'
            : 'Runs are listed as the log of the server has them.'}
        </EmptyState>
      ) : (
        <DataTable caption="Vacuum runs" columns={columnsOf(zone)} rows={runs} rowKey={({ id }) => id} />
      )}
    </>
  );
}

export function VacuumRuns({ id, lists }: { id: number; lists: ReactNode }) {
  const [text, set] = useUrlTexts(['q', 'table']);
  const time = usePageTime();
  const { from, to } = time.window;
  const [search] = useDebouncedValue(text('q').slice(0, 200).trim(), TYPED_MS);
  const table = text('table').slice(0, 191);
  const query = useOperation(
    'listConnectionVacuumRuns',
    {
      params: { id },
      query: {
        start_time: new Date(from).toISOString(),
        end_time: new Date(to).toISOString(),
        ...(search !== '' && { search }),
        ...(table !== '' && { table }),
      },
    },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  return (
    <Panel title="Vacuum runs" note="autovacuum and autoanalyze, newest first" flush>
      <search className={layout.tableFilters} aria-label="Filters of runs">
        {lists}
        <SearchField label="Search tables" value={text('q')} onChange={(q) => set({ q })} />
        {table === '' ? null : (
          <Button variant="default" size="compact-sm" onClick={() => set({ table: '' })}>
            Only {table}: show all tables
          </Button>
        )}
      </search>
      <Query query={query} what="the vacuum runs" lines={8} padded>
        {(found) => <Runs found={found} isNarrowed={search !== '' || table !== ''} />}
      </Query>
    </Panel>
  );
}

/** Leads from a table to its runs. */
export function VacuumRunsLink({ table, children }: { table: string; children: ReactNode }) {
  const [, set] = useUrlTexts(['list', 'table', 'q', 'sort']);
  return (
    <button
      type="button"
      className={classes.toRuns}
      title={`Vacuum runs of ${table}`}
      onClick={() => set({ list: 'vacuum', table, q: '', sort: '' })}
    >
      {children}
      <span className="visually-hidden">: vacuum runs of {table}</span>
    </button>
  );
}
