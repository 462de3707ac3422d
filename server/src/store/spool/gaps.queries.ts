// Known gaps: times of which samples were collected and had to be given up. Written by upsert, since the spool repeats
// a gap that goes on with a later end.
import { type Sql, sql } from '../../kernel/sql.ts';
import type { Gap } from './gaps.ts';

/** A damaged record may say any number for a time. */
const iso = (ms: number) => new Date(ms > 0 && ms < 253_402_300_800_000 ? ms : 0).toISOString();

/** A gap of nobody knows which connections is one of each that was there: rather too much is said than too little. */
export const noteGaps = (gaps: readonly Gap[]): Sql => sql`
  /* store.note_gaps */
  with input as (
    select i.connection_id, i.began_at, greatest(i.began_at, i.ended_at) as ended_at, i.reason
    from unnest(
      ${gaps.map((gap) => gap.connection_id)}::integer[],
      ${gaps.map((gap) => iso(gap.from))}::timestamptz[],
      ${gaps.map((gap) => iso(gap.to))}::timestamptz[],
      ${gaps.map((gap) => gap.reason)}::text[]
    ) as i (connection_id, began_at, ended_at, reason)
  )
  insert into metrics.known_gaps as g (connection_id, began_at, ended_at, reason)
  select c.id, i.began_at, max(i.ended_at), min(i.reason)
  from input i
  join matriarch.connections c
    on c.id = i.connection_id or (i.connection_id is null and c.created_at <= i.ended_at)
  group by c.id, i.began_at
  order by c.id, i.began_at
  on conflict (connection_id, began_at) do update
  set ended_at = greatest(g.ended_at, excluded.ended_at), reason = excluded.reason, noted_at = now()`;

export interface KnownGap {
  connection_id: number;
  name: string;
  began_at: string;
  ended_at: string;
  reason: Gap['reason'];
}

/** The newest ones of connections that are there, newest first. */
export const knownGaps = (limit: number): Sql => sql`
  /* store.known_gaps */
  select g.connection_id, c.name, g.began_at, g.ended_at, g.reason
  from metrics.known_gaps g
  join matriarch.connections c on c.id = g.connection_id and c.deleted_at is null
  order by g.ended_at desc, g.connection_id
  limit ${limit}`;

export interface SpoolRow {
  owner: string;
  /** Null without a spool, and then the sentence says why. */
  spool_bytes: number | null;
  spool_problem: string | null;
}

/** The spools of the collectors that live. */
export const spools = sql`
  /* store.spools */
  select owner, spool_bytes, spool_problem
  from matriarch.collectors
  where expires_at > now()
  order by owner`;

/** Nothing of samples is kept for longer than a rollup, so neither is what is missing; epochs serve what is late. */
export const forgetGaps = sql`
  /* store.forget_gaps */
  with epochs as (
    delete from matriarch.lease_epochs
    where taken_at < now() - interval '90 days'
  )
  delete from metrics.known_gaps
  where ended_at < now() - interval '800 days'`;
