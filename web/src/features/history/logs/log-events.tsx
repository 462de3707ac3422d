// Events of the log with their masked texts, newest first, page by page or as they come, for those who may read them.
import { Button } from '@mantine/core';
import { useRef } from 'react';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { useFoundEvents } from './found-events.ts';
import { OneEvent } from './log-event.tsx';
import { type LogFilterState, LogFilters, useLogFilters } from './log-filters.tsx';
import { LiveButton, LiveState, useHeld, useLive } from './log-live.tsx';
import { Below } from './log-pages.tsx';
import { useLogTail } from './log-tail.ts';
import classes from './logs.module.css';
import type { LogEvent } from './logs-words.ts';
import { SavedSearches } from './saved-searches.tsx';

const READ_MS = 30_000;
const PAGE = 50;

export interface LogEventsProps {
  id: number;
  window: { start_time: string; end_time: string };
  isLive: boolean;
  zone: string;
  /** The class that is shown alone; empty: all. */
  filter: string;
  /** What it is called. */
  chosen: string;
}

interface ReadProps extends LogEventsProps {
  wanted: LogFilterState['wanted'];
  isNarrowed: boolean;
  isFollowed: boolean;
  onProcess: (process_id: string) => void;
}

/** Each once, what came last first. */
function merged(newer: readonly LogEvent[], events: readonly LogEvent[]): readonly LogEvent[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...events.filter(({ id }) => !known.has(id))];
}

function Read(props: ReadProps) {
  const { id, window, isLive, zone, chosen, wanted, isNarrowed, isFollowed, onProcess } = props;
  const list = useRef<HTMLDivElement>(null);
  const tail = useLogTail(id, wanted, isFollowed);
  const held = useHeld(tail, list, isFollowed);
  const { query, page, searched, cursors, setCursors } = useFoundEvents('listConnectionLogEvents', {
    inputOf: (from) => ({
      params: { id },
      query: { ...window, limit: PAGE, ...wanted, ...(from !== undefined && { cursor: from }) },
    }),
    everyMs: isLive ? READ_MS : undefined,
    isFollowed,
    isOpen: tail.isOpen,
  });
  const isFirst = cursors.length === 0;
  return (
    <>
      {isFollowed && isLive ? <LiveState tail={tail} held={held} list={list} /> : null}
      <div ref={list} className={classes.list}>
        <Query query={query} what="the events of the log" lines={8}>
          {(first) => {
            const { events, next_cursor, searched_back_to } = page ?? first;
            const shown = isFirst ? merged(held.events, events) : events;
            return (
              <>
                {shown.length === 0 ? null : (
                  <ol className={layout.list}>
                    {shown.map((event) => (
                      <OneEvent key={event.id} id={id} event={event} zone={zone} onProcess={onProcess} />
                    ))}
                  </ol>
                )}
                <Below
                  {...{ zone, chosen, isNarrowed, searched, cursors }}
                  isShown={shown.length > 0}
                  page={{ events, next_cursor, searched_back_to }}
                  onPage={setCursors}
                />
              </>
            );
          }}
        </Query>
      </div>
    </>
  );
}

export function LogEvents(props: LogEventsProps) {
  const { data: user } = useUser();
  const { filter, chosen, isLive } = props;
  const filters = useLogFilters();
  const [isFollowed, setFollowed] = useLive(isLive);
  const mayRead = mayUse(user, 'read_logs');
  const actions = (
    <div className={classes.actions}>
      {filters.isNarrowed ? (
        <Button variant="default" size="compact-xs" onClick={filters.clear}>
          Clear filters
        </Button>
      ) : null}
      {mayRead ? <SavedSearches {...filters} /> : null}
      {mayRead ? <LiveButton isOn={isFollowed} set={setFollowed} /> : null}
    </div>
  );
  return (
    <Panel
      title="Events"
      note={`${filter === '' ? '' : `${chosen}, `}newest first, values masked`}
      actions={actions}
    >
      {mayRead ? (
        <>
          <LogFilters {...filters} />
          <Read
            key={JSON.stringify(filters.wanted)}
            {...props}
            wanted={filters.wanted}
            isNarrowed={Object.keys(filters.wanted).some((name) => name !== 'class')}
            isFollowed={isFollowed}
            onProcess={(process) => filters.set({ process })}
          />
        </>
      ) : (
        <MissingRightState what="read texts of the log">
          An administrator can give you the permission read_logs.
        </MissingRightState>
      )}
    </Panel>
  );
}
