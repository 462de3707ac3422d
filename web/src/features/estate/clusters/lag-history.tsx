// How far behind the standbys of a cluster were over the window of the page, with restarts, promotions, alerts and blackouts as flags. Guards:
// a standby of which nothing is known stands there with its reason, instead of missing from the charts.
import { useMemo } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { BUCKETS } from '../../../lib/time-window.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { type ChartEvent, ChartPage } from '../../../ui/charts/chart-page.tsx';
import type { ChartSeries, Grid } from '../../../ui/charts/series.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { chartEvents } from '../../history/activity/answers.ts';
import classes from './cluster-page.module.css';

const READ_MS = 60_000;
const MOST_EVENTS = 100;
/** As many as the operation takes. */
const MOST_SERVERS = 1000;
const EVENTS = 'restart,role_change,alert_fired,alert_cleared,blackout_started,blackout_ended';

type Lag = OperationTypes['getClusterLag']['result'];
type Stream = Lag['streams'][number];

/** Each metric of the answer is a chart. */
const TITLES = { lag_bytes: 'Lag', replay_lag_seconds: 'Replay lag' } as const;

interface LagProps {
  /** The servers of the cluster. */
  ids: readonly number[];
  cluster: string;
  nameOf: (id: number) => string;
}

/** Standbys that two servers send to are named with the sender. */
function namesOf(streams: readonly Stream[], nameOf: LagProps['nameOf']): string[] {
  return streams.map(({ source_connection_id: source, target_connection_id: target }) => {
    const isTwice = streams.filter((one) => one.source_connection_id === source).length > 1;
    return isTwice ? `${nameOf(source)} from ${nameOf(target)}` : nameOf(source);
  });
}

function Charts({ lag, nameOf }: { lag: Lag; nameOf: LagProps['nameOf'] }) {
  const { streams } = lag;
  const names = namesOf(streams, nameOf);
  const known = streams.filter(({ reason }) => reason === null);
  const seriesOf = ({ name, description }: Lag['metrics'][number]): ChartSeries[] =>
    streams.flatMap((stream, index) =>
      stream.reason === null ? [{ name: names[index] ?? '', values: stream[name].values, description }] : [],
    );
  return (
    <>
      {known.length === 0 ? null : (
        <div className={layout.charts}>
          {lag.metrics.map((metric) => (
            <div key={metric.name}>
              <h3 className={classes.chartTitle}>{TITLES[metric.name]}</h3>
              <Chart title={TITLES[metric.name]} unit={metric.unit} series={seriesOf(metric)} />
            </div>
          ))}
        </div>
      )}
      {streams.map(({ reason }, index) =>
        reason === null ? null : (
          <p key={names[index]} className={classes.reason}>
            {reason}
          </p>
        ),
      )}
    </>
  );
}

function useEvents(ids: readonly number[], { from, to }: Grid, isLive: boolean): ChartEvent[] {
  const { data } = useOperation(
    'listTimelineEvents',
    {
      query: {
        connection_ids: ids.slice(0, MOST_SERVERS).join(','),
        start_time: new Date(from).toISOString(),
        end_time: new Date(to).toISOString(),
        event_types: EVENTS,
        include: 'changes',
        limit: MOST_EVENTS,
      },
    },
    { keepPrevious: true, ...(isLive ? { everyMs: READ_MS } : {}) },
  );
  return useMemo(
    () => (data ? chartEvents(data, ({ server_name, title }) => `${server_name}: ${title}`) : []),
    [data],
  );
}

export function LagHistory({ ids, cluster, nameOf }: LagProps) {
  const time = usePageTime();
  const { from, to } = time.window;
  const grid = useMemo(() => ({ from, to, buckets: BUCKETS }), [from, to]);
  const events = useEvents(ids, grid, time.isLive);
  const lag = useOperation(
    'getClusterLag',
    {
      params: { id: cluster },
      query: {
        start_time: new Date(from).toISOString(),
        end_time: new Date(to).toISOString(),
        buckets: BUCKETS,
      },
    },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  if (lag.data?.streams.length === 0) return null;
  return (
    <ChartPage grid={grid} zone={zoneName(time.state.zone)} events={events} onWindow={time.showWindow}>
      <Panel title="Lag over time" note="as the senders measured it">
        <TimeBar time={time} />
        <Query query={lag} what="the lag" lines={7}>
          {(found) => <Charts lag={found} nameOf={nameOf} />}
        </Query>
      </Panel>
    </ChartPage>
  );
}
