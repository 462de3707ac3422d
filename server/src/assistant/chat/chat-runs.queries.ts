// The statements of runs of the chat, and which servers a question is about; those that a request reaches name whose they are.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { factInForce, factsInForce } from '../../store/read/doors/relations.ts';
import type { ChatEventData, ChatRun } from './chat-runs.schemas.ts';

export type EventData = Static<typeof ChatEventData>;
export type RunState = Static<typeof ChatRun>['state'];

export interface StoredEvent {
  sequence: number;
  data: EventData;
}

export interface RunRow {
  id: string;
  conversation_id: string;
  state: RunState;
  model: string | null;
  started_at: string;
  ended_at: string | null;
  /** Its process has given no sign of life for too long. */
  is_lost: boolean;
}

/** Of each user; the oldest go when there are more. */
const MOST_RUNS = 100;

export interface NewRun {
  id: string;
  user_id: number;
  conversation_id: string;
  provider: string | null;
  model: string | null;
  now: string;
  expires_at: string;
}

/** Undefined: another run is under way in the same conversation. */
export const insertRun = (db: Db, made: NewRun): Promise<{ id: string } | undefined> =>
  db.maybe(sql`/* chat_runs.insert */
    with gone as (
      delete from matriarch.chat_runs d
      where d.id in (
        select o.id from matriarch.chat_runs o
        where o.user_id = ${made.user_id}::int and o.state <> 'running'
        order by o.started_at desc, o.id
        offset ${MOST_RUNS - 1}::int))
    insert into matriarch.chat_runs (id, user_id, conversation_id, state, provider, model, expires_at, started_at)
    values (
      ${made.id}, ${made.user_id}::int, ${made.conversation_id}, 'running', ${made.provider}::text, ${made.model}::text,
      ${made.expires_at}::timestamptz, ${made.now}::timestamptz
    )
    on conflict do nothing
    returning id`);

export const findOwnRun = (
  db: Db,
  { id, user_id, now }: { id: string; user_id: number; now: string },
): Promise<RunRow | undefined> =>
  db.maybe(sql`/* chat_runs.get */
    select r.id, r.conversation_id, r.state, r.model, r.started_at, r.ended_at,
      r.state = 'running' and r.expires_at < ${now}::timestamptz as is_lost
    from matriarch.chat_runs r
    where r.id = ${id} and r.user_id = ${user_id}::int`);

/** Runs of one person whose process is gone. */
export const lostRuns = (db: Db, userId: number, now: string): Promise<{ id: string }[]> =>
  db.rows(sql`/* chat_runs.lost */
    select r.id
    from matriarch.chat_runs r
    where r.user_id = ${userId}::int and r.state = 'running' and r.expires_at < ${now}::timestamptz`);

export const eventsAfter = (
  db: Db,
  { id, after, limit }: { id: string; after: number; limit: number },
): Promise<StoredEvent[]> =>
  db.rows(sql`/* chat_runs.events */
    select e.sequence, e.data
    from matriarch.chat_run_events e
    where e.run_id = ${id} and e.sequence > ${after}::int
    order by e.sequence
    limit ${limit}::int`);

export const insertEvents = (db: Db, id: string, events: readonly StoredEvent[]): Promise<unknown> =>
  db.run(sql`/* chat_runs.store */
    insert into matriarch.chat_run_events (run_id, sequence, data)
    select ${id}, e.sequence, e.data
    from json_to_recordset(${JSON.stringify(events)}::json) as e (sequence integer, data json)
    where exists (select 1 from matriarch.chat_runs r where r.id = ${id})`);

/** A sign of life; answers whether somebody wants it to stop, undefined when it is not running any more. */
export const keepRun = (
  db: Db,
  id: string,
  expiresAt: string,
): Promise<{ is_cancelled: boolean } | undefined> =>
  db.maybe(sql`/* chat_runs.keep */
    update matriarch.chat_runs r
    set expires_at = ${expiresAt}::timestamptz
    where r.id = ${id} and r.state = 'running'
    returning r.cancelled_at is not null as is_cancelled`);

/** Undefined: somebody else has ended it. */
export const endRun = (
  db: Db,
  { id, state, now, ifLost }: { id: string; state: RunState; now: string; ifLost: boolean },
): Promise<{ conversation_id: string; user_id: number } | undefined> =>
  db.maybe(sql`/* chat_runs.end */
    update matriarch.chat_runs r
    set state = ${state}, ended_at = ${now}::timestamptz
    where r.id = ${id} and r.state = 'running' and (not ${ifLost}::boolean or r.expires_at < ${now}::timestamptz)
    returning r.conversation_id, r.user_id`);

export const wishEnd = (db: Db, id: string, now: string): Promise<unknown> =>
  db.run(sql`/* chat_runs.cancel */
    update matriarch.chat_runs r set cancelled_at = ${now}::timestamptz where r.id = ${id} and r.state = 'running'`);

export interface ScopeServer {
  id: number;
  name: string;
  /** As the server writes it; null: it was not read yet. */
  version: string | null;
  /** Who runs it, in words of ours. */
  flavour: string;
}

export interface RequestedScope {
  kind: 'estate' | 'group' | 'cluster' | 'server';
  id: number | null;
}

/** At most 51 servers, by id. Who runs one is told by the parameters that only their servers have. */
export const scopeServers = (
  db: Db,
  principal: Principal,
  { kind, id }: RequestedScope,
): Promise<ScopeServer[]> =>
  db.rows(sql`/* chat_runs.scope */
    select c.id, c.name, fact.value ->> 'server_version' as version,
      coalesce((
        select min(case split_part(f.item_key, '.', 1)
          when 'rds' then 'Amazon RDS or Aurora'
          when 'azure' then 'Azure Database for PostgreSQL'
          when 'cloudsql' then 'Google Cloud SQL'
          when 'alloydb' then 'Google AlloyDB'
          when 'neon' then 'Neon'
        end)
        from ${factsInForce('pg_settings')} f
        where f.connection_id = c.id and f.item_key ~ '^(rds|azure|cloudsql|alloydb|neon)[.]'
      ), 'PostgreSQL, not known to be managed by a provider') as flavour
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    left join ${factInForce('pg_server_info')} fact on fact.connection_id = c.id
    where c.deleted_at is null and ${visible(principal)}
      and case ${kind}::text
        when 'server' then c.id = ${id}::int
        when 'cluster' then s.cluster_id = ${id}::int
        when 'group' then s.group_id = ${id}::int
        else true
      end
    order by c.id
    limit 51`);
