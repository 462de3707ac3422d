// What was known when an alert fired: its values around that moment, the sessions and locks of the second, and what had
// changed in the hour before. Guards: a part of which nothing is known says why; what is only a part of all says so.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { momentText, zoneName } from '../../../lib/zone.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { OneEvent } from '../../history/changes/timeline-event.tsx';
import { LockTree } from '../../history/locks/locks-view.tsx';
import { StatementText, Who } from '../../history/sessions/sessions-columns.tsx';
import classes from './alerts.module.css';

export type Evidence = OperationTypes['getAlertEvidence']['result'];

const STALE_MS = 60_000;
const zone = zoneName('local');

/** "From 71 % to 92 % in the half hours before and after, by 30 values." Undefined: nothing was measured. Pure. */
function valuesText({ values, metric_unit }: Evidence['values']): string | undefined {
  const known = (values ?? []).filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const [least, most] = known.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const words = (value: number | undefined) => formatValue(value, metric_unit ?? '') ?? '–';
  const range = least === most ? words(least) : `From ${words(least)} to ${words(most)}`;
  return `${range} in the half hours before and after, by ${countOf(known.length, 'value')}.`;
}

function Values({ values }: Pick<Evidence, 'values'>) {
  return <p>{valuesText(values) ?? values.reason ?? 'Nothing was measured in this time.'}</p>;
}

type Session = NonNullable<Evidence['sessions']['rows']>[number];

function OneSession({ session }: { session: Session }) {
  const { pid, state, wait_event_type, wait_event, query_seconds, query } = session;
  const wait = [wait_event_type, wait_event].filter((part) => part !== null).join(': ');
  const time = formatValue(query_seconds, 'seconds');
  const parts = [state ?? session.backend_type ?? '', wait, time === undefined ? '' : `for ${time}`];
  return (
    <li>
      <strong>Process {pid}</strong> <Who {...session} />
      <div className={classes.remark}>{parts.filter((part) => part !== '').join(' · ')}</div>
      <StatementText query={query} label={`Statement of ${pid}`} />
    </li>
  );
}

function Sessions({ sessions: { as_of, reason, rows, total_count } }: Pick<Evidence, 'sessions'>) {
  if (rows === null) return <p>{reason}</p>;
  const seen = as_of === null ? '' : `, at ${momentText(Date.parse(as_of), zone)}`;
  const total = total_count ?? rows.length;
  if (total === 0) return <p>There was none{seen}.</p>;
  const shown =
    rows.length < total
      ? `The first ${rows.length} of ${countOf(total, 'session')}`
      : countOf(total, 'session');
  return (
    <>
      <p className={classes.remark}>
        {shown}
        {seen}.
      </p>
      <ul className={classes.evidence}>
        {rows.map((session) => (
          <OneSession key={session.pid} session={session} />
        ))}
      </ul>
    </>
  );
}

/** What was different, kind by kind, with what is not known and why. */
export function Changes({ changes: { kinds, slower_statements: slower } }: Pick<Evidence, 'changes'>) {
  const events = kinds.flatMap((kind) => kind.events);
  const total = kinds.reduce((sum, { total_count, events: { length } }) => sum + (total_count ?? length), 0);
  const reasons = [...new Set([...kinds, slower].flatMap(({ reason }) => reason ?? []))];
  return (
    <>
      {events.length === 0 ? (
        <p>Nothing that is known of.</p>
      ) : (
        <ul className={classes.evidence}>
          {events
            .toSorted((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))
            .map((event) => (
              <OneEvent key={event.id} event={event} zone={zone} serverPath={undefined} />
            ))}
        </ul>
      )}
      {total > events.length ? (
        <p className={classes.remark}>And {countOf(total - events.length, 'further change')}.</p>
      ) : null}
      {slower.statements.length > 0 ? (
        <ul className={classes.evidence}>
          {slower.statements.map(
            ({ database, queryid, query_text, factor, previous_mean_time_ms, mean_time_ms }) => (
              <li key={`${database} ${queryid}`}>
                {formatValue(mean_time_ms, 'ms')} a call instead of {formatValue(previous_mean_time_ms, 'ms')}
                , {factor.toFixed(1)} times as long
                <StatementText query={query_text} label={`Statement ${queryid}`} />
              </li>
            ),
          )}
        </ul>
      ) : null}
      {reasons.map((reason) => (
        <p key={reason} className={classes.remark}>
          {reason}
        </p>
      ))}
    </>
  );
}

export function AlertEvidence({ id }: { id: number }) {
  const found = useOperation('getAlertEvidence', { params: { id } }, { staleMs: STALE_MS });
  return (
    <Panel title="Evidence" note="of the moment when it fired">
      <Query query={found} what="the evidence" lines={6}>
        {({ values, sessions, locks, changes }) => (
          <div className={classes.text}>
            {values.metric_name === null ? null : (
              <>
                <h3 className={classes.heading}>What was measured</h3>
                <Values values={values} />
              </>
            )}
            {locks.nodes === null && sessions.rows === null && locks.reason === sessions.reason ? (
              <>
                <h3 className={classes.heading}>Locks and sessions</h3>
                <p>{locks.reason}</p>
              </>
            ) : (
              <>
                <h3 className={classes.heading}>Who waited for whom</h3>
                <LockTree locks={locks} zone={zone} />
                <h3 className={classes.heading}>Sessions</h3>
                <Sessions sessions={sessions} />
              </>
            )}
            <h3 className={classes.heading}>What changed in the hour before</h3>
            <Changes changes={changes} />
          </div>
        )}
      </Query>
    </Panel>
  );
}
