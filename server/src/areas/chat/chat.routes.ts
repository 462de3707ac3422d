// Operations of chat and the services behind them.
import { type Route, route } from '../../kernel/route.ts';
import type { Ctx } from '../access/principal.ts';
import * as contract from './chat.contract.ts';
import type { Compacting } from './compact.service.ts';

export function chatRoutes({ compactChat }: Compacting): Route<Ctx>[] {
  return [route(contract.compactChat, async (ctx: Ctx, { body }) => compactChat(ctx, body))];
}
