// The connection somebody works with now. It belongs to one session or API token and goes with it. Guards: a
// selection shows nothing that its holder can no longer see.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { clearCurrent, findCurrent, type Selection, saveCurrent } from './connections.queries.ts';
import type { CurrentConnection } from './connections.schemas.ts';

type Current = Static<typeof CurrentConnection>;

export async function getCurrentConnection(ctx: Ctx): Promise<Current> {
  const current = await findCurrent(ctx.db, ctx.principal);
  if (current) {
    const { database_name, ...rest } = current;
    return { ...rest, ...(database_name !== null && { database_name }) };
  }
  // A selection that lost its access does not come back with it.
  await clearCurrent(ctx.db, ctx.principal.via);
  throw new Fault('not_found', 'No connection is selected.');
}

/** The caller's access has been checked. */
export async function setCurrentConnection(ctx: Ctx, selection: Selection): Promise<Current> {
  await saveCurrent(ctx.db, ctx.principal.via, selection);
  return getCurrentConnection(ctx);
}

export async function clearCurrentConnection(ctx: Ctx): Promise<void> {
  await clearCurrent(ctx.db, ctx.principal.via);
}
