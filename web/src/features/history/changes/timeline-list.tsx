// What happened in a window of time, newest first, day by day; which kinds and which servers stands in the address.
import { Button } from '@mantine/core';
import { useSearchParams } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { coarseWindow, timeOf } from '../../../lib/time-window.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import type { PageTime } from '../../../lib/use-time-window.ts';
import { zoneName } from '../../../lib/zone.ts';
import { StaleIcon, WarningIcon } from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import classes from './timeline.module.css';
import { OneEvent } from './timeline-event.tsx';
import { TimelineFilters } from './timeline-filters.tsx';
import { askedFor, daysOf, type Kind, kindsOf, serversOf, type TimelineFilter } from './timeline-words.ts';

type Result = OperationTypes['listTimelineEvents']['result'];

const READ_MS = 60_000;

export interface TimelineListProps {
  time: PageTime;
  /** Of this server alone; undefined: of the estate. */
  id?: number;
  /** Only these, which nobody can choose then. */
  kinds?: readonly Kind[];
  title?: string;
}

function Nothing({ time, isNarrowed }: { time: PageTime; isNarrowed: boolean }) {
  const isLonger = time.state.range !== '30d' || !time.isLive;
  return (
    <EmptyState
      icon={<StaleIcon size={26} />}
      title={isNarrowed ? 'Nothing like that happened in this time' : 'Nothing happened in this time'}
      {...(isLonger
        ? {
            action: (
              <Button variant="default" size="xs" onClick={() => time.showRange('30d')}>
                Look at the last 30 days
              </Button>
            ),
          }
        : {})}
    >
      A change is listed when it is first seen. What was there when a server was first looked at is no change.
    </EmptyState>
  );
}

/** Why not all is told, each reason once. */
function Incomplete({ incomplete = [] }: Pick<Result, 'incomplete'>) {
  return [...new Set(incomplete.map(({ reason }) => reason))].map((reason) => (
    <Notice key={reason} tone="warn" icon={<WarningIcon size={16} />}>
      {reason}
    </Notice>
  ));
}

interface DaysProps {
  result: Result;
  time: PageTime;
  ofEstate: boolean;
}

function Days({ result: { events, total_count }, time, ofEstate }: DaysProps) {
  const [search] = useSearchParams();
  const zone = zoneName(time.state.zone);
  const pathOf = (id: number) => {
    const params = timeOf(search);
    params.set('tab', 'timeline');
    return `/servers/${id}?${params}`;
  };
  return (
    <>
      {daysOf(events, zone).map(({ date, title, events: own }) => (
        <section key={date} className={classes.day} aria-label={title}>
          <h3 className={classes.date}>{title}</h3>
          <ol className={classes.events}>
            {own.map((event) => (
              <OneEvent
                key={event.id}
                event={event}
                zone={zone}
                serverPath={ofEstate && event.connection_id > 0 ? pathOf(event.connection_id) : undefined}
              />
            ))}
          </ol>
        </section>
      ))}
      {total_count > events.length ? (
        <p className={classes.more}>
          The newest {formatCount(events.length)} of {formatCount(total_count)}. Choose a shorter time or
          fewer kinds to see the others.
        </p>
      ) : null}
    </>
  );
}

export function TimelineList({ time, id, kinds: fixed, title = 'Timeline' }: TimelineListProps) {
  const [text, set] = useUrlTexts(['kinds', 'servers']);
  const ofEstate = id === undefined;
  const wanted: TimelineFilter = {
    kinds: fixed ?? kindsOf(text('kinds')),
    servers: ofEstate ? serversOf(text('servers')) : [id],
  };
  const query = useOperation(
    'listTimelineEvents',
    { query: askedFor(coarseWindow(time.window, time.isLive), wanted) },
    { keepPrevious: true, ...(time.isLive ? { everyMs: READ_MS } : {}) },
  );
  const want = ({ kinds, servers }: Partial<TimelineFilter>) =>
    set({
      ...(kinds && { kinds: kinds.join(',') }),
      ...(servers && { servers: servers.join(',') }),
    });
  const isNarrowed = (!fixed && wanted.kinds.length > 0) || (ofEstate && wanted.servers.length > 0);
  const count = query.data && countOf(query.data.total_count, 'event');
  return (
    <Panel
      title={title}
      note={`${count === undefined ? '' : `${count}, `}newest first, times in ${zoneName(time.state.zone)}`}
    >
      {fixed ? null : <TimelineFilters wanted={wanted} onWant={want} ofEstate={ofEstate} />}
      <Query query={query} what="the timeline" lines={8}>
        {(result) => (
          <>
            <Incomplete {...(result.incomplete && { incomplete: result.incomplete })} />
            {result.events.length === 0 ? (
              <Nothing time={time} isNarrowed={isNarrowed} />
            ) : (
              <Days result={result} time={time} ofEstate={ofEstate} />
            )}
          </>
        )}
      </Query>
    </Panel>
  );
}
