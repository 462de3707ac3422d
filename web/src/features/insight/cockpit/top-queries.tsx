// The statements that cost a server most in the window of the page, without our own, against the time before.
import { lazy, Suspense, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { coarseWindow, timeOf } from '../../../lib/time-window.ts';
import type { PageTime } from '../../../lib/use-time-window.ts';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { nextReadingText } from '../../history/activity/next-reading.ts';
import { useSource } from '../../history/activity/source-charts.tsx';
import { useCoverage } from '../../history/coverage/use-coverage.ts';
import { shortColumnsOf } from '../../history/queries/queries-columns.tsx';
import {
  askedFor,
  BY_LOAD,
  COURSE_BUCKETS,
  measuredSeconds,
  LOAD as STATEMENTS,
  type Statement,
} from '../../history/queries/queries-list.ts';
import classes from './cockpit.module.css';

const MissingReadings = lazy(async () => ({
  default: (await import('../../history/coverage/coverage-remedies.tsx')).MissingReadings,
}));

const SHOWN = 5;
const WANTED = { sort: BY_LOAD, text: '', database: '', isWithoutOwn: true };

export function TopQueries({ id, time: { window, isLive } }: { id: number; time: PageTime }) {
  const { from, to } = coarseWindow(window, isLive);
  const query = {
    ...askedFor(id, { from, to, compare: 'previous' }, WANTED),
    limit: SHOWN,
    course_buckets: COURSE_BUCKETS,
  };
  const found = useOperation('listTopQueries', { query }, { keepPrevious: true });
  const { grid, zone } = useChartPage();
  const coverage = useCoverage(id, { isCounted: true }).data?.probes ?? [];
  const own = coverage.filter(({ probe }) => probe === STATEMENTS.probe);
  const next = nextReadingText(coverage, own, { now: 1000 * currentSecond(), zone });
  const [search] = useSearchParams();
  const series = useSource({ id, source: STATEMENTS, isLive }).data;
  const calls = series?.find(({ metric }) => metric === 'calls_per_sec');
  const seconds = measuredSeconds(calls, grid);
  const kept = String(timeOf(search));
  const { pathOf, columns } = useMemo(() => {
    const path = ({ queryid }: Statement) => `/servers/${id}/queries/${queryid}${kept && `?${kept}`}`;
    return { pathOf: path, columns: shortColumnsOf({ seconds, pathOf: path }) };
  }, [id, seconds, kept]);
  const all = timeOf(search);
  all.set('tab', 'queries');
  return (
    <Panel
      title="Top queries"
      note="by total time, against the time before"
      actions={
        <Link className="link" to={`?${all}`}>
          All queries
        </Link>
      }
      flush
    >
      <Query query={found} what="the top queries" lines={6} padded>
        {(rows) =>
          rows.length === 0 ? (
            <div className={classes.none}>
              <p>No statement was counted in this time.{next}</p>
              <Suspense fallback={null}>
                <MissingReadings id={id} probes={[STATEMENTS.probe]} />
              </Suspense>
            </div>
          ) : (
            <div className={classes.top}>
              <DataTable
                caption="Top queries"
                columns={columns}
                rows={rows}
                rowPath={pathOf}
                rowKey={({ database_name, queryid }) => `${database_name}\n${queryid}`}
                isBusy={found.isPlaceholderData}
              />
            </div>
          )
        }
      </Query>
    </Panel>
  );
}
