// One event of the timeline: when, what, where, and what it was before and after.
import { Link } from 'react-router';
import { countOf } from '../../../lib/format.ts';
import { hourText, withTimes } from '../../../lib/zone.ts';
import { Name } from '../../../ui/name.tsx';
import { Status } from '../../../ui/status.tsx';
import classes from './timeline.module.css';
import { type Change, changesOf, KIND_WORDS, kindOf, pathOf, type TimelineEvent } from './timeline-words.ts';

/** More are folded away. */
const SHOWN = 4;

function Values({ before, after }: Pick<Change, 'before' | 'after'>) {
  if (before === null && after === null) return null;
  return (
    <span className={classes.values}>
      {before === null ? (
        <span className={classes.none}>not there</span>
      ) : (
        <del className={classes.before}>
          <span className="visually-hidden">before: </span>
          {before}
        </del>
      )}
      <span aria-hidden="true"> → </span>
      {after === null ? (
        <span className={classes.none}>gone</span>
      ) : (
        <ins className={classes.after}>
          <span className="visually-hidden">after: </span>
          {after}
        </ins>
      )}
    </span>
  );
}

function OneChange({ change: { name, place, before, after } }: { change: Change }) {
  return (
    <li className={classes.change}>
      <code className={classes.what} title={name}>
        {name}
      </code>
      {place === '' ? null : <span className={classes.place}>{place}</span>}
      <Values before={before} after={after} />
    </li>
  );
}

function ChangeList({ changes, more }: { changes: readonly Change[]; more: number }) {
  const key = (change: Change, at: number) => `${at} ${change.place} ${change.name}`;
  const rest = changes.slice(SHOWN);
  return (
    <>
      <ul className={classes.changes}>
        {changes.slice(0, SHOWN).map((change, at) => (
          <OneChange key={key(change, at)} change={change} />
        ))}
      </ul>
      {rest.length > 0 ? (
        <details className={classes.rest}>
          <summary>{countOf(rest.length, 'more change')}</summary>
          <ul className={classes.changes}>
            {rest.map((change, at) => (
              <OneChange key={key(change, at)} change={change} />
            ))}
          </ul>
        </details>
      ) : null}
      {more > 0 ? (
        <p className={classes.rest}>And {countOf(more, 'further change')} not listed here.</p>
      ) : null}
    </>
  );
}

export interface EventProps {
  event: TimelineEvent;
  zone: string;
  /** Where the timeline of its server is; undefined on that page itself. */
  serverPath: string | undefined;
}

export function OneEvent({ event, zone, serverPath }: EventProps) {
  const { event_type, severity, occurred_at, title, summary, server_name } = event;
  const { changes, more } = changesOf(event);
  const path = pathOf(event);
  // Names alone, which the summary would only say again.
  const isListed =
    changes.length > 0 && changes.every(({ before, after }) => before === null && after === null);
  return (
    <li className={classes.event} data-severity={severity}>
      <time className={classes.time} dateTime={occurred_at}>
        {hourText(Date.parse(occurred_at), zone, true)}
      </time>
      <div className={classes.body}>
        <p className={classes.line}>
          {severity === 'info' ? null : (
            <Status
              mark={severity === 'critical' ? 'failed' : 'warning'}
              label={severity === 'critical' ? 'Critical' : 'Warning'}
            />
          )}
          <strong className={classes.title}>
            {path === undefined ? (
              title
            ) : (
              <Link className="link" to={path}>
                {title}
              </Link>
            )}
          </strong>
          <span className={classes.kind}>{KIND_WORDS[kindOf(event_type)]}</span>
          {serverPath === undefined ? null : (
            <Link className={classes.server ?? ''} to={serverPath}>
              <Name>{server_name}</Name>
            </Link>
          )}
        </p>
        {isListed ? null : <p className={classes.summary}>{withTimes(summary, zone)}</p>}
        {changes.length > 0 ? <ChangeList changes={changes} more={more} /> : null}
      </div>
    </li>
  );
}
