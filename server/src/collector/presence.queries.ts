// The lock by which each collector shows that it lives, and what becomes of everything that a dead one held.
import { prepared, type Sql, sql } from '../kernel/sql.ts';

/** The first half of the key, the same in every version; the second is made of the collector's name. */
const LOCK_CLASS = 7_264_911;

/**
 * Shared, so that a new session of a collector never waits for the old one, which may be half-open for a while. That two
 * names have the same key costs nothing but time: then the lease's end decides.
 */
export const showPresence = (owner: string): Sql => sql`
  /* store.show_presence */
  select pg_advisory_lock_shared(${LOCK_CLASS}::integer, hashtext(${owner}))`;

/** Keys of two halves have 2 in objsubid. */
const isHeld = (owner: Sql): Sql => sql`
  exists (
    select
    from pg_locks k
    where k.locktype = 'advisory'
      and k.database = (select d.oid from pg_database d where d.datname = current_database())
      and k.classid = ${LOCK_CLASS}::integer::oid
      and k.objid = hashtext(${owner})::oid
      and k.objsubid = 2
      and k.granted
  )`;

/** Everybody else who is not forgotten yet. */
export const others = (owner: string): Sql =>
  prepared(sql`
  /* store.others */
  select c.owner, c.expires_at::text as expires_at, c.expires_at <= now() as is_over, ${isHeld(sql`c.owner`)} as is_held
  from matriarch.collectors c
  where c.owner <> ${owner}
  order by c.owner`);

/** Frees what these held: servers, jobs, their part in the shares. Nothing of one that is there again. */
export const evict = (owners: readonly string[]): Sql => sql`
  /* store.evict */
  with dead as materialized (
    select d.owner
    from unnest(${owners}::text[]) as d (owner)
    where not ${isHeld(sql`d.owner`)}
  ), gone as (
    delete from matriarch.collectors c
    using dead d
    where c.owner = d.owner
  ), idle as (
    update matriarch.jobs j
    set owner = '', expires_at = now()
    from dead d
    where j.owner = d.owner
  ), theirs as (
    select l.connection_id
    from matriarch.connection_leases l
    where l.owner in (select d.owner from dead d)
    order by l.connection_id
    for update
  )
  update matriarch.connection_leases l
  set owner = '', expires_at = now()
  from theirs t
  where l.connection_id = t.connection_id`;
