// Operations of chat and the services behind them.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { type Route, route, streamRoute } from '../../kernel/route.ts';
import * as contract from './chat.contract.ts';
import { chatQuestions } from './chat-questions.service.ts';
import * as runs from './chat-runs.contract.ts';
import type { ChatRuns } from './chat-runs.service.ts';
import type { Compacting } from './compact.service.ts';

/** The number behind the colon of the last event that was heard; whichever is further counts. */
function heard(header: string | undefined, after: number): number {
  const [, sequence] = /:(\d{1,9})$/.exec(header ?? '') ?? [];
  return Math.max(after, Number(sequence ?? 0));
}

function tokenOf(token: string | undefined): string {
  if (token === undefined) throw new Fault('unauthenticated', 'Sign in first.');
  return token;
}

export function chatRoutes({ compactChat }: Compacting, chat: ChatRuns): Route<Ctx>[] {
  return [
    route(contract.compactChat, (ctx, { body }) => compactChat(ctx, body)),
    streamRoute(runs.startChatRun, (ctx, { body }, { token }) => chat.start(ctx, body, tokenOf(token))),
    route(runs.getChatRun, (ctx, { params }) => chat.get(ctx, params.id)),
    streamRoute(runs.followChatRun, (ctx, { params, query }, { header }) =>
      chat.follow(ctx, params.id, heard(header('last-event-id'), query.after ?? 0)),
    ),
    route(runs.cancelChatRun, (ctx, { params }) => chat.cancel(ctx, params.id)),
    route(runs.listChatQuestions, (ctx, { query }) => chatQuestions(ctx, query, chat.isModel)),
  ];
}
