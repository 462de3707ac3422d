// Operations on language models: what there is, and the proxy to them.

import type { Ctx, PublicCtx } from '../../identity/identity.ts';
import { Reply, type Route, route, streamRoute } from '../../kernel/route.ts';
import type { ModelCalls } from '../ai-runs/model-calls.service.ts';
import * as contract from './llm.contract.ts';
import type { Llm } from './llm.service.ts';
import * as chat from './llm-chat.contract.ts';
import type { LlmChat } from './llm-chat.service.ts';
import { previewChat } from './llm-preview.contract.ts';
import { preview } from './llm-preview.service.ts';
import * as vectors from './llm-vectors.contract.ts';
import type { LlmVectors } from './llm-vectors.service.ts';

/** Public; each counts against the caller's address first. */
function publicRoutes(llm: Llm): Route<PublicCtx>[] {
  return [
    route(contract.listLlmProviders, async (_ctx: PublicCtx, _input, { address }) => {
      llm.admit(address);
      return llm.listLlmProviders();
    }),
    route(contract.listLlmModels, async (_ctx: PublicCtx, { query }, { address }) => {
      llm.admit(address);
      return llm.listLlmModels(query);
    }),
    route(contract.getLlmHealth, async (_ctx: PublicCtx, _input, { address }) => {
      llm.admit(address);
      const report = await llm.getLlmHealth();
      return report.status === 'ok' ? report : new Reply({ status: 503, body: report });
    }),
  ];
}

export function llmRoutes(llm: Llm, proxy: LlmChat & LlmVectors, calls: ModelCalls): Route<Ctx>[] {
  return [
    ...publicRoutes(llm),
    route(chat.chat, (ctx, { body }) => proxy.chat(ctx, body)),
    streamRoute(chat.streamChat, (ctx, { body }) => proxy.streamChat(ctx, body)),
    route(previewChat, async (ctx, { body }) => preview(ctx, calls, await proxy.prepare(ctx, body))),
    route(vectors.embed, (ctx, { body }) => proxy.embed(ctx, body)),
    route(vectors.embedMultimodal, (ctx, { body }) => proxy.embedMultimodal(ctx, body)),
    route(vectors.rerank, (ctx, { body }) => proxy.rerank(ctx, body)),
  ];
}
