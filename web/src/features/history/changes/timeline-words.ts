// What happened to servers, made ready for reading: kinds of events for filters, days, and what was before and after. Pure.
// Guards: every type of event belongs to a kind, so that a filter never hides one for good; of details, which differ by
// type, only what is there is shown.

import type { Input } from '../../../api/client.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { cutText } from '../../../lib/inert-text.ts';
import type { Window } from '../../../lib/time-window.ts';
import { dateText } from '../../../lib/zone.ts';
import { logsPath } from '../logs/log-paths.ts';

export type TimelineEvent = OperationTypes['listTimelineEvents']['result']['events'][number];
export type EventType = TimelineEvent['event_type'];

export const KINDS = [
  'restarts',
  'settings',
  'access',
  'extensions',
  'objects',
  'statements',
  'logs',
  'alerts',
  'blackouts',
] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_WORDS: Record<Kind, string> = {
  restarts: 'Restarts and roles',
  settings: 'Settings',
  access: 'Access rules',
  extensions: 'Extensions',
  objects: 'Tables and indexes',
  statements: 'New statements',
  logs: 'Events of the log',
  alerts: 'Alerts',
  blackouts: 'Silences',
};

const KIND_OF: Record<EventType, Kind> = {
  restart: 'restarts',
  role_change: 'restarts',
  version_change: 'restarts',
  config_change: 'settings',
  role_setting_change: 'settings',
  hba_change: 'access',
  ident_change: 'access',
  extension_change: 'extensions',
  table_made: 'objects',
  table_dropped: 'objects',
  index_made: 'objects',
  index_dropped: 'objects',
  statement_new: 'statements',
  log_event: 'logs',
  alert_fired: 'alerts',
  alert_cleared: 'alerts',
  alert_acknowledged: 'alerts',
  blackout_started: 'blackouts',
  blackout_ended: 'blackouts',
};

export const kindOf = (type: EventType): Kind => KIND_OF[type];

const typesOf = (kinds: readonly Kind[]): string[] =>
  Object.entries(KIND_OF).flatMap(([type, kind]) => (kinds.includes(kind) ? [type] : []));

/** Of a text with commas between; what is no kind is left out. */
export const kindsOf = (text: string): Kind[] => {
  const named = text.split(',');
  return KINDS.filter((kind) => named.includes(kind));
};

const MOST_SERVERS = 100;

export function serversOf(text: string): number[] {
  const ids = text.split(',').flatMap((one) => (/^[1-9]\d{0,8}$/.test(one) ? [Number(one)] : []));
  return [...new Set(ids)].slice(0, MOST_SERVERS);
}

export interface TimelineFilter {
  /** None: all of them. */
  kinds: readonly Kind[];
  /** None: all that may be seen. */
  servers: readonly number[];
}

/** So many are shown at once. */
const MOST_EVENTS = 500;

export function askedFor({ from, to }: Window, wanted: TimelineFilter): Input<'listTimelineEvents'>['query'] {
  const { kinds, servers } = wanted;
  return {
    start_time: new Date(from).toISOString(),
    end_time: new Date(to).toISOString(),
    include: 'changes',
    limit: MOST_EVENTS,
    ...(kinds.length > 0 && { event_types: typesOf(kinds).join(',') }),
    ...(servers.length > 0 && { connection_ids: servers.join(',') }),
  };
}

export interface Day {
  /** "2026-11-20", by the clock of the reader's zone. */
  date: string;
  title: string;
  events: TimelineEvent[];
}

const dayTitle = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Browsers differ in the comma. */
const titleOf = (date: string) => dayTitle.format(Date.parse(date)).replace(',', '');

/** In the order of the events. */
export function daysOf(events: readonly TimelineEvent[], zone: string): Day[] {
  const days = Map.groupBy(events, ({ occurred_at }) => dateText(Date.parse(occurred_at), zone));
  return [...days].map(([date, own]) => ({ date, title: titleOf(date), events: own }));
}

/** One thing that is different: what it was and what it is. Both null: it came or went as the title says. */
export interface Change {
  name: string;
  /** Where it is: a database, a role, a table. */
  place: string;
  before: string | null;
  after: string | null;
}

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;
const rowsIn = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : []);
const text = (value: unknown): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);
const joined = (parts: readonly unknown[], between = ' '): string =>
  parts.flatMap((part) => text(part) ?? []).join(between);

/** What was there before and after by the type of change, where the values themselves say nothing. */
const states = (row: Row, what: string): Pick<Change, 'before' | 'after'> => ({
  before: row.change_type === 'added' ? null : what,
  after: row.change_type === 'removed' ? null : what,
});

function settingChange(row: Row): Change {
  const place = [text(row.role) && `role ${row.role}`, text(row.database) && `database ${row.database}`];
  const value = (one: unknown) => (one === '' ? 'empty' : text(one));
  return {
    name: joined([row.name]),
    place: joined(place, ' in '),
    before: value(row.old_value),
    after: value(row.new_value),
  };
}

function ruleChange(row: Row): Change {
  const now = joined([row.type, row.database, row.user_name, row.address, row.auth_method]);
  const was = joined([
    row.prev_type,
    row.prev_database,
    row.prev_user_name,
    row.prev_address,
    row.prev_auth_method,
  ]);
  const number = text(row.rule_number);
  return {
    name: number === null ? 'Rule' : `Rule ${number}`,
    place: '',
    ...(row.change_type === 'modified' ? { before: was, after: now } : states(row, now)),
  };
}

const mappingChange = (row: Row): Change => ({
  name: joined([row.map_name]),
  place: '',
  ...states(row, joined([row.sys_name, '→', row.pg_username])),
});

const extensionChange = (row: Row): Change => ({
  name: joined([row.name]),
  place: joined([row.database]),
  before: text(row.old_version),
  after: text(row.version),
});

const objectChange = (row: Row): Change => ({
  name: joined([row.schema, row.index ?? row.table], '.'),
  place: joined([row.database, row.index === undefined ? null : `on ${row.table}`]),
  before: null,
  after: null,
});

const statementChange = (row: Row): Change => ({
  name: cutText(text(row.query_text)?.replaceAll(/\s+/g, ' ') ?? `statement ${row.queryid}`, 400),
  place: joined([row.database, text(row.user_name) && `by ${row.user_name}`], ', '),
  before: null,
  after: null,
});

const CHANGE_OF: Partial<Record<EventType, (row: Row) => Change>> = {
  config_change: settingChange,
  role_setting_change: settingChange,
  hba_change: ruleChange,
  ident_change: mappingChange,
  extension_change: extensionChange,
  table_made: objectChange,
  table_dropped: objectChange,
  index_made: objectChange,
  index_dropped: objectChange,
  statement_new: statementChange,
};

export interface Changes {
  changes: Change[];
  /** Those that the server does not list. */
  more: number;
}

/** The alert, or the log at that moment. */
export function pathOf({
  event_type,
  connection_id,
  occurred_at,
  details,
}: TimelineEvent): string | undefined {
  if (event_type === 'log_event')
    return logsPath(connection_id, Date.parse(occurred_at), { class: String(details?.class) });
  const id = Number(details?.alert_id);
  return Number.isSafeInteger(id) && id > 0 ? `/alerts/${id}` : undefined;
}

export function changesOf({ event_type, details }: TimelineEvent): Changes {
  const read = CHANGE_OF[event_type];
  if (!read || !details) return { changes: [], more: 0 };
  const changes = rowsIn(details.changes ?? details.mappings).map(read);
  const count = Number(details.change_count ?? details.mapping_count ?? changes.length);
  return { changes, more: Math.max(0, count - changes.length) };
}
