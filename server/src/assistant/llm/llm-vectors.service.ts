// Vectors and ranks for somebody who is signed in. Guards: without a named provider the first one that can is asked; addresses
// of images are public ones, which the provider reads and we do not.

import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { type ConfiguredProvider, chosen, type Providers } from '../providers/registry.ts';
import type { Feature } from '../providers/support/chat-types.ts';
import type { EmbedPart } from '../providers/support/vectors.ts';
import { imageFile } from './chat-request.ts';
import { type LlmChatOptions, providersFor } from './llm-chat.service.ts';
import type { embed, embedMultimodal, rerank } from './llm-vectors.contract.ts';
import { callFault } from './model-faults.ts';
import { demandPublicAddress } from './public-address.ts';

const MOST_INPUTS = 256;
const CHARACTERS_A_TOKEN = 4;

export type LlmVectorsOptions = Pick<LlmChatOptions, 'calls' | 'rate' | 'timeout_ms'>;

type Body<O extends typeof embed | typeof embedMultimodal | typeof rerank> = Input<O>['body'];

export interface LlmVectors {
  embed(ctx: Ctx, asked: Body<typeof embed>): Promise<Output<typeof embed>>;
  embedMultimodal(ctx: Ctx, asked: Body<typeof embedMultimodal>): Promise<Output<typeof embedMultimodal>>;
  rerank(ctx: Ctx, asked: Body<typeof rerank>): Promise<Output<typeof rerank>>;
}

const bad = (sentence: string) => new Fault('bad_request', sentence);

interface ModelChoice {
  provider?: string;
  model?: string;
}

/** The named provider, or the first that can; its model is left to the provider where none is named. */
function capable(providers: Providers, wanted: ModelChoice, feature: Feature) {
  const { provider } = chosen(providers, wanted);
  const able = wanted.provider
    ? provider
    : (providers.configured.find((one) => one.can(feature)) ?? provider);
  return { provider: able, model: wanted.model || undefined };
}

type Part = Body<typeof embedMultimodal>['inputs'][number]['content'][number];

function partOf(at: string, { type, text, image_url, image_base64, mime_type }: Part): EmbedPart {
  if (type === 'text') {
    if (!text) throw bad(`${at}.text is required.`);
    return { text };
  }
  if (type === 'image_url') {
    if (!image_url) throw bad(`${at}.image_url is required.`);
    return { image: { url: demandPublicAddress(`${at}.image_url`, image_url) } };
  }
  if (!image_base64) throw bad(`${at}.image_base64 is required.`);
  if (!mime_type) throw bad(`${at}.mime_type is required.`);
  const { media_type } = imageFile(at, { data: image_base64, media_type: mime_type });
  return { image: { data: image_base64, media_type } };
}

function partsOf({ inputs }: Body<typeof embedMultimodal>): EmbedPart[][] {
  if (inputs.length > MOST_INPUTS) throw bad(`inputs must be a list of at most ${MOST_INPUTS} items.`);
  return inputs.map(({ content }, index) => {
    if (content.length === 0) throw bad(`inputs[${index}].content must hold at least one part.`);
    return content.map((part, at) => partOf(`inputs[${index}].content[${at}]`, part));
  });
}

async function inOurWords<T>({ display_name }: ConfiguredProvider, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw callFault(display_name, error);
  });
}

export function createLlmVectors({ calls, rate, timeout_ms }: LlmVectorsOptions): LlmVectors {
  const admit = ({ principal }: Ctx) => rate.enforce(String(principal.user_id));
  return {
    async embed(ctx, asked) {
      admit(ctx);
      const { provider, model } = capable(providersFor({ calls }, ctx), asked, 'embeddings');
      const inputs = asked.input.map((text) => [{ text }]);
      const limits = { signal: ctx.signal, timeout_ms };
      return { embeddings: await inOurWords(provider, provider.embed({ inputs, model }, limits)) };
    },
    async embedMultimodal(ctx, asked) {
      admit(ctx);
      const { provider, model } = capable(providersFor({ calls }, ctx), asked, 'multimodal_embeddings');
      const inputs = partsOf(asked);
      if (!provider.can('multimodal_embeddings'))
        throw new Fault('not_capable', `The LLM provider ${provider.display_name} cannot take images.`);
      const limits = { signal: ctx.signal, timeout_ms };
      return { embeddings: await inOurWords(provider, provider.embed({ inputs, model }, limits)) };
    },
    async rerank(ctx, asked) {
      admit(ctx);
      const { provider, model } = capable(providersFor({ calls }, ctx), asked, 'reranking');
      const { query, documents } = asked;
      const top_k = Math.min(asked.top_k ?? documents.length, documents.length);
      const limits = { signal: ctx.signal, timeout_ms };
      const work = provider.rank({ model, query, documents, top_k }, limits);
      const { results, total_tokens } = await inOurWords(provider, work);
      const size = documents.reduce((sum, text) => sum + query.length + text.length, 0);
      return {
        results: results.slice(0, top_k).map(({ index, score }) => ({
          index,
          relevance_score: score,
          document: documents[index] ?? '',
        })),
        usage: { total_tokens: total_tokens ?? Math.ceil(size / CHARACTERS_A_TOKEN) },
      };
    },
  };
}
