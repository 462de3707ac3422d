// Events in the logs of all servers as one list, newest first, each with its server. What matters is shown until one asks for all: most lines of
// many servers say that somebody connected.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { OneEvent } from './log-event.tsx';
import { type LogFilter, LogFilters, useLogFilters } from './log-filters.tsx';
import { Nothing, Pages, SearchedBack } from './log-pages.tsx';
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
}

function Read({ window, isLive, zone, wanted, isNarrowed }: ReadProps) {
  // Of the pages before, the last one being shown.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = useOperation(
    'listEstateLogEvents',
    { query: { ...window, limit: PAGE, ...wanted, ...(cursor === undefined ? {} : { cursor }) } },
    { keepPrevious: true, ...(isLive && cursor === undefined ? { everyMs: READ_MS } : {}) },
  );
  return (
    <Query query={query} what="the events of the logs" lines={8}>
      {({ events, next_cursor, searched_back_to }) => (
        <>
          {events.length === 0 ? (
            <Nothing chosen="" isNarrowed={isNarrowed} />
          ) : (
            <ol className={layout.list}>
              {events.map(({ connection_id, connection_name, event }) => (
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
          <SearchedBack to={searched_back_to} zone={zone} />
          <Pages cursors={cursors} next={next_cursor} onPage={setCursors} />
        </>
      )}
    </Query>
  );
}

export function EstateEvents(props: EstateEventsProps) {
  const { data: user } = useUser();
  const filters = useLogFilters({ isImportantFirst: true });
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
      />
    </Panel>
  );
}
