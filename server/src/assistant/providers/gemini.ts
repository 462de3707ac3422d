// Google Gemini by its Generative Language API.
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { countOf, entries, isRecord, member, textOf } from '../../kernel/read-json.ts';
import { NotCapable } from './support/chat-types.ts';
import type { PlainText } from './support/plain-answer.ts';
import { type EmbedPart, vectorsOf } from './support/vectors.ts';
import {
  type Call,
  type Capability,
  defineProvider,
  type EmbedCall,
  type ModelInfo,
  modelInfo,
} from './types.ts';

const PAGE = 1000;
/** Gemini's list also has models that draw, speak or embed. */
const NOT_GENERAL = /image|tts|audio|live|robotics|computer-use|transcribe|decision|banana/;

function get({ api_key, base_url, transport }: Call, path: string): Promise<unknown> {
  return transport.json({
    url: `${base_url}${path}`,
    headers: { 'x-goog-api-key': api_key?.reveal() ?? '' },
  });
}

function partOf(part: EmbedPart): object {
  if ('text' in part) return part;
  if ('url' in part.image) throw new NotCapable('addresses');
  return { inlineData: { mimeType: part.image.media_type, data: part.image.data } };
}

/** So many inputs go into one request. */
const BATCH = 100;

async function embedBatch({ api_key, base_url, transport, model }: EmbedCall, batch: EmbedCall['inputs']) {
  const requests = batch.map((parts) => ({
    model: `models/${model}`,
    content: { parts: parts.map(partOf) },
  }));
  const answer = await transport.json({
    url: `${base_url}/models/${model}:batchEmbedContents`,
    headers: { 'x-goog-api-key': api_key?.reveal() ?? '' },
    body: { requests },
  });
  const found = entries(member(answer, 'embeddings'), BATCH + 1);
  return vectorsOf(
    found.map((one) => member(one, 'values')),
    batch.length,
  );
}

/** Their list does not say which models take images; those of the first generation take texts only. */
const MULTIMODAL = /^gemini-embedding-[1-9]/;

function capabilitiesOf(id: string, methods: readonly unknown[]): Capability[] {
  if (methods.includes('embedContent'))
    return MULTIMODAL.test(id) ? ['embeddings', 'multimodal_embeddings'] : ['embeddings'];
  if (!methods.includes('generateContent') || NOT_GENERAL.test(id)) return [];
  if (!id.startsWith('gemini-')) return ['chat', 'streaming'];
  return ['chat', 'streaming', 'tools', 'vision', 'json_mode'];
}

function readModel(entry: unknown): ModelInfo[] {
  const id = textOf(member(entry, 'name'))?.replace(/^models\//, '');
  if (id === undefined) return [];
  const methods = entries(member(entry, 'supportedGenerationMethods'), 50);
  const facts = {
    id,
    name: textOf(member(entry, 'displayName')),
    description: textOf(member(entry, 'description'), 1000),
    context_window: countOf(member(entry, 'inputTokenLimit')),
    max_output: countOf(member(entry, 'outputTokenLimit')),
    capabilities: capabilitiesOf(id, methods),
  };
  return [modelInfo(facts)];
}

/** Every message counts the tokens so far, so that only the last count matters. */
const plainText: PlainText = (message) => {
  if (!isRecord(message) || message.error || message.promptFeedback) return undefined;
  const [candidate, ...others] = Array.isArray(message.candidates) ? message.candidates : [];
  if (!isRecord(candidate) || others.length > 0 || candidate.finishReason) return undefined;
  const parts = member(candidate.content, 'parts');
  if (!Array.isArray(parts)) return undefined;
  let text = '';
  for (const part of parts) {
    if (!isRecord(part) || typeof part.text !== 'string') return undefined;
    if (part.thought !== true) text += part.text;
  }
  return text;
};

export const provider = defineProvider({
  name: 'gemini',
  display_name: 'Google Gemini',
  needs: [['api_key']],
  defaults: {
    base_url: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-3.5-flash',
    embedding_model: 'gemini-embedding-001',
  },
  api_path: '/v1beta',
  capabilities: ['chat', 'tools', 'vision', 'embeddings', 'json_mode', 'streaming', 'multimodal_embeddings'],
  lacks: () => ['reranking'],
  plainText,
  async listModels(call) {
    const models = member(await get(call, `/models?pageSize=${PAGE}`), 'models');
    if (!Array.isArray(models)) throw new OutboundError('failed', { code: 'UNEXPECTED_SHAPE' });
    return entries(models, PAGE).flatMap(readModel);
  },
  async ping(call) {
    await get(call, '/models?pageSize=1');
  },
  async embed(call) {
    const all: number[][] = [];
    for (let at = 0; at < call.inputs.length; at += BATCH)
      for (const vector of await embedBatch(call, call.inputs.slice(at, at + BATCH))) all.push(vector);
    return all;
  },
  async prepareModel({ api_key, base_url, transport, model }) {
    const { createGoogle } = await import('@ai-sdk/google');
    const make = createGoogle({ apiKey: api_key?.reveal() ?? '', baseURL: base_url, fetch: transport.fetch });
    return { model: make(model), thinking_tokens: 8192 };
  },
});
