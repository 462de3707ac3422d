// The overview in words, by rules: what a model would be told, said plainly. Pure.
import { shownCount } from '../../kernel/shown-value.ts';
import type { Snapshot } from './snapshot.service.ts';

const MOST_NAMED = 3;

/** Some of them, and how many more there are. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

const STATUS_WORDS: readonly (readonly [status: string, words: string])[] = [
  ['offline', 'offline'],
  ['warning', 'answering late'],
  ['initialising', 'just added'],
  ['unmonitored', 'not monitored'],
  ['unknown', 'without readings'],
];

function serversSentence({ servers, server_total, server_online }: Snapshot): string {
  if (server_online === server_total)
    return server_total === 1
      ? `${servers[0]?.name ?? 'The server'} is online.`
      : `All ${server_total} servers are online.`;
  const rest = STATUS_WORDS.flatMap(([status, words]) => {
    const names = servers.filter((server) => server.status === status).map(({ name }) => name);
    return names.length === 0 ? [] : [`${names.length} ${words} (${named(names)})`];
  });
  return `${server_online} of ${shownCount(server_total, 'server')} ${server_online === 1 ? 'is' : 'are'} online; ${rest.join(', ')}.`;
}

function alertsSentence(snapshot: Snapshot): string {
  const { alert_total, alert_critical, alert_warning, alert_info, top_alerts } = snapshot;
  if (alert_total === 0) return 'No alert is active.';
  const kinds = [
    alert_critical > 0 ? `${alert_critical} critical` : '',
    alert_warning > 0 ? shownCount(alert_warning, 'warning') : '',
    alert_info > 0 ? `${alert_info} for information` : '',
  ].filter((text) => text !== '');
  const first = top_alerts
    .slice(0, MOST_NAMED)
    .map(({ title, server_name }) => `${title} on ${server_name}`)
    .join('; ');
  const are = alert_total === 1 ? 'alert is' : 'alerts are';
  return `${alert_total} ${are} active, ${kinds.join(', ')}: ${first}.`;
}

const timeOf = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

function blackoutsSentences({ active_blackouts: active, upcoming_blackouts: upcoming }: Snapshot): string[] {
  const sentences: string[] = [];
  const [longest] = [...active].sort((a, b) => Date.parse(b.end_time) - Date.parse(a.end_time));
  if (longest)
    sentences.push(
      `${shownCount(active.length, 'blackout')} in force for ${named(active.map(({ scope }) => scope))}, until ${timeOf(new Date(longest.end_time).toISOString())}.`,
    );
  const [next] = upcoming;
  if (next)
    sentences.push(
      `The next blackout is for ${next.scope} at ${timeOf(new Date(next.start_time).toISOString())}.`,
    );
  return sentences;
}

const EVENT_WORDS: readonly (readonly [type: string, one: string, many: string])[] = [
  ['restart', 'restart', 'restarts'],
  ['config_change', 'change of settings', 'changes of settings'],
  ['hba_change', 'change of pg_hba.conf', 'changes of pg_hba.conf'],
  ['ident_change', 'change of pg_ident.conf', 'changes of pg_ident.conf'],
  ['extension_change', 'change of extensions', 'changes of extensions'],
];

function eventsSentences({ recent_events }: Snapshot): string[] {
  const told = EVENT_WORDS.flatMap(([type, one, many]) => {
    const names = recent_events
      .filter((event) => event.event_type === type)
      .map(({ server_name }) => server_name);
    return names.length === 0
      ? []
      : [`${shownCount(names.length, one, many)} (${named([...new Set(names)])})`];
  });
  return told.length === 0 ? [] : [`Within the last 24 hours: ${told.join(', ')}.`];
}

export const BY_RULES = 'Written by rules from what is stored, without a model.';
export const MODEL_FAILED = 'Written by rules from what is stored, since the model gave no answer.';

/** `ending` says why no model wrote it. */
export function summaryOf(snapshot: Snapshot, ending: string): string {
  return [
    serversSentence(snapshot),
    alertsSentence(snapshot),
    ...blackoutsSentences(snapshot),
    ...eventsSentences(snapshot),
    ending,
  ].join(' ');
}
