// What a server did over a window of time: charts on one grid, with what was changed meanwhile.
import { momentText, withTimes } from '../../../lib/zone.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import classes from './activity.module.css';
import { SOURCES } from './activity-charts.ts';
import type { Timeline } from './answers.ts';
import { ServerHistory } from './server-history.tsx';
import { SourceCharts } from './source-charts.tsx';

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
            <span>{withTimes(summary, zone)}</span>
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
  return (
    <ServerHistory id={id} canCompare>
      {({ time, zone, timeline }) => (
        <>
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
        </>
      )}
    </ServerHistory>
  );
}
