// What is wrong now: the open alerts, who waits for whom, what runs longest, and what changed last. Guards: nothing is said to be
// well that was not read; each line says of when it is and leads to the part that says more.
import { Link, useSearchParams } from 'react-router';
import { timeOf } from '../../../lib/time-window.ts';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { type Alert, alertPath, SEVERITY_WORDS, worstFirst } from '../../alerting/alerts/alert-words.ts';
import { useServerAlerts } from '../../alerting/alerts/use-server-alerts.ts';
import type { Timeline } from '../../history/activity/answers.ts';
import { useMoment } from '../../history/sessions/use-moment.ts';
import classes from './cockpit.module.css';
import { linesOf, type NowLine } from './now-words.ts';

const ALERTS_SHOWN = 2;

function useTabPath() {
  const [search] = useSearchParams();
  return (tab: string) => {
    const next = timeOf(search);
    next.set('tab', tab);
    return `?${next}`;
  };
}

function Line({ line }: { line: NowLine }) {
  const pathOf = useTabPath();
  const { name, value, because, detail, isWrong, tab, at } = line;
  return (
    <li className={classes.line} data-wrong={isWrong || undefined}>
      <Link className={classes.name} to={pathOf(tab)}>
        {name}
      </Link>
      <span className={classes.value}>
        {isWrong ? <Status mark="warning" label="Needs attention" iconOnly size={14} /> : null}
        {value === null ? <Unknown because={because ?? 'Not collected yet'} /> : <Name>{value}</Name>}
      </span>
      <span className={classes.at}>{at === null ? null : <RelativeTime at={at} />}</span>
      {value === null && because !== undefined ? <span className={classes.detail}>{because}</span> : null}
      {detail === undefined ? null : (
        <span className={classes.detail} title={detail}>
          <Name>{detail}</Name>
        </span>
      )}
    </li>
  );
}

/** A warning and a critical alert of one figure of one object say the same. */
const figureOf = ({ id, metric_name, object_name, database_name }: Alert) =>
  metric_name === undefined ? String(id) : JSON.stringify([metric_name, object_name, database_name]);

function OpenAlerts({ id }: { id: number }) {
  const { data } = useServerAlerts(id);
  const active = worstFirst((data?.alerts ?? []).filter(({ status }) => status === 'active'));
  const worst = [...Map.groupBy(active, figureOf).values()].flatMap(([first]) => first ?? []);
  return worst.slice(0, ALERTS_SHOWN).map((alert) => (
    <li key={alert.id} className={classes.line} data-wrong>
      <span className={classes.alert}>
        <Status {...SEVERITY_WORDS[alert.severity]} iconOnly size={14} />
        <Link className="link" to={alertPath(alert.id)}>
          <Name>{alert.title}</Name>
        </Link>
      </span>
      <span className={classes.at}>
        <RelativeTime at={alert.triggered_at} />
      </span>
    </li>
  ));
}

const NO_CHANGES = new Set(['alert_fired', 'alert_cleared', 'blackout_started', 'blackout_ended']);

function LastChange({ timeline }: { timeline: Timeline | undefined }) {
  const pathOf = useTabPath();
  if (!timeline) return null;
  const last = timeline.events
    .filter(({ event_type }) => !NO_CHANGES.has(event_type))
    .toSorted((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at))[0];
  return (
    <li className={classes.line}>
      <Link className={classes.name} to={pathOf('timeline')}>
        Last change
      </Link>
      <span className={classes.value}>{last ? <Name>{last.title}</Name> : 'none in this time'}</span>
      <span className={classes.at}>{last ? <RelativeTime at={last.occurred_at} /> : null}</span>
    </li>
  );
}

export function NowPanel({ id, timeline }: { id: number; timeline: Timeline | undefined }) {
  const moment = useMoment(id, undefined);
  return (
    <Panel title="Now">
      <Query query={moment} what="what happens now" lines={7}>
        {(found) => (
          <ul className={classes.lines} aria-label="What happens now">
            <OpenAlerts id={id} />
            {linesOf(found).map((line) => (
              <Line key={line.name} line={line} />
            ))}
            <LastChange timeline={timeline} />
          </ul>
        )}
      </Query>
    </Panel>
  );
}
