// Blocks of lines, in the datastore. Guards: of blocks that a filter rules out no body is read; a block that another process merges is left to it.
import type { Db } from '../../kernel/db.ts';
import { join, type Sql, sql } from '../../kernel/sql.ts';
import { BLOCK_VERSION } from './line-block.ts';
import type { LineBlock } from './log-rows.ts';
import { ofServers, type Servers } from './server-logs.queries.ts';
import { probesOf } from './word-filter.ts';

const at = (ms: number): Sql => sql`to_timestamp(${ms / 1000}::float8)`;

/** Answers its id. */
export async function addBlock(db: Db, connection_id: number, block: LineBlock): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* server_logs.add_block */
    insert into matriarch.log_blocks (
      connection_id, first_at, last_at, events, unpacked_bytes, version, classes, severities, sqlstates, words, body
    ) values (
      ${connection_id}, ${at(block.first_at)}, ${at(block.last_at)}, ${block.events}, ${block.unpacked_bytes},
      ${BLOCK_VERSION}, ${block.classes}::text[], ${block.severities}::text[], ${block.sqlstates}::text[],
      ${block.words}::bytea, ${block.body}::bytea
    )
    returning id`);
  return id;
}

/** Bytes of lines that were stored of the last day. */
export const storedBytes = async (db: Db, connection_id: number): Promise<number> => {
  const row = await db.one<{ bytes: number | null }>(sql`/* server_logs.block_bytes */
    select sum(octet_length(b.body) + octet_length(b.words))::float8 as bytes
    from matriarch.log_blocks b
    where b.connection_id = ${connection_id} and b.stored_at > now() - interval '1 day'`);
  return row.bytes ?? 0;
};

export interface BlocksFilter {
  readonly from: number;
  readonly to: number;
  readonly classes?: readonly string[] | undefined;
  readonly severity?: string | undefined;
  readonly sqlstate?: string | undefined;
  /** Of words and values that events must have. */
  readonly hashes: readonly number[];
  /** The last block of those before. */
  readonly behind?: Pick<BlockHead, 'id' | 'last'> | undefined;
  readonly most: number;
}

const hasBit = (probe: number): Sql => sql`
  (get_byte(substring(b.words from ((${probe}::bigint % (octet_length(b.words) * 8)) / 8 + 1)::int for 1), 0)
    >> ((${probe}::bigint % (octet_length(b.words) * 8)) % 8)::int) & 1 = 1`;

function conditions(servers: Servers, filter: BlocksFilter): Sql {
  const { from, to, classes, severity, sqlstate, hashes, behind } = filter;
  const all = [
    ofServers(sql`b.connection_id`, servers),
    sql`b.last_at >= ${at(from)}`,
    sql`b.first_at < ${at(to)}`,
  ];
  if (behind) all.push(sql`(b.last_at, b.id) < (${at(behind.last)}, ${behind.id}::bigint)`);
  if (classes) all.push(sql`b.classes && ${classes}::text[]`);
  if (severity !== undefined) all.push(sql`${severity}::text = any(b.severities)`);
  if (sqlstate !== undefined) all.push(sql`${sqlstate}::text = any(b.sqlstates)`);
  for (const hash of hashes) for (const probe of probesOf(hash)) all.push(hasBit(probe));
  return join(all, sql` and `);
}

export interface BlockHead {
  connection_id: number;
  id: number;
  /** Milliseconds since the epoch. */
  last: number;
  unpacked_bytes: number;
  version: number;
}

/** Blocks that may have such events, the newest first. */
export const findBlocks = (db: Db, servers: Servers, filter: BlocksFilter): Promise<BlockHead[]> =>
  db.rows<BlockHead>(sql`/* server_logs.blocks */
    select b.connection_id, b.id, round(extract(epoch from b.last_at) * 1000)::float8 as last, b.unpacked_bytes, b.version
    from matriarch.log_blocks b
    where ${conditions(servers, filter)}
    order by b.last_at desc, b.id desc
    limit ${filter.most}`);

export const blockBodies = (db: Db, ids: readonly number[]) =>
  db.rows<{ id: number; body: Buffer }>(sql`/* server_logs.block_bodies */
    select b.id, b.body from matriarch.log_blocks b where b.id = any(${ids}::bigint[])`);
