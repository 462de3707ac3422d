// Operations of memories and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './memories.contract.ts';
import { deleteMemory, listMemories, pinMemory } from './memories.service.ts';

export function memoriesRoutes(): Route<Ctx>[] {
  return [
    route(contract.listMemories, async (ctx, { query }) => ({
      memories: await listMemories(ctx, query),
    })),
    route(contract.deleteMemory, async (ctx, { params }) => {
      await deleteMemory(ctx, params.id);
      return { status: 'deleted' };
    }),
    route(contract.pinMemory, (ctx, { params, body }) => pinMemory(ctx, params.id, body.pinned)),
  ];
}
