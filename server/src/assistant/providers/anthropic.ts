// Anthropic: the Messages API, and the Models API, which tells what each model can do.
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { countOf, entries, isRecord, member, textOf } from '../../kernel/read-json.ts';
import { HELD, type PlainText } from './support/plain-answer.ts';
import { type Call, type Capability, defineProvider, type ModelInfo, modelInfo } from './types.ts';

const API_VERSION = '2023-06-01';
const PAGE = 1000;

function get({ api_key, base_url, transport }: Call, path: string): Promise<unknown> {
  const headers = { 'x-api-key': api_key?.reveal() ?? '', 'anthropic-version': API_VERSION };
  return transport.json({ url: `${base_url}${path}`, headers });
}

/** What the API says it cannot do is left out; what it does not mention, every current model can. */
function capabilitiesOf(entry: unknown): Capability[] {
  const known = member(entry, 'capabilities');
  const can = (name: string) => member(member(known, name), 'supported') !== false;
  return [
    'chat',
    'streaming',
    'tools',
    ...(can('image_input') ? (['vision'] as const) : []),
    ...(can('structured_outputs') ? (['json_mode'] as const) : []),
  ];
}

function readModel(entry: unknown): ModelInfo[] {
  const id = textOf(member(entry, 'id'));
  if (id === undefined) return [];
  const context_window = countOf(member(entry, 'max_input_tokens'));
  const max_output = countOf(member(entry, 'max_tokens'));
  const name = textOf(member(entry, 'display_name'));
  return [modelInfo({ id, name, context_window, max_output, capabilities: capabilitiesOf(entry) })];
}

/** Blocks of text and of thoughts; what opens and closes them is for the SDK, which counts them. */
const plainText: PlainText = (message) => {
  if (!isRecord(message)) return undefined;
  const { type, delta, content_block } = message;
  if (type === 'content_block_delta' && isRecord(delta)) {
    if (delta.type === 'text_delta') return typeof delta.text === 'string' ? delta.text : undefined;
    return delta.type === 'thinking_delta' ? '' : undefined;
  }
  if (type === 'ping') return '';
  if (type === 'message_start' || type === 'content_block_stop') return HELD;
  const kind = type === 'content_block_start' ? member(content_block, 'type') : undefined;
  return kind === 'text' || kind === 'thinking' ? HELD : undefined;
};

export const provider = defineProvider({
  name: 'anthropic',
  display_name: 'Anthropic',
  needs: [['api_key']],
  defaults: { base_url: 'https://api.anthropic.com/v1', model: 'claude-sonnet-5' },
  api_path: '/v1',
  capabilities: ['chat', 'tools', 'vision', 'json_mode', 'streaming'],
  lacks: () => ['json_object', 'embeddings', 'multimodal_embeddings', 'reranking'],
  plainText,
  async listModels(call) {
    const data = member(await get(call, `/models?limit=${PAGE}`), 'data');
    if (!Array.isArray(data)) throw new OutboundError('failed', { code: 'UNEXPECTED_SHAPE' });
    return entries(data, PAGE).flatMap(readModel);
  },
  async ping(call) {
    await get(call, '/models?limit=1');
  },
  async prepareModel({ api_key, base_url, transport, model }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const make = createAnthropic({
      apiKey: api_key?.reveal() ?? '',
      baseURL: base_url,
      fetch: transport.fetch,
    });
    return { model: make(model), thinking_tokens: 8192 };
  },
});
