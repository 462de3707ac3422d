// Operations of conversations and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as contract from './conversations.contract.ts';
import {
  createConversation,
  deleteAllConversations,
  deleteConversation,
  getConversation,
  listConversations,
  renameConversation,
  updateConversation,
} from './conversations.service.ts';

export function conversationsRoutes(): Route<Ctx>[] {
  return [
    route(contract.listConversations, async (ctx, { query }) => ({
      conversations: await listConversations(ctx, query),
    })),
    route(contract.createConversation, (ctx, { body }) => createConversation(ctx, body)),
    route(contract.deleteAllConversations, async (ctx, { query }) => ({
      success: true,
      deleted: await deleteAllConversations(ctx, query.all),
    })),
    route(contract.getConversation, (ctx, { params }) => getConversation(ctx, params.id)),
    route(contract.updateConversation, (ctx, { params, body }) => updateConversation(ctx, params.id, body)),
    route(contract.renameConversation, async (ctx, { params, body }) => {
      await renameConversation(ctx, params.id, body.title);
      return { success: true };
    }),
    route(contract.deleteConversation, async (ctx, { params }) => {
      await deleteConversation(ctx, params.id);
      return { success: true };
    }),
  ];
}
