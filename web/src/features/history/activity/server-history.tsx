// What every part of a server's page that shows a window of time stands in: the bar that chooses the window, one grid and
// one clock for all charts, and what happened meanwhile as flags in them: changes,
// restarts, alerts and blackouts.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { BUCKETS } from '../../../lib/time-window.ts';
import { type PageTime, usePageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { ChartPage } from '../../../ui/charts/chart-page.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { chartEvents, type Timeline } from './answers.ts';

/** What may explain a bend in a line. A dropped index is told only to those who ask for it. */
const FLAGS = [
  'config_change,extension_change,hba_change,ident_change,restart,version_change',
  'index_made,index_dropped,table_dropped',
  'log_event',
  'alert_fired,alert_cleared,blackout_started,blackout_ended',
].join(',');
const MOST_EVENTS = 100;
const READ_MS = 60_000;

export interface Shown {
  time: PageTime;
  /** Name of the zone by whose clock moments are said. */
  zone: string;
  timeline: UseQueryResult<Timeline, ApiError>;
}

export interface ServerHistoryProps {
  id: number;
  /** The part shows the state of a moment, which its charts choose. */
  withMoments?: boolean;
  /** Its charts can show another window beside this one. */
  canCompare?: boolean;
  children: (shown: Shown) => ReactNode;
}

export function ServerHistory({ id, withMoments = false, canCompare = false, children }: ServerHistoryProps) {
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
        event_types: FLAGS,
        // Some of them are not among those that are answered without it.
        include: 'changes',
        limit: MOST_EVENTS,
      },
    },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  const events = useMemo(() => (timeline.data ? chartEvents(timeline.data) : []), [timeline.data]);
  return (
    <ChartPage
      grid={grid}
      zone={zone}
      events={events}
      onWindow={time.showWindow}
      compare={canCompare ? time.state.compare : undefined}
      {...(withMoments ? { chosen: time.moment, onMoment: time.showMoment } : {})}
    >
      <TimeBar time={time} canCompare={canCompare} />
      {children({ time, zone, timeline })}
    </ChartPage>
  );
}
