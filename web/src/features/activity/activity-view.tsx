// What a server did over a window of time: charts on one grid, with what was changed meanwhile.
import { useMemo } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { BUCKETS } from '../../lib/time-window.ts';
import { usePageTime } from '../../lib/use-time-window.ts';
import { momentText, zoneName } from '../../lib/zone.ts';
import { ChartPage } from '../../ui/charts/chart-page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { TimeBar } from '../../ui/time-bar.tsx';
import classes from './activity.module.css';
import { SOURCES } from './activity-charts.ts';
import { chartEvents, type Timeline } from './answers.ts';
import { SourceCharts } from './source-charts.tsx';

const CHANGES = 'config_change,extension_change,hba_change,ident_change,restart';
const MOST_EVENTS = 100;
const READ_MS = 60_000;

function Changes({ timeline, zone }: { timeline: Timeline; zone: string }) {
  const { events, total_count } = timeline;
  if (events.length === 0)
    return <p className={classes.quiet}>No restart and no change of settings, access rules or extensions.</p>;
  return (
    <>
      <ul className={classes.events}>
        {events.map(({ id, occurred_at, title, summary }) => (
          <li key={id}>
            <time dateTime={occurred_at}>{momentText(Date.parse(occurred_at), zone)}</time>
            <strong>{title}</strong>
            <span>{summary}</span>
          </li>
        ))}
      </ul>
      {total_count > events.length ? (
        <p className={classes.quiet}>
          The newest {events.length} of {total_count}.
        </p>
      ) : null}
    </>
  );
}

export function ActivityView({ id }: { id: number }) {
  const time = usePageTime();
  const { from, to } = time.window;
  const zone = zoneName(time.state.zone);
  const grid = useMemo(() => ({ from, to, buckets: BUCKETS }), [from, to]);
  const timeline = useOperation(
    'listTimelineEvents',
    {
      query: {
        connection_id: id,
        start_time: new Date(from).toISOString(),
        end_time: new Date(to).toISOString(),
        event_types: CHANGES,
        limit: MOST_EVENTS,
      },
    },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  const events = useMemo(() => (timeline.data ? chartEvents(timeline.data) : []), [timeline.data]);
  return (
    <ChartPage grid={grid} zone={zone} events={events} onWindow={time.showWindow}>
      <TimeBar time={time} />
      <div className={classes.charts}>
        {SOURCES.map((source) => (
          <SourceCharts key={source.probe} id={id} source={source} isLive={time.isLive} />
        ))}
      </div>
      <Panel title="Changes in this time" note="Flags in the charts stand where these were first seen.">
        <Query query={timeline} what="the changes" lines={2}>
          {(found) => <Changes timeline={found} zone={zone} />}
        </Query>
      </Panel>
    </ChartPage>
  );
}
