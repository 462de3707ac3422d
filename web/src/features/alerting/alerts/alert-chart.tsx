// The metric of an alert around the time when it fired, with its threshold, and when it fired and cleared as flags. Guards: a
// chart of other objects than the one that the alert is about is not shown as its chart.

import { Button } from '@mantine/core';
import { useMemo, useSyncExternalStore } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond, subscribeToSeconds } from '../../../lib/clock.ts';
import { BUCKETS, type Window } from '../../../lib/time-window.ts';
import { HOUR_MS } from '../../../lib/units.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { ChartPage } from '../../../ui/charts/chart-page.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { chartSeries, fitsGrid, hasValues, seriesOf } from '../../history/activity/answers.ts';
import { type Alert, type AlertEvent, EVENT_WORDS, thresholdWords } from './alert-words.ts';
import classes from './alerts.module.css';

/** The window moves on by as much while the alert is open. */
const STEP_MS = 60_000;
/** Of an alert that has been open for longer, the time when it fired. */
const LONGEST_MS = 24 * HOUR_MS;

/** From an hour before it fired until an hour after it cleared, or now. Pure. */
export function chartWindow({ triggered_at, cleared_at }: Alert, now: number): Window {
  const fired = Date.parse(triggered_at);
  const end = cleared_at === undefined ? now : Math.min(now, Date.parse(cleared_at) + HOUR_MS);
  const to = Math.min(Math.ceil(end / STEP_MS) * STEP_MS, fired + LONGEST_MS);
  return { from: fired - HOUR_MS, to: Math.max(to, fired + STEP_MS) };
}

/** Probes whose objects the operation knows by schema and name. */
const OF_TABLES = new Set(['pg_stat_all_tables', 'pg_statio_all_tables']);

export interface Charted {
  probe_name: string;
  metrics: string;
  database_name?: string;
  schema_name?: string;
  table_name?: string;
}

/** What to ask for; undefined where only a chart of more than the alert is about could be had. Pure. */
export function chartedOf(alert: Alert): Charted | undefined {
  const { probe_name, metric_name, database_name, object_name } = alert;
  if (probe_name === undefined || metric_name === undefined) return undefined;
  const own = { probe_name, metrics: metric_name, ...(database_name === undefined ? {} : { database_name }) };
  if (object_name === undefined || object_name === database_name) return own;
  const [schema_name, table_name, ...rest] = object_name.split('.');
  const isTable = OF_TABLES.has(probe_name) && table_name !== undefined && rest.length === 0;
  // A name that was cut names nothing.
  if (!isTable || schema_name === undefined || object_name.endsWith('…')) return undefined;
  return { ...own, schema_name, table_name };
}

const minuteNow = () => Math.floor((currentSecond() * 1000) / STEP_MS) * STEP_MS;

interface ChartOf {
  alert: Alert;
  events: readonly AlertEvent[];
  charted: Charted;
}

function MetricChart({ alert, events, charted }: ChartOf) {
  const now = useSyncExternalStore(subscribeToSeconds, minuteNow);
  const time = usePageTime();
  const { from, to } = time.state.fixed ?? chartWindow(alert, now);
  const grid = useMemo(() => ({ from, to, buckets: BUCKETS }), [from, to]);
  const query = {
    connection_id: alert.connection_id,
    ...charted,
    start_time: new Date(from).toISOString(),
    end_time: new Date(to).toISOString(),
    buckets: BUCKETS,
  };
  const answer = useOperation('queryMetrics', { query }, { keepPrevious: true, staleMs: STEP_MS });
  const found = useMemo(() => answer.data && seriesOf(answer.data), [answer.data]);
  const flags = useMemo(
    () =>
      events.map(({ event_type, occurred_at }) => ({
        id: `${event_type}-${occurred_at}`,
        at: Date.parse(occurred_at),
        title: EVENT_WORDS[event_type],
      })),
    [events],
  );
  const data = found && (!answer.isPlaceholderData || fitsGrid(found, grid)) ? found : undefined;
  const limit = thresholdWords(alert);
  const level =
    limit === undefined || alert.threshold_value === undefined
      ? undefined
      : { name: `alert ${limit}`, value: alert.threshold_value };
  return (
    <ChartPage grid={grid} zone={zoneName(time.state.zone)} events={flags} onWindow={time.showWindow}>
      <Panel
        title="Around that time"
        {...(time.state.fixed
          ? {
              actions: (
                <Button size="compact-sm" variant="default" onClick={() => time.showRange('1h')}>
                  Show the whole time
                </Button>
              ),
            }
          : {})}
      >
        <Query query={{ ...answer, data }} what="the chart" lines={7}>
          {(series) =>
            series.some(hasValues) ? (
              <Chart
                title={series[0]?.description?.split(/[;.]/).at(0) ?? charted.metrics}
                unit={series[0]?.unit ?? ''}
                series={series.map((one) => chartSeries(one, grid))}
                level={level}
              />
            ) : (
              <p className={classes.remark}>Nothing was measured in this time.</p>
            )
          }
        </Query>
      </Panel>
    </ChartPage>
  );
}

export function AlertChart({ alert, events }: Omit<ChartOf, 'charted'>) {
  const charted = chartedOf(alert);
  return charted ? <MetricChart alert={alert} events={events} charted={charted} /> : null;
}
