// The public operations on language models; each counts against the caller's address first.
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { PublicCtx } from '../access/principal.ts';
import * as contract from './llm.contract.ts';
import type { Llm } from './llm.service.ts';

export function llmRoutes(llm: Llm): Route<PublicCtx>[] {
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
