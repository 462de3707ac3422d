// Events in the logs of all servers as one list, newest first, each with its server. What matters is shown until one asks for all: most lines of
// many servers say that somebody connected.
import { Button } from '@mantine/core';
import { useRef } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { useFoundEvents } from './found-events.ts';
import { OneEvent } from './log-event.tsx';
import { type LogFilter, LogFilters, useLogFilters } from './log-filters.tsx';
import { LiveButton, LiveState, useHeld, useLive } from './log-live.tsx';
import { Below } from './log-pages.tsx';
import { type TailEvent, useLogTail } from './log-tail.ts';
import classes from './logs.module.css';
import { SavedSearches } from './saved-searches.tsx';

const READ_MS = 60_000;
const PAGE = 20;

interface EstateEventsProps {
  window: { start_time: string; end_time: string };
  isLive: boolean;
  zone: string;
}

interface ReadProps extends EstateEventsProps {
  wanted: LogFilter;
  isNarrowed: boolean;
  isFollowed: boolean;
}

type Listed = OperationTypes['listEstateLogEvents']['result']['events'][number];

/** Each once, what came last first. */
function merged(newer: readonly TailEvent[], events: readonly Listed[]): readonly Listed[] {
  const known = new Set(newer.map(({ id }) => id));
  return [
    ...newer.flatMap(({ server, ...event }) => (server ? [{ ...server, event }] : [])),
    ...events.filter(({ event }) => !known.has(event.id)),
  ];
}

function Read({ window, isLive, zone, wanted, isNarrowed, isFollowed }: ReadProps) {
  const list = useRef<HTMLDivElement>(null);
  const tail = useLogTail(undefined, wanted, isFollowed);
  const held = useHeld(tail, list, isFollowed);
  const { query, page, searched, cursors, setCursors } = useFoundEvents('listEstateLogEvents', {
    inputOf: (from) => ({
      query: { ...window, limit: PAGE, ...wanted, ...(from !== undefined && { cursor: from }) },
    }),
    everyMs: isLive ? READ_MS : undefined,
    isFollowed,
    isOpen: tail.isOpen,
  });
  return (
    <>
      {isFollowed && isLive ? <LiveState tail={tail} held={held} list={list} /> : null}
      <div ref={list} className={classes.list}>
        <Query query={query} what="the events of the logs" lines={8}>
          {(first) => {
            const { events, next_cursor, searched_back_to } = page ?? first;
            const shown = cursors.length === 0 ? merged(held.events, events) : events;
            return (
              <>
                {shown.length === 0 ? null : (
                  <ol className={layout.list}>
                    {shown.map(({ connection_id, connection_name, event }) => (
                      <OneEvent
                        key={`${connection_id} ${event.id}`}
                        id={connection_id}
                        serverName={connection_name}
                        event={event}
                        zone={zone}
                      />
                    ))}
                  </ol>
                )}
                <Below
                  {...{ zone, isNarrowed, searched, cursors }}
                  chosen=""
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

export function EstateEvents(props: EstateEventsProps) {
  const { data: user } = useUser();
  const filters = useLogFilters({ isImportantFirst: true });
  const [isFollowed, setFollowed] = useLive(props.isLive);
  if (!mayUse(user, 'read_logs'))
    return (
      <Panel title="Events">
        <MissingRightState what="read texts of the logs">
          An administrator can give you the permission read_logs.
        </MissingRightState>
      </Panel>
    );
  const actions = (
    <div className={classes.actions}>
      {filters.isNarrowed ? (
        <Button variant="default" size="compact-xs" onClick={filters.clear}>
          Clear filters
        </Button>
      ) : null}
      <SavedSearches {...filters} />
      <LiveButton isOn={isFollowed} set={setFollowed} />
    </div>
  );
  return (
    <Panel title="Events" note="of all servers, newest first, values masked" actions={actions}>
      <LogFilters {...filters} />
      <Read
        key={JSON.stringify(filters.wanted)}
        {...props}
        wanted={filters.wanted}
        isNarrowed={filters.isNarrowed}
        isFollowed={isFollowed}
      />
    </Panel>
  );
}
