// The open alerts of a server on its page, the worst first, each with the way to it; the rest stands in the list of alerts.
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { countOf } from '../../../lib/format.ts';
import { AlertIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { serverAlertsPath } from '../alert-counts/alert-count.tsx';
import { useAlertCounts } from '../alert-counts/use-alert-counts.ts';
import { type Alert, alertPath, SEVERITY_WORDS, worstFirst } from './alert-words.ts';
import classes from './alerts.module.css';
import { useServerAlerts } from './use-server-alerts.ts';

const SHOWN = 3;

function toneOf(alerts: readonly Alert[]): 'bad' | 'warn' | 'info' {
  const active = alerts.filter(({ status }) => status === 'active');
  if (active.some(({ severity }) => severity === 'critical')) return 'bad';
  return active.length > 0 ? 'warn' : 'info';
}

export function ServerAlerts({ connectionId }: { connectionId: number }) {
  const { data, refetch } = useServerAlerts(connectionId);
  const counts = useAlertCounts().data;
  const count = counts && (counts.by_server[connectionId] ?? 0);
  const known = useRef(count);
  useEffect(() => {
    const before = known.current;
    known.current = count;
    if (before !== undefined && before !== count) void refetch();
  }, [count, refetch]);
  if (!data || data.alerts.length === 0) return null;
  const shown = worstFirst(data.alerts).slice(0, SHOWN);
  return (
    <section aria-label="Alerts of the server">
      <details className={classes.chip}>
        <summary data-tone={toneOf(data.alerts)}>
          <AlertIcon size={13} aria-hidden="true" />
          {countOf(data.total, 'alert')}
        </summary>
        <div className={classes.opened}>
          <ul className={classes.open} aria-label="Open alerts">
            {shown.map((alert) => (
              <li key={alert.id}>
                <Status {...SEVERITY_WORDS[alert.severity]} iconOnly />
                <span className={classes.words}>
                  <Link className="link" to={alertPath(alert.id)}>
                    <Name>{alert.title}</Name>
                  </Link>
                  , fired <RelativeTime at={alert.triggered_at} />
                  {alert.status === 'acknowledged' ? ', acknowledged' : null}
                </span>
              </li>
            ))}
          </ul>
          <Link className="link" to={serverAlertsPath(connectionId)}>
            {data.total > SHOWN ? `All ${countOf(data.total, 'open alert')}` : 'Alerts'}
          </Link>
        </div>
      </details>
    </section>
  );
}
