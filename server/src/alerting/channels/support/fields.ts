// An alert as the fields of a template, the texts of it that templates and built-in messages share, and its key on the other side. Pure.
// Guards: no value that came from a monitored server breaks out of its line, however a database is named.
import { createHash } from 'node:crypto';
import { cutText, spacedLine } from '../../../kernel/inert-text.ts';
import type { AlertFacts, Message } from '../alert-facts.ts';
import type { Fields } from './template.ts';

const COLORS = { info: '#2f6fde', warning: '#e08a00', critical: '#d92d20' } as const;
const EMOJI = { info: 'ℹ️', warning: '⚠️', critical: '🚨' } as const;
const CLEARED_COLOR = '#2e9e5b';

const KIND_NAMES = {
  fire: 'alert_fire',
  clear: 'alert_clear',
  reminder: 'reminder',
  acknowledge: 'alert_acknowledge',
} as const;

/** As it is named in templates and bodies. */
export const kindName = (message: Pick<Message, 'kind'>) => KIND_NAMES[message.kind];

/** One line: whatever would end it, turn its direction or hide in it is a space. */
export const oneLine = spacedLine;

/** Of a server, a host, a database or an object: longer than PostgreSQL or DNS allow is cut. */
const NAME = 300;
export const nameOf = (text: string | null | undefined): string => cut(oneLine(text ?? ''), NAME);

/** Several lines; nothing else that cannot be seen. */
const lines = (text: string): string => text.split(/\r?\n/).map(oneLine).join('\n');

const cut = (text: string, most: number) => cutText(text, most, '…');

const TITLE = 300;
const DESCRIPTION = 4000;
export const titleOf = (alert: AlertFacts) => cut(oneLine(alert.title), TITLE);
export const descriptionOf = (alert: AlertFacts) => cut(lines(alert.description), DESCRIPTION);

const number = (value: number | null) => (value === null ? '' : String(Math.round(value * 1000) / 1000));

/** Such as `2 h 5 min`. */
function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** How long it has held, or had. */
export function durationOf(alert: AlertFacts, timestamp: string): string {
  return durationWords(Date.parse(alert.cleared_at ?? timestamp) - Date.parse(alert.triggered_at));
}

export const colorOf = (alert: AlertFacts) =>
  alert.status === 'cleared' ? CLEARED_COLOR : COLORS[alert.severity];
export const emojiOf = (alert: AlertFacts) => (alert.status === 'cleared' ? '✅' : EMOJI[alert.severity]);

/** Each on one line but for the description. */
export function fieldsOf(alert: AlertFacts, message: Pick<Message, 'kind' | 'timestamp'>): Fields {
  const count = alert.reminder_count ?? 0;
  return {
    AlertID: String(alert.alert_id),
    AlertType: alert.alert_type,
    AlertTitle: titleOf(alert),
    AlertDescription: descriptionOf(alert),
    Severity: alert.severity,
    SeverityColor: COLORS[alert.severity],
    SeverityEmoji: EMOJI[alert.severity],
    Status: alert.status,
    TriggeredAt: alert.triggered_at,
    ClearedAt: alert.cleared_at ?? '',
    MetricName: oneLine(alert.metric_name ?? ''),
    MetricValue: number(alert.metric_value),
    ThresholdValue: number(alert.threshold_value),
    Operator: alert.operator ?? '',
    ConnectionID: String(alert.connection_id),
    ServerName: oneLine(alert.server_name),
    ClusterName: oneLine(alert.cluster_name ?? ''),
    ServerHost: oneLine(alert.server_host),
    ServerPort: String(alert.server_port),
    DatabaseName: oneLine(alert.database_name ?? ''),
    NotificationType: kindName(message),
    ReminderCount: count > 0 ? String(count) : '',
    Timestamp: message.timestamp,
    Duration: durationOf(alert, message.timestamp),
  };
}

const KEY = /^matriarch-(\d{1,15})-[0-9a-f]{12}$/;

/** Which alert a key is of; whether it really is has to be compared. Undefined for a key that is none of ours. */
export function alertIdOf(key: string): number | undefined {
  const id = KEY.exec(key)?.[1];
  return id === undefined ? undefined : Number(id);
}

/**
 * What an alert is called on the other side, at each of its messages: the same for as long as it is open, and another than that of any
 * other alert, also of another Matriarch that reports to the same place. Of nothing that somebody can change while the alert is open: not of
 * where its server stands.
 */
export function dedupKey({ alert_id, triggered_at, connection_id }: AlertFacts): string {
  const origin = JSON.stringify([triggered_at, connection_id]);
  return `matriarch-${alert_id}-${createHash('sha256').update(origin).digest('hex').slice(0, 12)}`;
}
