// What every built-in message says, whatever its format: where it is and what is wrong on one line, the value against its
// threshold, the cause where it is known, and since when. Pure. Guards: what came from a monitored server stays on its line and short.
import { cutText } from '../../../kernel/inert-text.ts';
import { shownTime, shownValue } from '../../../kernel/shown-value.ts';
import { MINUTE_MS } from '../../../kernel/units.ts';
import type { AlertFacts, Message } from '../alert-facts.ts';
import { descriptionOf, durationOf, nameOf, oneLine, titleOf } from './fields.ts';

const RANKS = { critical: 2, warning: 1, info: 0 } as const;
const BRIEF = 400;
/** Characters of one that is escaped, at most: `&quot;`. */
const LONGEST_ESCAPE = 6;

/** Gravest first, so that what is left out of a long message matters least. */
export const gravestFirst = ({ alerts }: Pick<Message, 'alerts'>): AlertFacts[] =>
  alerts.toSorted((a, b) => RANKS[b.severity] - RANKS[a.severity]);

export const gravest = (message: Pick<Message, 'alerts'>): AlertFacts =>
  gravestFirst(message)[0] ?? message.alerts[0];

const OWN = 'Matriarch';
const OWN_PREFIX = `${OWN}: `;

/** What it is about: a server, or this product. */
export const serverOf = ({ is_own, server_name }: AlertFacts): string =>
  is_own === true ? OWN : nameOf(server_name);

/** Its place is said beside it. */
function whatOf(alert: AlertFacts): string {
  const title = titleOf(alert);
  return alert.is_own === true && title.startsWith(OWN_PREFIX) ? title.slice(OWN_PREFIX.length) : title;
}

