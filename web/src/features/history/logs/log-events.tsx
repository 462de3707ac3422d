// Events of the log with their masked texts, newest first, page by page or as they come, for those who may read them.
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { OneEvent } from './log-event.tsx';
import { type LogFilterState, LogFilters, useLogFilters } from './log-filters.tsx';
import { LiveButton, LiveState, useHeld, useLive } from './log-live.tsx';
import { Nothing, Pages, SearchedBack } from './log-pages.tsx';
import { type LogTail, useLogTail } from './log-tail.ts';
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

/** A page of them, and before the first one what came since while the log is followed. */
function useEvents({ id, window, isLive, wanted, isFollowed }: ReadProps, tail: LogTail) {
  // Of the pages before, the last one being shown.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = useOperation(
    'listConnectionLogEvents',
    {
      params: { id },
      query: { ...window, limit: PAGE, ...wanted, ...(cursor === undefined ? {} : { cursor }) },
    },
    { keepPrevious: true, ...(isLive && cursor === undefined ? { everyMs: READ_MS } : {}) },
  );
  const { refetch } = query;
  // What came between the page and the stream.
  useEffect(() => {
    if (tail.isOpen) void refetch();
  }, [tail.isOpen, refetch]);
  // New events are before the first page.
  useEffect(() => {
    if (isFollowed) setCursors([]);
  }, [isFollowed]);
  return { query, cursors, setCursors };
}

function Read(props: ReadProps) {
  const { id, isLive, zone, chosen, wanted, isNarrowed, isFollowed, onProcess } = props;
  const list = useRef<HTMLDivElement>(null);
  const tail = useLogTail(id, wanted, isFollowed);
  const held = useHeld(tail, list, isFollowed);
  const { query, cursors, setCursors } = useEvents(props, tail);
  const cursor = cursors.at(-1);
  const isFirst = cursor === undefined;
  const showNewest = () => {
    document.getSelection()?.removeAllRanges();
    list.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      {isFollowed && isLive ? <LiveState tail={tail} held={held} onShow={showNewest} /> : null}
      <div ref={list} className={classes.list}>
        <Query query={query} what="the events of the log" lines={8}>
          {({ events, next_cursor, searched_back_to }) => {
            const shown = isFirst ? merged(held.events, events) : events;
            return (
              <>
                {shown.length === 0 ? (
                  <Nothing chosen={chosen} isNarrowed={isNarrowed} />
                ) : (
                  <ol className={layout.list}>
                    {shown.map((event) => (
                      <OneEvent key={event.id} id={id} event={event} zone={zone} onProcess={onProcess} />
                    ))}
                  </ol>
                )}
                <SearchedBack to={searched_back_to} zone={zone} />
                <Pages cursors={cursors} next={next_cursor} onPage={setCursors} />
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
