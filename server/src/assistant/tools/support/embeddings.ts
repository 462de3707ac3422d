// Vectors for tools, by the same way as everybody's: the caller's limits and budgets count.
import type { Ctx } from '../../../identity/identity.ts';
import { Fault } from '../../../kernel/errors.ts';
import type { Embedder } from '../../knowledge/knowledge.ts';
import type { LlmVectors } from '../../llm/llm-vectors.service.ts';
import { createProviders } from '../../providers/registry.ts';
import type { LlmConfig } from '../../providers/types.ts';

export interface Embeddings {
  /** Of the provider. */
  name: string;
  of(ctx: Ctx): Embedder;
}

export const NO_EMBEDDINGS =
  'No provider that makes embeddings is configured. Set one in the settings, such as MATRIARCH_LLM_OPENAI_API_KEY or a local Ollama.';

export function demandEmbeddings({ embeddings }: { embeddings: Embeddings | undefined }): Embeddings {
  if (!embeddings) throw new Fault('bad_request', NO_EMBEDDINGS);
  return embeddings;
}

/** Undefined where no configured provider makes any; nothing is asked to find that out. */
export function embeddingsOf(config: LlmConfig, proxy: Pick<LlmVectors, 'embed'>): Embeddings | undefined {
  const provider = createProviders(config).configured.find((one) => one.can('embeddings'));
  if (!provider) return undefined;
  const { name, display_name } = provider;
  return {
    name: display_name,
    of: (ctx) => ({
      name,
      embed: async (texts) => (await proxy.embed(ctx, { provider: name, input: [...texts] })).embeddings,
    }),
  };
}