/** The cluster of a server that is not alone in it. */
function clusterOf({ cluster_name, server_name, is_own }: AlertFacts): string {
  if (is_own === true) return '';
  const cluster = nameOf(cluster_name);
  return cluster === nameOf(server_name) ? '' : cluster;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Such as `orders / orders-db-1`. */
function placeOf(alert: AlertFacts): string {
  const cluster = clusterOf(alert);
  const server = serverOf(alert);
  return cluster === '' ? server : `${cluster} / ${server}`;
}

/** Where and what, on one line; severity and state are elsewhere. */
export const summaryOf = (alert: AlertFacts): string => `${placeOf(alert)}: ${whatOf(alert)}`;

function stateOf(message: Message): string {
  const { severity } = gravest(message);
  if (message.kind === 'fire') return severity;
  if (message.kind === 'clear') return 'cleared';
  if (message.kind === 'acknowledge') return 'acknowledged';
  const [alert, ...others] = message.alerts;
  return others.length > 0
    ? `still ${severity}`
    : `still ${severity} after ${durationOf(alert, message.timestamp)}`;
}

/** The server of the gravest, and how many more there are. */
function placesOf(alerts: readonly AlertFacts[], first: AlertFacts): string {
  const servers = new Set(alerts.filter(({ is_own }) => is_own !== true).map((one) => one.connection_id));
  const isOwn = first.is_own === true;
  const more = servers.size - (isOwn ? 0 : 1);
  return more === 0
    ? placeOf(first)
    : `${placeOf(first)} and ${counted(more, isOwn ? 'server' : 'more server')}`;
}

/** Where, how grave, and what, for a format whose first line is too short for both. */
export function headParts(message: Message): { place: string; what: string } {
  const { alerts } = message;
  const first = gravest(message);
  const rest = alerts.length > 1 ? ` and ${counted(alerts.length - 1, 'more alert')}` : '';
  return { place: `${placesOf(alerts, first)} [${stateOf(message)}]`, what: `${whatOf(first)}${rest}` };
}

/** What a message is about, on one line: where, how grave, what. */
export function headline(message: Message): string {
  const { place, what } = headParts(message);
  return `${place}: ${what}`;
}

/** One of several: what it is, with as much of its place as the headline does not say of all. */
export function partTitle(alert: AlertFacts, { alerts }: Pick<Message, 'alerts'>): string {
  const isOne = alerts.every((one) => serverOf(one) === serverOf(alert));
  if (isOne && alerts.every((one) => one.connection_id === alert.connection_id)) return whatOf(alert);
  const isOneCluster = clusterOf(alert) !== '' && alerts.every((one) => clusterOf(one) === clusterOf(alert));
  return isOneCluster ? `${serverOf(alert)}: ${whatOf(alert)}` : summaryOf(alert);
}

/** A metric of hours has its unit in its name alone. */
const unitOf = ({ metric_name, metric_unit }: AlertFacts): string =>
  metric_name?.endsWith('_hours') ? 'hours' : oneLine(metric_unit ?? '');

/** 1 for yes: the number says nothing more than the title. */
const isFlag = ({ operator, threshold_value, metric_value }: AlertFacts): boolean =>
  operator === '==' && threshold_value === 1 && metric_value === 1;

const COMPARED: Readonly<Record<string, string>> = { '==': 'exactly ', '!=': 'other than ' };

/** Such as `threshold 80 %`; empty where there is none. */
const limitOf = (alert: AlertFacts): string =>
  alert.threshold_value === null
    ? ''
    : `threshold ${COMPARED[alert.operator ?? ''] ?? ''}${shownValue(alert.threshold_value, unitOf(alert))}`;

/** Such as `92.5 % (threshold 80 %)`; empty where there is no value that says more than the title. */
export function valueText(alert: AlertFacts): string {
  const { metric_value: value } = alert;
  if (value === null || alert.metric_name === null || isFlag(alert)) return '';
  const shown = shownValue(value, unitOf(alert));
  const limit = limitOf(alert);
  return limit === '' ? shown : `${shown} (${limit})`;
}

/** Such as `2026-01-15 09:30:00 UTC (for 2 h 5 min)`. */
export function sinceText(alert: AlertFacts, message: Pick<Message, 'timestamp'>): string {
  const held = Date.parse(message.timestamp) - Date.parse(alert.triggered_at);
  const isLong = alert.cleared_at === null && held >= MINUTE_MS;
  return `${shownTime(alert.triggered_at)}${isLong ? ` (for ${durationOf(alert, message.timestamp)})` : ''}`;
}

/** The same below a headline, which says of a single reminder how long it has held. */
export const newSince = (alert: AlertFacts, message: Message): string =>
  message.kind === 'reminder' && message.alerts.length === 1
    ? shownTime(alert.triggered_at)
    : sinceText(alert, message);

/** What is wrong and why, or how it ended. */
export function explanationOf(alert: AlertFacts, { kind }: Pick<Message, 'kind'>): string {
  const { cleared_because, threshold_value } = alert;
  // What was queued before the end was kept apart has it in its description.
  if (kind !== 'clear' || typeof cleared_because === 'string' || cleared_because === undefined)
    return descriptionOf(alert);
  return threshold_value === null
    ? 'The condition no longer holds.'
    : 'The value is no longer beyond the threshold.';
}

/** Of one of several: the value, its threshold and the cause, short. */
export function briefOf(alert: AlertFacts, message: Pick<Message, 'kind'>): string {
  const value = message.kind === 'clear' ? valueText(alert) : '';
  const last = value === '' ? '' : ` Last value: ${value}.`;
  return cutText(`${explanationOf(alert, message)}${last}`, BRIEF, '…');
}

/** Such as `2026-01-15 10:05:00 UTC (after 35 min)`; empty for one that is open. */
export const clearedText = (alert: AlertFacts, message: Message): string =>
  alert.cleared_at === null
    ? ''
    : `${shownTime(alert.cleared_at)} (after ${durationOf(alert, message.timestamp)})`;

const hostOf = ({ server_host, server_port }: AlertFacts) => `${nameOf(server_host)}:${server_port}`;

export type Fact = readonly [name: string, value: string];

/** What is known of an alert, as names with values, for services that search and route by them; absent where it does not apply. */
export function factLines(alert: AlertFacts, message: Message): Fact[] {
  const { cleared_at, is_own: isOwn = false } = alert;
  const all: readonly Fact[] = [
    [cleared_at === null ? 'Value' : 'Last value', valueText(alert)],
    ['Server', isOwn ? '' : `${serverOf(alert)} (${hostOf(alert)})`],
    ['Cluster', clusterOf(alert)],
    ['Database', nameOf(alert.database_name)],
    ['Object', nameOf(alert.object_name)],
    ['Severity', alert.severity],
    ['Since', sinceText(alert, message)],
    ['Cleared at', cleared_at === null ? '' : shownTime(cleared_at)],
    ['Lasted', cleared_at === null ? '' : durationOf(alert, message.timestamp)],
    ['Acknowledged by', nameOf(alert.acknowledged_by)],
  ];
  return all.filter(([, value]) => value !== '');
}

const quoted = (name: string | null) => `"${nameOf(name)}"`;

/** Whether the sentence beside the facts has the value and its threshold. */
function saysValue(alert: AlertFacts, message: Message): boolean {
  const { metric_value: value } = alert;
  const text = explanationOf(alert, message);
  const shown = value === null ? '' : shownValue(value, unitOf(alert));
  return text.includes(shown) && text.includes(limitOf(alert));
}

/** What a reader does not know from the headline and the explanation. */
export function newFacts(alert: AlertFacts, message: Message): Fact[] {
  const title = titleOf(alert);
  const isSeverityNew = message.kind === 'clear' || message.kind === 'acknowledge';
  const all: readonly Fact[] = [
    [alert.cleared_at === null ? 'Value' : 'Last value', saysValue(alert, message) ? '' : valueText(alert)],
    ['Host', alert.is_own === true ? '' : hostOf(alert)],
    ['Database', title.includes(quoted(alert.database_name)) ? '' : nameOf(alert.database_name)],
    ['Object', title.includes(quoted(alert.object_name)) ? '' : nameOf(alert.object_name)],
    ['Severity', isSeverityNew ? alert.severity : ''],
    ['Since', newSince(alert, message)],
    ['Cleared', clearedText(alert, message)],
    ['Acknowledged by', nameOf(alert.acknowledged_by)],
  ];
  return all.filter(([, value]) => value !== '');
}

/** All facts for services that keep alerts and search in them: with the metric as the API names it. */
export const detailsOf = (alert: AlertFacts, message: Message): Record<string, string> =>
  Object.fromEntries(
    [...factLines(alert, message), ['Metric', nameOf(alert.metric_name)] as const].filter(
      ([, value]) => value !== '',
    ),
  );

/** The page of an alert, or of all of them for one that is only a sample; undefined when the address of the web interface is not set. */
export const linkOf = (
  { alert_id }: AlertFacts,
  { base_url }: Pick<Message, 'base_url'>,
): string | undefined =>
  base_url === undefined ? undefined : `${base_url}/alerts${alert_id > 0 ? `/${alert_id}` : ''}`;

/** One page for all that a message is about. */
export const linkOfAll = (message: Message): string | undefined =>
  message.alerts.length === 1
    ? linkOf(message.alerts[0], message)
    : message.base_url && `${message.base_url}/alerts`;

/** As many characters as fit once they are escaped for the format. */
export function fitted(text: string, most: number, asText: (text: string) => string): string {
  let kept = text;
  let shown = asText(kept);
  while (shown.length > most) {
    const excess = Math.max(1, Math.floor((shown.length - most) / LONGEST_ESCAPE));
    kept = cutText(kept, kept.length - excess - (kept.endsWith('…') ? 0 : 1), '…');
    shown = asText(kept);
  }
  return shown;
}
