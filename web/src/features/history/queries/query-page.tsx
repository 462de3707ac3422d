// One statement of a server: its text, what it cost over the window of the page and in another one beside it, what it
// waited for, and where it runs.
import { useMemo, useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { STEADY_MS, useOperation } from '../../../api/use-operation.ts';
import { changeText } from '../../../lib/change.ts';
import { cutText } from '../../../lib/inert-text.ts';
import { type Comparison, timeOf } from '../../../lib/time-window.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { formatValue } from '../../../ui/charts/values.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import type { Timeline } from '../activity/answers.ts';
import { ServerHistory } from '../activity/server-history.tsx';
import { MissingReadings } from '../coverage/coverage-remedies.tsx';
import { logsPath } from '../logs/log-paths.ts';
import classes from './queries.module.css';
import { aboutStatement } from './query-about.ts';
import { chartsOf, fitsGrid, isMain, type QueryChart, type QueryDetail } from './query-detail.ts';
import { Figures, Places, Waits } from './query-tables.tsx';
import { StatementPlans } from './statement-plans.tsx';
import { StatementTables } from './statement-tables-panel.tsx';
import { StatementText } from './statement-text.tsx';
import { statementTitle } from './statement-title.ts';
import { useStatementWatch, WATCHED_MS } from './use-statement-watch.ts';

const MOST_TABLES = 4;
const MOST_LETTERS = 60;

/** "SELECT orders, customer"; of what is no such statement, how it begins; of one without a text, its number. */
function titleOf(queryid: string, query: string | null | undefined): string {
  const text = query?.replaceAll(/\s+/g, ' ').trim() ?? '';
  if (text === '') return `Statement ${queryid}`;
  const title = statementTitle(text);
  if (!title) return text.length > MOST_LETTERS ? `${cutText(text, MOST_LETTERS)}…` : text;
  const { verb, tables } = title;
  const more = tables.length - MOST_TABLES;
  return `${verb} ${tables.slice(0, MOST_TABLES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function Head({ id, queryid, query }: { id: number; queryid: string; query: string | null | undefined }) {
  const [search] = useSearchParams();
  const estate = useOperation('getEstate', {}, { everyMs: STEADY_MS });
  const server = estate.data?.servers.find(({ connection_id }) => connection_id === id);
  return (
    <PageHeader
      title={titleOf(queryid, query)}
      facts={
        <span className={classes.facts}>
          {server ? `on ${server.name} · ` : ''}queryid {queryid}
          <CopyButton text={queryid} label="Copy queryid" />
        </span>
      }
      actions={
        <Link className="link" to={logsPath(id, timeOf(search), { queryid })}>
          Events in the log
        </Link>
      }
    />
  );
}

function Text({ detail }: { detail: QueryDetail }) {
  const { query, queryid, is_own, first_seen, last_seen } = detail;
  return (
    <Panel
      title="Text"
      note={
        <>
          first seen <RelativeTime at={first_seen} />, last seen <RelativeTime at={last_seen} />
          {is_own === true ? <span className={classes.own}>Matriarch</span> : null}
        </>
      }
      actions={<ExplainButton what={`statement ${queryid}`} question={() => aboutStatement(detail)} />}
    >
      {query === null ? (
        <p>
          <Unknown /> Its text was not read yet.
        </p>
      ) : (
        <StatementText query={query} queryid={queryid} />
      )}
    </Panel>
  );
}

/** "174 ms ×1.5": over the whole window, and against the other one. */
function Whole({ chart: { total, compared_total, unit } }: { chart: QueryChart }) {
  const before = formatValue(compared_total, unit);
  return (
    <span title={before && `${before} in the other window`}>
      {formatValue(total, unit)} <strong>{changeText(total, compared_total)}</strong>
    </span>
  );
}

function Charts({ charts, isLow = false }: { charts: readonly QueryChart[]; isLow?: boolean }) {
  return (
    <div className={classes.charts}>
      {charts.map((chart) => (
        <Panel key={chart.metric} title={chart.title} note={<Whole chart={chart} />}>
          <Chart title={chart.title} unit={chart.unit} series={chart.series} isLow={isLow} />
        </Panel>
      ))}
    </div>
  );
}

/** Calls, mean time and rows; all others, and every figure, are folded. */
function Cost({ detail, compare }: { detail: QueryDetail; compare: Comparison }) {
  const { grid } = useChartPage();
  const charts = useMemo(() => chartsOf(detail, compare), [detail, compare]);
  // While another window is read, what was read before would stand at wrong times.
  if (!fitsGrid(detail, grid)) return null;
  if (charts.length === 0)
    return (
      <Panel title="Cost">
        <p>
          It did not run in this time, or was not counted. Coverage shows for which times statements were
          read.
        </p>
      </Panel>
    );
  return <Charts charts={charts.filter(isMain)} />;
}

function Others({ detail, compare }: { detail: QueryDetail; compare: Comparison }) {
  const { grid } = useChartPage();
  const [open, setOpen] = useState(false);
  const charts = useMemo(() => chartsOf(detail, compare), [detail, compare]);
  return (
    <details className={classes.more} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>All figures and charts</summary>
      {open ? (
        <div className={classes.view}>
          <Figures detail={detail} compare={compare} />
          {fitsGrid(detail, grid) ? <Charts charts={charts.filter((one) => !isMain(one))} isLow /> : null}
        </div>
      ) : null}
    </details>
  );
}

interface OfProps {
  id: number;
  queryid: string;
  isLive: boolean;
  compare: Comparison;
  events: readonly Timeline['events'][number][];
}

function OneQuery({ id, queryid, isLive, compare, events }: OfProps) {
  const { grid } = useChartPage();
  useStatementWatch(id, isLive);
  const query = useOperation(
    'getQueryDetail',
    {
      params: { id, queryid },
      query: {
        start_time: new Date(grid.from).toISOString(),
        end_time: new Date(grid.to).toISOString(),
        buckets: grid.buckets,
        compare,
      },
    },
    { keepPrevious: true, ...(isLive ? { everyMs: WATCHED_MS } : {}) },
  );
  // While another statement is read, what is shown of the one before would stand under its name.
  const data = query.data?.queryid === queryid ? query.data : undefined;
  return (
    <>
      <Head id={id} queryid={queryid} query={data?.query} />
      <Query query={{ ...query, data }} what="the statement" lines={8}>
        {(detail) => (
          <div className={classes.view}>
            <Text detail={detail} />
            <StatementTables id={id} statement={detail} events={events} />
            <Cost detail={detail} compare={compare} />
            <Waits waits={detail.waits} />
            <Places places={detail.places} />
            <StatementPlans id={id} queryid={queryid} />
            <Others detail={detail} compare={compare} />
            <MissingReadings id={id} probes={['pg_stat_statements']} />
          </div>
        )}
      </Query>
    </>
  );
}

export function QueryPage() {
  const { id = '', queryid = '' } = useParams();
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
  if (number === 0 || number > 2_147_483_647 || !/^-?\d{1,19}$/.test(queryid)) return <NotFoundPage />;
  return (
    <ServerHistory id={number} canCompare>
      {({ time, timeline }) => (
        <OneQuery
          id={number}
          queryid={queryid}
          isLive={time.isLive}
          compare={time.state.compare ?? 'previous'}
          events={timeline.data?.events ?? []}
        />
      )}
    </ServerHistory>
  );
}
