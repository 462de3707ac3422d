// What the log of a server says around a moment: counts by class, and the events with their masked texts. Guards: where the log was not
// read, it says so; a list that was cut says so.

import { countOf } from '../../../lib/format.ts';
import { momentText, withTimes } from '../../../lib/zone.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Status } from '../../../ui/status.tsx';
import { type LogEvent, partsOf, WEIGHTS, whoOf } from '../logs/logs-words.ts';
import classes from './sessions.module.css';
import type { Moment } from './use-moment.ts';

type Logs = Moment['logs'];

function OneEvent({ event, zone }: { event: LogEvent; zone: string }) {
  const [first = '', ...more] = event.message.split('\n');
  const whole = more.length === 0 ? [] : [{ name: 'MESSAGE', text: event.message }];
  const parts = [...whole, ...partsOf(event)];
  const message = <code>{`${event.severity}:  ${first}`}</code>;
  return (
    <li>
      <div className={classes.logLine}>
        <Status {...WEIGHTS[event.weight]} iconOnly />
        <strong>{event.title}</strong>
        <time dateTime={event.occurred_at}>{momentText(Date.parse(event.occurred_at), zone)}</time>
        <span>{whoOf(event)}</span>
      </div>
      {parts.length === 0 ? (
        message
      ) : (
        <details>
          <summary>{message}</summary>
          {parts.map(({ name, text }) => (
            <CodeBlock key={name} code={text} label={name} />
          ))}
        </details>
      )}
    </li>
  );
}

function Counts({ logs, zone }: { logs: Logs; zone: string }) {
  if (logs.classes === null) return <p className={classes.reason}>{withTimes(logs.reason ?? '', zone)}</p>;
  if (logs.classes.length === 0) return <p className={classes.reason}>No event is counted.</p>;
  return (
    <ul className={classes.waits} aria-label="Events by class">
      {logs.classes.map(({ class: name, title, events }) => (
        <li key={name}>
          <strong>{events}</strong> {title}
        </li>
      ))}
    </ul>
  );
}

function Events({ logs, zone }: { logs: Logs; zone: string }) {
  if (logs.events === null)
    return logs.events_reason === null ? null : <p className={classes.reason}>{logs.events_reason}</p>;
  if (logs.events.length === 0)
    return (
      <p className={classes.reason}>
        No event with texts from {momentText(Date.parse(logs.start_time), zone)} to{' '}
        {momentText(Date.parse(logs.end_time), zone)}.
      </p>
    );
  return (
    <>
      <ol className={classes.logEvents} aria-label="Events around this moment">
        {logs.events.map((event) => (
          <OneEvent key={event.id} event={event} zone={zone} />
        ))}
      </ol>
      {logs.is_cut ? (
        <p className={classes.reason}>
          {countOf(logs.events.length, 'event')} from {momentText(Date.parse(logs.start_time), zone)} to{' '}
          {momentText(Date.parse(logs.end_time), zone)} alone, since there are many. The tab Logs has all.
        </p>
      ) : null}
    </>
  );
}

export function MomentLog({ logs, zone }: { logs: Logs; zone: string }) {
  const { counted_from, counted_to, reason } = logs;
  const span = `${momentText(Date.parse(counted_from), zone)} to ${momentText(Date.parse(counted_to), zone)}`;
  return (
    <Panel title="Log around this moment" note={`counts of ${span}`}>
      <Counts logs={logs} zone={zone} />
      {logs.classes !== null && reason !== null ? (
        <p className={classes.reason}>{withTimes(reason, zone)}</p>
      ) : null}
      <Events logs={logs} zone={zone} />
    </Panel>
  );
}
