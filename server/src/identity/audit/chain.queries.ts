// SQL of the chain: its ends, its links in order, and the move of the anchor that lets old rows go.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface ChainEnds {
  head_id: number;
  head_hash: Buffer;
  anchor_id: number;
  anchor_hash: Buffer;
  /** Rows that no transaction has sealed, which cannot be. */
  unsealed: number;
}

export function findChain(db: Db): Promise<ChainEnds | undefined> {
  return db.maybe<ChainEnds>(sql`/* audit.chain */
    select
      c.head_id, c.head_hash, c.anchor_id, c.anchor_hash,
      (select count(*) from matriarch.audit_events e where e.id is null) as unsealed
    from matriarch.audit_chain c`);
}

export interface Link {
  id: number;
  previous_hash: Buffer;
  hash: Buffer;
  /** What was hashed. */
  content: string;
}

export function findLinks(db: Db, after: number, most: number): Promise<Link[]> {
  return db.rows<Link>(sql`/* audit.links */
    select e.id, coalesce(e.previous_hash, '') as previous_hash, coalesce(e.hash, '') as hash,
      matriarch.audit_content(e) as content
    from matriarch.audit_events e
    where e.id > ${after}::bigint
    order by e.id
    limit ${most}`);
}

/** What the newest removal of old rows says it removed. */
export function findLastPrune(db: Db): Promise<{ through_id: number; through_hash: string } | undefined> {
  return db.maybe(sql`/* audit.last_prune */
    select (e.details ->> 'through_id')::bigint as through_id, e.details ->> 'through_hash' as through_hash
    from matriarch.audit_events e
    where e.action = 'audit.prune' and e.id is not null
    order by e.id desc
    limit 1`);
}

/** The last row, not more than `most` after the anchor, up to which all are from before `cutoff`. */
export function findPrunable(
  db: Db,
  cutoff: string,
  most: number,
): Promise<{ anchor_id: number; id: number; hash: Buffer } | undefined> {
  return db.maybe(sql`/* audit.prunable */
    with chain as (
      select c.anchor_id, least(c.head_id, c.anchor_id + ${most}::bigint) as most
      from matriarch.audit_chain c
      for update
    )
    select chain.anchor_id, e.id, e.hash
    from chain
    join matriarch.audit_events e on e.id = coalesce(
      (
        select min(n.id) - 1
        from matriarch.audit_events n
        where n.id > chain.anchor_id and n.id <= chain.most and n.at >= ${cutoff}::timestamptz
      ),
      chain.most
    )
    where e.id > chain.anchor_id`);
}

/** Moves the anchor, then removes what is behind it. */
export async function pruneThrough(db: Db, id: number, hash: Buffer): Promise<number> {
  await db.run(sql`/* audit.move_anchor */
    update matriarch.audit_chain set anchor_id = ${id}::bigint, anchor_hash = ${hash}`);
  return db.run(sql`/* audit.delete_pruned */ delete from matriarch.audit_events where id <= ${id}::bigint`);
}
