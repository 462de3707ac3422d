// What an alert says of itself to the chat. Pure.
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import { type Alert, serverWords } from './alert-words.ts';

const MOST_OTHERS = 20;

/** The question that its button asks, of the server that it is about, with the other alerts of its incident. */
export function aboutAlert(alert: Alert, others: readonly Alert[] = []): AboutQuestion {
  const { id, title, description, severity, status, connection_id } = alert;
  const about = {
    ...{ kind: 'alert', alert_id: id, title, description, severity, status },
    ...{ server: serverWords(alert), connection_id },
    ...{ database: alert.database_name, object: alert.object_name },
    ...{ metric: alert.metric_name, value: alert.metric_value, unit: alert.metric_unit },
    ...{ alert_when: alert.operator, threshold: alert.threshold_value, sampled_at: alert.sampled_at },
    ...{ fired_at: alert.triggered_at, cleared_at: alert.cleared_at },
    ...(others.length === 0
      ? {}
      : {
          same_incident: others
            .slice(0, MOST_OTHERS)
            .map((other) => `${other.title} on ${serverWords(other)}`),
        }),
  };
  return {
    message: `Why did the alert “${title}” fire, what is behind it, and what should I do?`,
    about,
    scope: { kind: 'server', id: connection_id },
  };
}
