// One event of the log, with what leads from it: to the events of its process, its statement, and the sessions of that moment.
import { Link } from 'react-router';
import { momentText } from '../../../lib/zone.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { DeadlockRing } from './deadlock-ring.tsx';
import { logsPath, momentPath } from './log-paths.ts';
import classes from './logs.module.css';
import { type LogEvent, partsOf, WEIGHTS, whoOf } from './logs-words.ts';

interface EventProps {
  /** Of the connection. */
  id: number;
  event: LogEvent;
  zone: string;
  /** Shows the events of one process alone; without it a link leads to them. */
  onProcess?: (process_id: string) => void;
  /** Whose it is, where those of several are one list. */
  serverName?: string;
}

function Ways({ id, event, onProcess }: Omit<EventProps, 'zone'>) {
  const { process_id, queryid } = event;
  const at = Date.parse(event.occurred_at);
  return (
    <span className={classes.ways}>
      {process_id === null ? null : onProcess === undefined ? (
        <Link className={classes.way} to={logsPath(id, at, { process: process_id })}>
          Events of PID {process_id}
        </Link>
      ) : (
        <button type="button" className={classes.way} onClick={() => onProcess(process_id)}>
          Events of PID {process_id}
        </button>
      )}
      {queryid === null ? null : (
        <Link className={classes.way} to={`/servers/${id}/queries/${queryid}`}>
          Statement
        </Link>
      )}
      <Link className={classes.way} to={momentPath(id, 'sessions', at)}>
        Sessions then
      </Link>
    </span>
  );
}

export function OneEvent({ id, event, zone, serverName, ...ways }: EventProps) {
  const parts = partsOf(event);
  const { deadlock_sides } = event;
  return (
    <li className={classes.event}>
      <div className={classes.line}>
        <Status {...WEIGHTS[event.weight]} iconOnly />
        {serverName === undefined ? null : (
          <Link className="link" to={logsPath(id, Date.parse(event.occurred_at))}>
            {serverName}
          </Link>
        )}
        <strong>{event.title}</strong>
        <span className={classes.dim}>
          {momentText(Date.parse(event.occurred_at), zone)}, <RelativeTime at={event.occurred_at} />
        </span>
        <span className={classes.dim}>{whoOf(event)}</span>
      </div>
      <details>
        <summary>
          <code className={classes.message}>
            {event.severity}: {event.message}
          </code>
        </summary>
        {deadlock_sides === null ? null : <DeadlockRing sides={deadlock_sides} />}
        {parts.map(({ name, text }) => (
          <CodeBlock key={name} code={text} label={name} />
        ))}
        <Ways id={id} event={event} {...ways} />
      </details>
      {event.is_cut ? <p className={classes.dim}>The event is too long and was cut.</p> : null}
    </li>
  );
}
