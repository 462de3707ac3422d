// Events of the log with their masked texts, newest first, page by page, for those who may read them.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { momentText } from '../../../lib/zone.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { StaleIcon } from '../../../ui/icons.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState, MissingRightState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { type LogFilterState, LogFilters, useLogFilters } from './log-filters.tsx';
import classes from './logs.module.css';
import { type LogEvent, partsOf, WEIGHTS, whoOf } from './logs-words.ts';

const READ_MS = 30_000;
const PAGE = 50;

function OneEvent({ event, zone }: { event: LogEvent; zone: string }) {
  const parts = partsOf(event);
  const message = `${event.severity}:  ${event.message}`;
  return (
    <li className={classes.event}>
      <div className={classes.line}>
        <Status {...WEIGHTS[event.weight]} iconOnly />
        <strong>{event.title}</strong>
        <span className={classes.dim}>
          {momentText(Date.parse(event.occurred_at), zone)}, <RelativeTime at={event.occurred_at} />
        </span>
        <span className={classes.dim}>{whoOf(event)}</span>
      </div>
      {parts.length === 0 ? (
        <code className={classes.message}>{message}</code>
      ) : (
        <details>
          <summary>
            <code className={classes.message}>{message}</code>
          </summary>
          {parts.map(({ name, text }) => (
            <CodeBlock key={name} code={text} label={name} />
          ))}
        </details>
      )}
      {event.is_cut ? <p className={classes.dim}>The event was too long and is cut.</p> : null}
    </li>
  );
}

export interface LogEventsProps {
  id: number;
  window: { start_time: string; end_time: string };
  isLive: boolean;
  zone: string;
  /** The class that is shown alone; empty: all. */
  filter: string;
  /** What it is called. */
  chosen: string;
  onClear: () => void;
}

interface ReadProps extends LogEventsProps {
  wanted: LogFilterState['wanted'];
  isNarrowed: boolean;
}

function Nothing({ chosen, isNarrowed }: Pick<ReadProps, 'chosen' | 'isNarrowed'>) {
  if (isNarrowed)
    return (
      <EmptyState icon={<StaleIcon size={26} />} title="No event matches the filters">
        Texts are searched as they are kept: without values, and of events that matter.
      </EmptyState>
    );
  return (
    <EmptyState icon={<StaleIcon size={26} />} title="No texts were kept in this time">
      Texts are kept of events that matter, for 90 days.
      {chosen === '' ? '' : ` None are kept of ${chosen}.`}
    </EmptyState>
  );
}

function Read({ id, window, isLive, zone, filter, chosen, wanted, isNarrowed }: ReadProps) {
  // Of the pages before, the last one being shown.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = useOperation(
    'listConnectionLogEvents',
    {
      params: { id },
      query: {
        ...window,
        limit: PAGE,
        ...(filter && { class: filter }),
        ...wanted,
        ...(cursor === undefined ? {} : { cursor }),
      },
    },
    { keepPrevious: true, ...(isLive && cursor === undefined ? { everyMs: READ_MS } : {}) },
  );
  return (
    <Query query={query} what="the events of the log" lines={8}>
      {({ events, next_cursor, searched_back_to }) => (
        <>
          {events.length === 0 ? (
            <Nothing chosen={chosen} isNarrowed={isNarrowed} />
          ) : (
            <ol className={classes.events}>
              {events.map((event) => (
                <OneEvent key={event.id} event={event} zone={zone} />
              ))}
            </ol>
          )}
          {searched_back_to === null ? null : (
            <p className={classes.dim}>
              Searched back to {momentText(Date.parse(searched_back_to), zone)}. Older events are searched
              with the next page.
            </p>
          )}
          <div className={classes.pages}>
            {cursor === undefined ? null : (
              <Button variant="default" size="xs" onClick={() => setCursors(cursors.slice(0, -1))}>
                Newer events
              </Button>
            )}
            {next_cursor === null ? null : (
              <Button variant="default" size="xs" onClick={() => setCursors([...cursors, next_cursor])}>
                Older events
              </Button>
            )}
          </div>
        </>
      )}
    </Query>
  );
}

export function LogEvents(props: LogEventsProps) {
  const { data: user } = useUser();
  const { filter, chosen, onClear } = props;
  const filters = useLogFilters();
  const clear = (
    <Button variant="default" size="compact-xs" onClick={onClear}>
      Show all classes
    </Button>
  );
  return (
    <Panel
      title="Events"
      note={`${filter === '' ? '' : `${chosen}, `}newest first, values masked`}
      {...(filter === '' ? {} : { actions: clear })}
    >
      {mayUse(user, 'read_logs') ? (
        <>
          <LogFilters of={filters.of} set={filters.set} />
          <Read
            key={JSON.stringify(filters.wanted)}
            {...props}
            wanted={filters.wanted}
            isNarrowed={filters.isNarrowed}
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
