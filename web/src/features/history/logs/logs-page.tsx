// The logs of all servers that one may see: what happened over time, on which servers, and which logs are not read.
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { BUCKETS, comparedBy, timeOf } from '../../../lib/time-window.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { ChartPage, useChartPage } from '../../../ui/charts/chart-page.tsx';
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import chips from '../../../ui/chips.module.css';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { LogsIcon } from '../../../ui/icons.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { EstateEvents } from './estate-events.tsx';
import { logsPath } from './log-paths.ts';
import { ChipRow, LogStrip } from './log-strip.tsx';
import logs from './logs.module.css';
import classes from './logs-page.module.css';
import { comparedOf, seriesOf } from './logs-words.ts';

type EstateCounts = OperationTypes['getEstateLogCounts']['result'];
type ServerCounts = EstateCounts['servers'][number];

const READ_MS = 60_000;
const MOST_CHIPS = 12;

/** What is said of a log that is not read; undefined: it is. */
function unreadWords({ state, reason }: ServerCounts): string | undefined {
  if (state === 'reading') return undefined;
  if (state === 'never') return 'Never read. Its page says how to turn log reading on.';
  return reason ?? 'Not read.';
}

/** Something of its log was read in this time. */
const isCounted = ({ values, critical, warning, others }: ServerCounts) =>
  critical + warning + others > 0 || values.some((value) => value !== null);

function columnsOf(time: URLSearchParams): readonly Column<ServerCounts>[] {
  return [
    {
      key: 'server',
      title: 'Server',
      width: 'half',
      value: ({ connection_name }) => connection_name,
      render: ({ connection_id, connection_name }) => (
        <Link className="link" data-row-link to={logsPath(connection_id, time)}>
          {connection_name}
        </Link>
      ),
    },
    {
      key: 'critical',
      title: 'Critical',
      align: 'end',
      descendingFirst: true,
      value: ({ critical }) => critical,
      render: ({ critical }) => formatCount(critical),
    },
    {
      key: 'warning',
      title: 'Warnings',
      align: 'end',
      descendingFirst: true,
      value: ({ warning }) => warning,
      render: ({ warning }) => formatCount(warning),
    },
    {
      key: 'others',
      title: 'Others',
      align: 'end',
      needs: 'medium',
      descendingFirst: true,
      value: ({ others }) => others,
      render: ({ others }) => formatCount(others),
    },
    {
      key: 'course',
      title: 'Over time',
      hint: 'Critical events and warnings',
      needs: 'medium',
      render: ({ values }) => <Sparkline values={values} />,
    },
    {
      key: 'classes',
      title: 'What matters most',
      width: 'grow',
      needs: 'medium',
      render: ({ connection_id, classes: found }) => (
        <span className={classes.found}>
          {found.map(({ class: name, title, events }) => (
            <Link key={name} className="link" to={logsPath(connection_id, time, { class: name })}>
              {title} {formatCount(events)}
            </Link>
          ))}
        </span>
      ),
    },
  ];
}

function Unread({ servers, time }: { servers: readonly ServerCounts[]; time: URLSearchParams }) {
  const unread = servers.flatMap((one) => {
    const words = unreadWords(one);
    return words === undefined ? [] : [{ ...one, words }];
  });
  if (unread.length === 0) return null;
  return (
    <Panel title="Logs that are not read" note={countOf(unread.length, 'server')}>
      <ul className={classes.unread}>
        {unread.map(({ connection_id, connection_name, words }) => (
          <li key={connection_id}>
            <Link className="link" to={logsPath(connection_id, time)}>
              {connection_name}
            </Link>
            : {words}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Those with the most critical events, each with how many are critical or a warning. */
function ServerChips({ servers, time }: { servers: readonly ServerCounts[]; time: URLSearchParams }) {
  return (
    <ChipRow label="Servers by events that matter">
      {servers.slice(0, MOST_CHIPS).map(({ connection_id, connection_name, critical, warning }) => (
        <li key={connection_id}>
          <Link className={chips.chip} to={logsPath(connection_id, time)}>
            {connection_name} <strong>{formatCount(critical + warning)}</strong>
          </Link>
        </li>
      ))}
    </ChipRow>
  );
}

interface CountedProps {
  counts: EstateCounts;
  /** Of the window that it is compared with, which began `by` milliseconds earlier. */
  before: EstateCounts | undefined;
  by: number;
}

function Counted({ counts, before, by }: CountedProps) {
  const { grid } = useChartPage();
  const [search] = useSearchParams();
  const [text, set] = useUrlTexts(['class', 'important']);
  const series = useMemo(
    () => [...seriesOf(counts, grid), ...comparedOf(counts, { before, by }, grid)],
    [counts, before, by, grid],
  );
  const time = useMemo(() => timeOf(search), [search]);
  const columns = useMemo(() => columnsOf(time), [time]);
  const { servers, left_out, total_events } = counts;
  const known = servers.filter(isCounted);
  const unread = servers.filter((one) => unreadWords(one) !== undefined).length;
  if (known.length === 0)
    return (
      <>
        <EmptyState icon={<LogsIcon size={26} />} title="No log is read">
          Matriarch reads the logs of servers once log reading is turned on; the page of each server says how.
        </EmptyState>
        <Unread servers={servers} time={time} />
      </>
    );
  return (
    <LogStrip
      {...{ counts, series }}
      note={`${countOf(total_events, 'event')} on ${countOf(known.length, 'server')}`}
      more={unread === 0 ? 'All servers' : `All servers, ${formatCount(unread)} not read`}
      chosen={text('class')}
      // What happens every day is among those that do not matter.
      onClass={(name) => set({ class: name, important: name === '' ? '' : 'no' })}
      row={<ServerChips servers={known} time={time} />}
    >
      <Panel
        title="Servers"
        note={left_out === 0 ? 'most critical events first' : `${formatCount(left_out)} more are not shown`}
        flush
      >
        <DataTable
          caption="Servers by events of their logs"
          columns={columns}
          rows={known}
          rowKey={({ connection_id }) => String(connection_id)}
        />
      </Panel>
      <Unread servers={servers} time={time} />
    </LogStrip>
  );
}

export function LogsPage() {
  const time = usePageTime('24h');
  const { from, to } = time.window;
  const zone = zoneName(time.state.zone);
  const grid = useMemo(() => ({ from, to, buckets: BUCKETS }), [from, to]);
  const { compare } = time.state;
  const by = compare === undefined ? 0 : comparedBy(compare, { from, to });
  const windowOf = (before: number) => ({
    start_time: new Date(from - before).toISOString(),
    end_time: new Date(to - before).toISOString(),
  });
  const window = windowOf(0);
  const { data: before } = useOperation(
    'getEstateLogCounts',
    { query: windowOf(by) },
    { enabled: by > 0, keepPrevious: true },
  );
  const query = useOperation(
    'getEstateLogCounts',
    { query: window },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  return (
    <>
      <PageHeader title="Logs" facts="What servers wrote to their logs" />
      <ChartPage grid={grid} zone={zone} events={[]} onWindow={time.showWindow} compare={compare}>
        <TimeBar time={time} canCompare />
        <div className={logs.view}>
          <Query query={query} what="the logs" lines={8}>
            {(counts) => (
              <>
                <Counted counts={counts} before={by > 0 ? before : undefined} by={by} />
                {counts.servers.some(isCounted) ? (
                  <EstateEvents
                    key={time.isLive ? 'live' : window.start_time}
                    window={window}
                    isLive={time.isLive}
                    zone={zone}
                  />
                ) : null}
              </>
            )}
          </Query>
        </div>
      </ChartPage>
    </>
  );
}
