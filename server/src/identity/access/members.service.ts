// Servers of clusters that groups of users have access to. Guards: a user who brings a server to such a cluster gives
// access to it, so that takes what sharing takes: manage_connections, which every such operation demands, and at least
// the access that is given. Inside a transaction that holds the lock on rights.
import { Fault } from '../../kernel/errors.ts';
import * as queries from './members.queries.ts';
import type { Ctx } from './principal.ts';
import { lockLevels } from './rights.queries.ts';

const WORDS = { 1: 'read', 2: 'read and write' } as const;

/** 403 unless the caller has this level on each of the servers. */
async function demandLevelOn(
  ctx: Ctx,
  servers: readonly queries.ServerOfCluster[],
  level: 1 | 2,
): Promise<void> {
  const ids = servers.map(({ connection_id }) => connection_id);
  const own = await lockLevels(ctx.db, ctx.principal, ids);
  const lacking = ids.filter((id) => (own.get(id) ?? 0) < level);
  if (lacking.length === 0) return;
  throw new Fault(
    'forbidden',
    `Groups of users would get ${WORDS[level]} access to servers on which you do not have it yourself. Ask a user who has it.`,
  );
}

async function admit(
  ctx: Ctx,
  servers: readonly queries.ServerOfCluster[],
  cluster_id: number,
): Promise<void> {
  const given = await queries.findGivenLevel(ctx.db, cluster_id);
  if (given === 0) return;
  await demandLevelOn(ctx, servers, given);
  await queries.saveMembers(ctx.db, servers);
}

/** Before a server comes to the cluster. What it inherits already stays as it is. */
export async function admitServer(ctx: Ctx, server: queries.ServerOfCluster): Promise<void> {
  if (!(await queries.isMember(ctx.db, server))) await admit(ctx, [server], server.cluster_id);
}

/** After the cluster was granted, came to another group of clusters or shows again: the same of every server of it. */
export async function admitCluster(ctx: Ctx, cluster_id: number): Promise<void> {
  await admit(
    ctx,
    await queries.listServersOf(ctx.db, { scope: 'cluster', scope_id: cluster_id }),
    cluster_id,
  );
}

/** After a cluster was dismissed: if it shows again, a user admits its servers again. */
export const forgetMembers = ({ db }: Pick<Ctx, 'db'>, cluster_id: number): Promise<void> =>
  queries.dropMembers(db, cluster_id);
