// The rules of memories: one sees one's own and those of everybody, and changes the latter only with a permission.
import { Fault } from '../../kernel/errors.ts';
import { hasPermission } from '../access/access.service.ts';
import type { Ctx } from '../access/principal.ts';
import { deleteById, findSeen, listSeen, type MemoryRow, setPinned } from './memories.queries.ts';

export interface ListOptions {
  category?: string;
  limit?: number;
  pinned?: boolean;
}

const NONE = new Fault('not_found', 'There is no such memory.');

export function listMemories(
  { db, principal }: Ctx,
  { category, limit = 100, pinned }: ListOptions,
): Promise<MemoryRow[]> {
  return listSeen(db, principal.user_id, { category: category ?? null, pinned: pinned ?? null, limit });
}

async function demandOwn({ db, principal }: Ctx, id: number): Promise<void> {
  const found = await findSeen(db, principal.user_id, id);
  if (!found) throw NONE;
  if (found.scope === 'system' && !hasPermission(principal, 'store_system_memory'))
    throw new Fault('forbidden', 'You need the permission store_system_memory.');
}

export async function deleteMemory(ctx: Ctx, id: number): Promise<void> {
  await demandOwn(ctx, id);
  await deleteById(ctx.db, id);
}

export async function pinMemory(
  ctx: Ctx,
  id: number,
  pinned: boolean,
): Promise<{ id: number; pinned: boolean }> {
  await demandOwn(ctx, id);
  const changed = await setPinned(ctx.db, { id, pinned, now: new Date(ctx.clock.now()).toISOString() });
  if (!changed) throw NONE;
  return changed;
}
