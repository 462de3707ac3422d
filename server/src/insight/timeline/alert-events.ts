// Events from alerts: that one fired, was acknowledged, or cleared. Guards: what the specified details hold, and nothing
// else.

import { type AlertEventRow, alertEvents, type ShownAlertEvent } from '../../alerting/alerting.ts';
import type { Sql } from '../../kernel/sql.ts';
import type { EventType } from './timeline.contract.ts';
import { type Event, type EventText, type TimelinePart, type TimelineScope, utc } from './types.ts';

const TYPES: Record<ShownAlertEvent, EventType> = {
  fired: 'alert_fired',
  cleared: 'alert_cleared',
  acknowledged: 'alert_acknowledged',
};
/** What alerts about this product's own work are under, which are recorded on some server. */
const OWN_NAME = 'Matriarch';
const TOLD = ['fired', 'cleared', 'acknowledged'] as const;

function firedWords(row: AlertEventRow): EventText {
  const { alert_id, severity, alert_type, metric_name, metric_value, metric_unit } = row;
  const { threshold_value, operator, database_name, probe_name } = row;
  return {
    title: row.title,
    summary: row.message ?? row.description,
    details: {
      ...{ alert_id, severity, alert_type, metric_name, metric_value, metric_unit },
      ...{ threshold_value, operator, database_name, probe_name },
    },
  };
}

function lasted(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function clearedWords(row: AlertEventRow): EventText {
  const { alert_id, severity: original_severity, triggered_at, message } = row;
  const ms = Date.parse(row.occurred_at) - Date.parse(triggered_at);
  const duration_seconds = Math.max(0, Math.round(ms / 1000));
  return {
    title: `Cleared: ${row.title}`,
    summary: `The alert lasted ${lasted(duration_seconds)}.${message === null ? '' : ` ${message}`}`,
    details: { alert_id, original_severity, triggered_at: utc(triggered_at), duration_seconds },
  };
}

function acknowledgedWords(row: AlertEventRow): EventText {
  const { alert_id, actor: acknowledged_by, false_positive, message, severity: original_severity } = row;
  const as = false_positive ? ' as a false positive' : '';
  return {
    title: `Acknowledged: ${row.title}`,
    summary: `${acknowledged_by ?? 'A user'} acknowledged the alert${as}${message === null ? '.' : `: ${message}`}`,
    details: {
      ...{ alert_id, acknowledged_by, acknowledge_type: false_positive ? 'false_positive' : 'acknowledge' },
      ...{ false_positive, message, original_severity, alert_title: row.title },
    },
  };
}

const WORDS: Record<ShownAlertEvent, (row: AlertEventRow) => EventText> = {
  fired: firedWords,
  cleared: clearedWords,
  acknowledged: acknowledgedWords,
};

/** An alert fires and clears once, but may be acknowledged several times. */
const idOf = ({ event_type, alert_id, event_id }: AlertEventRow) =>
  event_type === 'acknowledged'
    ? `alert-acknowledged-${alert_id}-${event_id}`
    : `alert-${event_type}-${alert_id}`;

function eventOf(row: AlertEventRow, { servers }: TimelineScope): Event {
  const { event_type, occurred_at, severity } = row;
  const place = row.is_own
    ? { connection_id: 0, server_name: OWN_NAME }
    : { connection_id: row.connection_id, server_name: servers.get(row.connection_id)?.name ?? '' };
  return {
    id: idOf(row),
    event_type: TYPES[event_type],
    ...place,
    occurred_at: utc(occurred_at),
    severity: event_type === 'fired' ? severity : 'info',
    ...WORDS[event_type](row),
  };
}

export function alertPart({ servers, types, isWhole = false, from, to, limit }: TimelineScope): Sql {
  return alertEvents({
    connection_ids: [...servers.keys()],
    types: TOLD.filter((type) => types.has(TYPES[type])),
    with_own: isWhole,
    ...{ from, to, limit },
  });
}

export const alertsTold = (rows: readonly AlertEventRow[], asked: TimelineScope): TimelinePart => ({
  events: rows.map((row) => eventOf(row, asked)),
  total_count: rows[0]?.total ?? 0,
});
