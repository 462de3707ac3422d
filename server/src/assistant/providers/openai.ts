// OpenAI by its Responses API, and every server that speaks its older chat API (vLLM, LM Studio, OpenRouter, …),
// which is what another base URL means. Such a server may need no key.
import pLimit from 'p-limit';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { countOf, entries, member, textOf } from '../../kernel/read-json.ts';
import { completionsText, responsesText } from './support/plain-openai.ts';
import { type EmbedPart, indexedVectors, ranksOf } from './support/vectors.ts';
import {
  type Call,
  type Capability,
  defineProvider,
  type EmbedCall,
  type ModelInfo,
  modelInfo,
} from './types.ts';

const OFFICIAL = 'https://api.openai.com/v1';
const MOST_MODELS = 1000;
const DIMENSIONS: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};
const NO_TEXT =
  /whisper|tts|audio|realtime|transcribe|dall-e|image|moderation|sora|live|babbage|davinci|video/;
const NO_VISION = /^gpt-3\.5|^o1-mini|^o3-mini/;

function post({ api_key, base_url, transport }: Call, path: string, body: unknown): Promise<unknown> {
  const headers: Record<string, string> = api_key ? { authorization: `Bearer ${api_key.reveal()}` } : {};
  return transport.json({ url: `${base_url}${path}`, headers, body });
}

const textOnly = (parts: readonly EmbedPart[]) =>
  parts.every((part) => 'text' in part)
    ? [parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n')]
    : [];

const addressOf = (image: Extract<EmbedPart, { image: unknown }>['image']) =>
  'url' in image ? image.url : `data:${image.media_type};base64,${image.data}`;

/** Images are embedded as one message each, as vLLM and servers like it do. */
async function embedMessage(call: EmbedCall, parts: readonly EmbedPart[]): Promise<number[]> {
  const content = parts.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: addressOf(part.image) } },
  );
  const body = { model: call.model, messages: [{ role: 'user', content }], encoding_format: 'float' };
  const [vector] = indexedVectors(member(await post(call, '/embeddings', body), 'data'), 1);
  return vector ?? [];
}

function get({ api_key, base_url, transport }: Call, path: string): Promise<unknown> {
  const headers: Record<string, string> = api_key ? { authorization: `Bearer ${api_key.reveal()}` } : {};
  return transport.json({ url: `${base_url}${path}`, headers });
}

/** OpenAI's own list names models only, so what they can do follows from the name. */
function officialCapabilities(id: string): Capability[] {
  if (id.includes('embedding')) return ['embeddings'];
  if (NO_TEXT.test(id)) return [];
  if (NO_VISION.test(id)) return ['chat', 'streaming', 'tools', 'json_mode'];
  return ['chat', 'streaming', 'tools', 'vision', 'json_mode'];
}

/** Some compatible servers say more; of the others nothing but text is assumed. */
function compatibleCapabilities(id: string, entry: unknown): Capability[] {
  if (/rerank/i.test(id)) return ['reranking'];
  const parameters = entries(member(entry, 'supported_parameters'), 100);
  const inputs = entries(member(member(entry, 'architecture'), 'input_modalities'), 20);
  if (/embed|bge-|e5-/.test(id))
    return inputs.includes('image') ? ['embeddings', 'multimodal_embeddings'] : ['embeddings'];
  const json = parameters.includes('response_format') || parameters.includes('structured_outputs');
  return [
    'chat',
    'streaming',
    ...(parameters.includes('tools') ? (['tools'] as const) : []),
    ...(inputs.includes('image') ? (['vision'] as const) : []),
    ...(json ? (['json_mode'] as const) : []),
  ];
}

function readModel(entry: unknown, isOfficial: boolean): ModelInfo[] {
  const id = textOf(member(entry, 'id'));
  if (id === undefined) return [];
  const window = countOf(member(entry, 'context_length')) ?? countOf(member(entry, 'max_model_len'));
  const facts = {
    id,
    name: textOf(member(entry, 'name')),
    description: textOf(member(entry, 'description'), 1000),
    context_window: window,
    max_output: countOf(member(member(entry, 'top_provider'), 'max_completion_tokens')),
    dimensions: isOfficial ? DIMENSIONS[id] : undefined,
    capabilities: isOfficial ? officialCapabilities(id) : compatibleCapabilities(id, entry),
  };
  return [modelInfo(facts)];
}

export const provider = defineProvider({
  name: 'openai',
  display_name: 'OpenAI',
  needs: [['api_key'], ['base_url']],
  defaults: { base_url: OFFICIAL, model: 'gpt-5.1', embedding_model: 'text-embedding-3-small' },
  api_path: '/v1',
  capabilities: [
    'chat',
    'tools',
    'vision',
    'embeddings',
    'json_mode',
    'streaming',
    'multimodal_embeddings',
    'reranking',
  ],
  lacks: (base_url) =>
    base_url === OFFICIAL ? ['stop_sequences', 'multimodal_embeddings', 'reranking'] : ['tool_errors'],
  plainText: (message) => completionsText(message) ?? responsesText(message),
  async listModels(call) {
    const data = member(await get(call, '/models'), 'data');
    if (!Array.isArray(data)) throw new OutboundError('failed', { code: 'UNEXPECTED_SHAPE' });
    const isOfficial = call.base_url === OFFICIAL;
    return entries(data, MOST_MODELS).flatMap((entry) => readModel(entry, isOfficial));
  },
  async ping(call) {
    await get(call, '/models');
  },
  async embed(call) {
    const { inputs, model } = call;
    const input = inputs.flatMap(textOnly);
    if (input.length === inputs.length) {
      const answer = await post(call, '/embeddings', { model, input, encoding_format: 'float' });
      return indexedVectors(member(answer, 'data'), input.length);
    }
    const limit = pLimit(4);
    return Promise.all(inputs.map((parts) => limit(() => embedMessage(call, parts))));
  },
  async rank(call) {
    const { model, query, documents, top_k: top_n } = call;
    return ranksOf(await post(call, '/rerank', { model, query, documents, top_n }), documents.length);
  },
  async prepareModel({ api_key, base_url, transport, model }) {
    const key = api_key?.reveal();
    if (base_url === OFFICIAL) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const make = createOpenAI({ apiKey: key ?? '', baseURL: base_url, fetch: transport.fetch });
      // Their own copy of the conversation is not wanted.
      return { model: make(model), thinking_tokens: 8192, options: { openai: { store: false } } };
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const make = createOpenAICompatible({
      name: 'openai',
      baseURL: base_url,
      fetch: transport.fetch,
      supportsStructuredOutputs: true,
      includeUsage: true,
      ...(key !== undefined && { apiKey: key }),
    });
    return { model: make(model), thinking_tokens: 0 };
  },
});
