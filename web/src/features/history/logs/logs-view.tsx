// The log of a server over a window of time: how many events there were, of which classes, and those that matter with their texts.
import { useMemo } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatBytes, formatCount } from '../../../lib/format.ts';
import { comparedBy } from '../../../lib/time-window.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { StaleIcon, WarningIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import { LogEvents } from './log-events.tsx';
import { LogNames } from './log-names.tsx';
import { LogStrip } from './log-strip.tsx';
import classes from './logs.module.css';
import { comparedOf, gapText, type LogClass, type LogCounts, seriesOf, WEIGHTS } from './logs-words.ts';

const READ_MS = 30_000;

interface Compared {
  /** Of the window that it is compared with; undefined until it is there. */
  before: LogCounts | undefined;
  /** How long before, in milliseconds; 0: it is compared with none. */
  by: number;
}

/** Events of a class in the window that it is compared with. */
function Before({ compared: { before }, name }: { compared: Compared; name: string }) {
  const isRead = before?.classes.some(({ values }) => values.some((value) => value !== null)) === true;
  const events = before?.classes.find((one) => one.class === name)?.events ?? (isRead ? 0 : null);
  return events === null ? <Unknown because="The log was not read then" /> : formatCount(events);
}

const columnsOf = (onClass: (name: string) => void, compared: Compared): readonly Column<LogClass>[] => [
  {
    key: 'title',
    title: 'Class',
    width: 'grow',
    render: ({ class: name, title, meaning }) => (
      <>
        <button type="button" className={classes.class} onClick={() => onClass(name)}>
          {title}
        </button>
        <span className={classes.meaning}>{meaning}</span>
      </>
    ),
  },
  {
    key: 'weight',
    title: 'Severity',
    width: 'state',
    needs: 'medium',
    render: ({ weight }) => <Status {...WEIGHTS[weight]} />,
  },
  { key: 'events', title: 'Events', align: 'end', render: ({ events }) => formatCount(events) },
  ...(compared.by === 0
    ? []
    : [
        {
          key: 'before',
          title: 'Before',
          align: 'end' as const,
          hint: 'Events in the time that it is compared with',
          render: (one: LogClass) => <Before compared={compared} name={one.class} />,
        },
      ]),
];

/** Why the log is not read, or what is lacking of what is read, with what mends it. */
function Reading({ reading: { state, reason, mend, looked_at } }: Pick<LogCounts, 'reading'>) {
  if (reason === null) return null;
  const script =
    mend === null ? null : (
      <CodeBlock code={mend} label="Run as a superuser in the database of the connection" />
    );
  if (state === 'never' || state === 'unreadable')
    return (
      <Panel title="Turn on log reading">
        <p className={classes.reason}>{reason}</p>
        {script}
      </Panel>
    );
  return (
    <div className={layout.stack}>
      <Notice tone="warn" icon={<WarningIcon size={16} />}>
        {reason}
        {state === 'stale' && looked_at !== null ? (
          <>
            {' '}
            Last read <RelativeTime at={looked_at} />.
          </>
        ) : null}
      </Notice>
      {script}
    </div>
  );
}

function Gaps({ gaps, gap_bytes }: Pick<LogCounts, 'gaps' | 'gap_bytes'>) {
  if (gaps.length === 0) return null;
  return (
    <Notice tone="warn" icon={<WarningIcon size={16} />}>
      <details>
        <summary>{formatBytes(gap_bytes)} of the log could not be read in this time.</summary>
        <ul className={classes.gaps}>
          {gaps.map((gap) => (
            <li key={`${gap.noticed_at} ${gap.file_name} ${gap.bytes}`}>{gapText(gap)}</li>
          ))}
        </ul>
      </details>
    </Notice>
  );
}

function Drawn({ counts, compared, zone, chosen, onClass }: CountedProps) {
  const { grid } = useChartPage();
  const { before, by } = compared;
  const series = useMemo(
    () => [...seriesOf(counts, grid), ...comparedOf(counts, { before, by }, grid)],
    [counts, before, by, grid],
  );
  if (counts.classes.length === 0)
    return (
      <Panel title="Log events">
        <EmptyState icon={<StaleIcon size={26} />} title="No events in the log in this time">
          {counts.reading.since === null
            ? 'The log of this server was not read.'
            : 'The server wrote nothing, or this time was before reading began.'}
        </EmptyState>
      </Panel>
    );
  return (
    <LogStrip
      {...{ counts, series, chosen, onClass }}
      note={countOf(counts.total_events, 'event')}
      more="Classes and users"
    >
      <Panel title="Classes" note="most severe first" flush>
        <DataTable
          caption="Classes of log events"
          columns={columnsOf(onClass, compared)}
          rows={counts.classes}
          rowKey={(one) => one.class}
        />
      </Panel>
      <LogNames names={counts.names} zone={zone} />
    </LogStrip>
  );
}

interface CountedProps {
  counts: LogCounts;
  compared: Compared;
  zone: string;
  /** The class that is shown alone; empty: all. */
  chosen: string;
  onClass: (name: string) => void;
}

function Counted(props: CountedProps) {
  const { counts } = props;
  const { reading, classes: found } = counts;
  return (
    <>
      <Reading reading={reading} />
      {reading.since === null && found.length === 0 ? null : (
        <>
          <Gaps gaps={counts.gaps} gap_bytes={counts.gap_bytes} />
          <Drawn {...props} />
        </>
      )}
    </>
  );
}

function Parts({ id, isLive, zone }: { id: number; isLive: boolean; zone: string }) {
  const { grid, compare } = useChartPage();
  const by = compare === undefined ? 0 : comparedBy(compare, grid);
  const [chosen, setChosen] = useUrlText('class');
  const windowOf = (before: number) => ({
    start_time: new Date(grid.from - before).toISOString(),
    end_time: new Date(grid.to - before).toISOString(),
  });
  const window = windowOf(0);
  const query = useOperation(
    'getConnectionLogCounts',
    { params: { id }, query: { ...window, buckets: grid.buckets } },
    { keepPrevious: true, ...(isLive ? { everyMs: READ_MS } : {}) },
  );
  const { data: before } = useOperation(
    'getConnectionLogCounts',
    { params: { id }, query: { ...windowOf(by), buckets: grid.buckets } },
    { enabled: by > 0, keepPrevious: true },
  );
  const compared = { before: by > 0 ? before : undefined, by };
  const isRead = query.data !== undefined && query.data.reading.since !== null;
  return (
    <div className={classes.view}>
      <Query query={query} what="the log" lines={4}>
        {(counts) => <Counted {...{ counts, compared, zone, chosen }} onClass={setChosen} />}
      </Query>
      {isRead ? (
        <LogEvents
          key={isLive ? chosen : `${window.start_time} ${chosen}`}
          zone={zone}
          id={id}
          window={window}
          isLive={isLive}
          chosen={query.data?.classes.find((one) => one.class === chosen)?.title ?? chosen}
          filter={chosen}
        />
      ) : null}
    </div>
  );
}

export function LogsView({ id }: { id: number }) {
  return (
    <ServerHistory id={id} canCompare>
      {({ time, zone }) => <Parts id={id} isLive={time.isLive} zone={zone} />}
    </ServerHistory>
  );
}
