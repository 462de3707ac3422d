// The charts of one probe: read at once, each with what it means, or why there is nothing.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { useChartPage } from '../../../ui/charts/chart-page.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { useCoverage } from '../coverage/use-coverage.ts';
import classes from './activity.module.css';
import type { ActivityChart, ActivitySource } from './activity-charts.ts';
import {
  chartSeries,
  comparedSeries,
  fitsGrid,
  hasValues,
  type MetricSeries,
  reasonOf,
  seriesOf,
} from './answers.ts';
import { CheckpointsChart } from './checkpoints-chart.tsx';

/** While a window follows the clock; what is shown is collected every 30 s at most. */
const READ_MS = 60_000;

function Nothing({ id, probe, chart }: Pick<OneProps, 'id' | 'probe' | 'chart'>) {
  const coverage = useCoverage(id);
  const { zone } = useChartPage();
  const clock = { now: 1000 * currentSecond(), zone };
  const reason = coverage.data && reasonOf(coverage.data.probes, probe, { metrics: chart.metrics, clock });
  return (
    <div className={classes.nothing}>
      <p>Nothing was measured in this time.</p>
      {reason === undefined ? null : <p>{reason}</p>}
      <Link className="link" to={`?tab=coverage&find=${encodeURIComponent(probe)}`}>
        {probe} in Coverage
      </Link>
    </div>
  );
}

interface OneProps {
  id: number;
  probe: string;
  chart: ActivityChart;
  found: readonly MetricSeries[];
}

function OneChart({ id, probe, chart, found }: OneProps) {
  const { grid, compare } = useChartPage();
  const own = useMemo(() => found.filter(({ metric }) => chart.metrics.includes(metric)), [found, chart]);
  const series = useMemo(
    () => [...own.map((one) => chartSeries(one, grid)), ...comparedSeries(own, { grid, compare })],
    [own, grid, compare],
  );
  if (!own.some(hasValues)) return <Nothing id={id} probe={probe} chart={chart} />;
  const { title } = chart;
  const unit = own[0]?.unit ?? '';
  if (chart.marks === 'checkpoints') return <CheckpointsChart {...{ id, title, unit, series }} />;
  return <Chart title={title} unit={unit} series={series} />;
}

export interface SourceChartsProps {
  id: number;
  source: ActivitySource;
  isLive: boolean;
}

/** All series of a source on the grid of the page. */
export function useSource({ id, source: { probe, charts }, isLive }: SourceChartsProps) {
  const { grid, compare } = useChartPage();
  const query = useOperation(
    'queryMetrics',
    {
      query: {
        connection_id: id,
        probe_name: probe,
        start_time: new Date(grid.from).toISOString(),
        end_time: new Date(grid.to).toISOString(),
        buckets: grid.buckets,
        metrics: charts.flatMap(({ metrics }) => metrics).join(','),
        ...(compare && { compare }),
      },
    },
    { keepPrevious: true, ...(isLive ? { everyMs: READ_MS } : {}) },
  );
  const series = useMemo(() => query.data && seriesOf(query.data), [query.data]);
  return {
    ...query,
    data: series && (!query.isPlaceholderData || fitsGrid(series, grid)) ? series : undefined,
  };
}

export function SourceCharts(props: SourceChartsProps) {
  const { id, source } = props;
  const { probe, charts } = source;
  const query = useSource(props);
  return charts.map((chart) => (
    <Panel key={chart.title} title={chart.title}>
      <Query query={query} what={`the chart ${chart.title}`} lines={7}>
        {(found) => <OneChart id={id} probe={probe} chart={chart} found={found} />}
      </Query>
    </Panel>
  ));
}
