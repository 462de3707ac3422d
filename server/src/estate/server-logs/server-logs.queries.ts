// What was read of the log of one server. Guards: what is read is bounded by a window and a limit.
import type { Db } from '../../kernel/db.ts';
import { join, type Sql, sql } from '../../kernel/sql.ts';
import type { EventRow as LoggedEvent } from './log-rows.ts';
import { patternOf, type Term } from './search-terms.ts';
import type { GAP_REASONS } from './server-logs.contract.ts';

export interface SourceRow {
  username: string;
  is_monitored: boolean;
  format: 'jsonlog' | 'csvlog' | 'stderr' | 'otlp' | 'syslog' | null;
  reason: string | null;
  mend: string | null;
  reading_since: string | null;
  looked_at: string | null;
  read_until: string | null;
}

export const findSource = (db: Db, connection_id: number) =>
  db.maybe<SourceRow>(sql`/* server_logs.source */
    select c.username, c.is_monitored, s.format, s.reason, s.mend, s.reading_since, s.looked_at, s.read_until
    from matriarch.connections c
    left join matriarch.log_sources s on s.connection_id = c.id
    where c.id = ${connection_id}`);

export interface Grid {
  readonly connection_id: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly database_name?: string | undefined;
}

const at = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::float8)`;

const counted = ({ connection_id, from, to, database_name }: Grid): Sql => sql`
  c.connection_id = ${connection_id} and c.minute >= ${at(from)} and c.minute < ${at(to)}
  and (${database_name ?? null}::text is null or c.database_name = ${database_name ?? null})`;

export interface CountRow {
  class: string;
  bucket: number;
  events: number;
  kept: number;
}

export const countsByBucket = (db: Db, grid: Grid): Promise<CountRow[]> =>
  db.rows<CountRow>(sql`/* server_logs.counts */
    select
      c.class,
      floor((extract(epoch from c.minute) * 1000 - ${grid.from}::float8) / ${grid.width}::float8)::int as bucket,
      sum(c.events)::bigint as events,
      sum(c.kept)::bigint as kept
    from matriarch.log_counts c
    where ${counted(grid)}
    group by 1, 2`);

export const countsBySqlstate = (db: Db, grid: Grid) =>
  db.rows<{ sqlstate: string; events: number }>(sql`/* server_logs.sqlstates */
    select c.sqlstate, sum(c.events)::bigint as events
    from matriarch.log_counts c
    where ${counted(grid)} and c.sqlstate not in ('', '00000')
    group by 1
    order by 2 desc, 1
    limit 20`);

export interface GapRow {
  noticed_at: string;
  file_name: string;
  bytes: number;
  reason: (typeof GAP_REASONS)[number];
  total_bytes: number;
}

export const newestGaps = (db: Db, { connection_id, from, to }: Grid) =>
  db.rows<GapRow>(sql`/* server_logs.gaps */
    select g.noticed_at, g.file_name, g.bytes, g.reason, (sum(g.bytes) over ())::bigint as total_bytes
    from matriarch.log_gaps g
    where g.connection_id = ${connection_id} and g.noticed_at >= ${at(from)} and g.noticed_at < ${at(to)}
    order by g.noticed_at desc, g.id desc
    limit 50`);

/** Buckets in which it was noticed that bytes were never read, all of them. */
export const bucketsWithGaps = (db: Db, { connection_id, from, to, width }: Grid) =>
  db.rows<{ bucket: number }>(sql`/* server_logs.gap_buckets */
    select distinct floor((extract(epoch from g.noticed_at) * 1000 - ${from}::float8) / ${width}::float8)::int as bucket
    from matriarch.log_gaps g
    where g.connection_id = ${connection_id} and g.noticed_at >= ${at(from)} and g.noticed_at < ${at(to)}`);

export interface EventRow extends Omit<LoggedEvent, 'occurred_at' | 'relation_name'> {
  connection_id: number;
  id: string;
  occurred_at: string;
  /** Microseconds since the epoch, as text. */
  place: string;
}

export interface EventsFilter {
  readonly from: number;
  readonly to: number;
  readonly classes?: readonly string[] | undefined;
  readonly severity?: string | undefined;
  readonly sqlstate?: string | undefined;
  readonly database_name?: string | undefined;
  readonly user_name?: string | undefined;
  readonly application_name?: string | undefined;
  readonly process_id?: string | undefined;
  readonly queryid?: string | undefined;
  /** All of them are in the texts. */
  readonly terms: readonly Term[];
  /** Behind which the page begins. */
  readonly after?: { readonly place: string; readonly id: string } | undefined;
  readonly limit: number;
}

/** What of a filter chooses events, whatever their time. */
export function choice(filter: Omit<EventsFilter, 'from' | 'to' | 'limit'>): Sql[] {
  const { classes, severity, sqlstate, database_name, user_name, application_name, process_id, queryid } =
    filter;
  const all: Sql[] = [];
  if (classes) all.push(sql`e.class = any(${classes}::text[])`);
  if (severity !== undefined) all.push(sql`e.severity = ${severity}`);
  if (sqlstate !== undefined) all.push(sql`e.sqlstate = ${sqlstate}`);
  if (database_name !== undefined) all.push(sql`e.database_name = ${database_name}`);
  if (user_name !== undefined) all.push(sql`e.user_name = ${user_name}`);
  if (application_name !== undefined) all.push(sql`e.application_name = ${application_name}`);
  if (process_id !== undefined) all.push(sql`e.process_id = ${process_id}`);
  if (queryid !== undefined) all.push(sql`e.queryid = ${queryid}`);
  return all;
}

export const all = (conditions: readonly Sql[]): Sql => join([sql`true`, ...conditions], sql` and `);

/** Of one server, or of several. */
export type Servers = number | readonly number[];

/** Events of a window, behind the page before. */
export const inTime = ({ from, to, after }: Pick<EventsFilter, 'from' | 'to' | 'after'>): Sql =>
  all([
    sql`e.occurred_at >= ${at(from)}`,
    sql`e.occurred_at < ${at(to)}`,
    after
      ? sql`(e.occurred_at, e.id) < (
          timestamptz 'epoch' + ${after.place}::bigint * interval '1 microsecond', ${after.id}::bigint)`
      : sql`true`,
  ]);

/** What belongs to them, in a table whose column it is. */
export const ofServers = (column: Sql, servers: Servers): Sql =>
  typeof servers === 'number' ? sql`${column} = ${servers}` : sql`${column} = any(${servers}::int[])`;

export const within = (servers: Servers, filter: EventsFilter): Sql =>
  all([ofServers(sql`e.connection_id`, servers), inTime(filter)]);

export const conditions = (servers: Servers, filter: EventsFilter): Sql =>
  all([within(servers, filter), ...choice(filter)]);

export const PLACE: Sql = sql`(extract(epoch from e.occurred_at) * 1000000)::bigint::text`;

export const hasTerms = (terms: readonly Term[]): Sql =>
  all(
    terms.flatMap((term) => [
      sql`position(lower(${term.text}) in t.texts) > 0`,
      sql`t.texts ~ lower(${patternOf(term)})`,
    ]),
  );

/** `e` of log_events with its texts in small letters. */
export const TEXTS: Sql = sql`lateral (
      select lower(concat_ws(E'\\n', e.message, e.detail, e.hint, e.context, e.statement)) as texts offset 0
    ) t`;

export const EVENT_COLUMNS: Sql = sql`
  e.connection_id, e.id::text as id, e.occurred_at, ${PLACE} as place, e.class, e.severity, e.sqlstate, e.database_name, e.user_name,
  e.application_name, e.process_id, e.queryid, e.message, e.detail, e.hint, e.context, e.statement, e.figures, e.is_cut`;

export const NEWEST_FIRST: Sql = sql`order by e.occurred_at desc, e.id desc`;

export const listEvents = (db: Db, connection_id: number, filter: EventsFilter): Promise<EventRow[]> =>
  db.rows<EventRow>(sql`/* server_logs.events */
    select ${EVENT_COLUMNS}
    from matriarch.log_events e
    where ${conditions(connection_id, filter)}
    ${NEWEST_FIRST}
    limit ${filter.limit}`);
