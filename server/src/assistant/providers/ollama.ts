// Ollama on the operator's own machine or network. Without a word about it Ollama cuts a prompt to its default
// context, so a longer call asks for a larger one.
import pLimit from 'p-limit';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { countOf, entries, isRecord, member, textOf } from '../../kernel/read-json.ts';
import { withCheckedLines } from './support/json-lines.ts';
import type { PlainText } from './support/plain-answer.ts';
import { vectorsOf } from './support/vectors.ts';
import { type Call, type Capability, defineProvider, type ModelInfo, modelInfo } from './types.ts';

const MOST_MODELS = 200;
const MOST_DETAILS = 50;
const DEFAULT_CONTEXT = 4096;
const LARGEST_CONTEXT = 65_536;

const headersOf = ({ api_key }: Call): Record<string, string> =>
  api_key ? { authorization: `Bearer ${api_key.reveal()}` } : {};

const CAPABILITIES: Record<string, Capability[]> = {
  completion: ['chat', 'streaming', 'json_mode'],
  tools: ['tools'],
  vision: ['vision'],
  embedding: ['embeddings'],
};

function describe(id: string, details: unknown): string | undefined {
  const parts = [member(details, 'parameter_size'), member(details, 'quantization_level')];
  const texts = parts.flatMap((part) => textOf(part, 40) ?? []);
  return texts.length > 0 ? `${id}, ${texts.join(', ')}` : undefined;
}

/** Architecture members are named like `llama.context_length`. */
function architectureCount(show: unknown, suffix: string): number | undefined {
  const facts = member(show, 'model_info');
  if (!isRecord(facts)) return undefined;
  return countOf(Object.entries(facts).find(([name]) => name.endsWith(suffix))?.[1]);
}

/** What one model can do; its plain entry when the server is too old to say. */
async function withDetails(call: Call, plain: ModelInfo): Promise<ModelInfo> {
  const url = `${call.base_url}/api/show`;
  const show = await call.transport
    .json({ url, headers: headersOf(call), body: { model: plain.id } })
    .catch(() => undefined);
  const said = entries(member(show, 'capabilities'), 20);
  if (said.length === 0) return plain;
  const capabilities = Object.entries(CAPABILITIES).flatMap(([name, ours]) =>
    said.includes(name) ? ours : [],
  );
  return modelInfo({
    ...plain,
    capabilities,
    context_window: architectureCount(show, '.context_length'),
    dimensions: capabilities.includes('embeddings')
      ? architectureCount(show, '.embedding_length')
      : undefined,
  });
}

const plainText: PlainText = (message) => {
  if (!isRecord(message) || message.done !== false || message.error || !isRecord(message.message))
    return undefined;
  const { content, tool_calls } = message.message;
  return tool_calls || typeof content !== 'string' ? undefined : content;
};

export const provider = defineProvider({
  name: 'ollama',
  display_name: 'Ollama',
  needs: [['base_url']],
  defaults: { model: 'llama3.3', embedding_model: 'nomic-embed-text' },
  api_path: '',
  capabilities: ['chat', 'tools', 'vision', 'embeddings', 'json_mode', 'streaming'],
  lacks: () => ['tool_choice', 'tool_errors', 'documents', 'addresses', 'multimodal_embeddings', 'reranking'],
  plainText,
  async listModels(call) {
    const url = `${call.base_url}/api/tags`;
    const models = member(await call.transport.json({ url, headers: headersOf(call) }), 'models');
    if (!Array.isArray(models)) throw new OutboundError('failed', { code: 'UNEXPECTED_SHAPE' });
    const plain = entries(models, MOST_MODELS).flatMap((entry) => {
      const id = textOf(member(entry, 'model')) ?? textOf(member(entry, 'name'));
      return id === undefined ? [] : [modelInfo({ id, description: describe(id, member(entry, 'details')) })];
    });
    const limit = pLimit(4);
    return Promise.all(
      plain.map((entry, index) =>
        index < MOST_DETAILS ? limit(() => withDetails(call, entry)) : Promise.resolve(entry),
      ),
    );
  },
  async ping(call) {
    await call.transport.json({ url: `${call.base_url}/api/tags`, headers: headersOf(call) });
  },
  async embed(call) {
    const input = call.inputs.map((parts) =>
      parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'),
    );
    const body = { model: call.model, input };
    const url = `${call.base_url}/api/embed`;
    const answer = await call.transport.json({ url, headers: headersOf(call), body });
    return vectorsOf(member(answer, 'embeddings'), input.length);
  },
  async prepareModel({ api_key, base_url, transport, model, context_tokens }) {
    const { createOllama } = await import('ai-sdk-ollama');
    const make = createOllama({
      baseURL: base_url,
      fetch: withCheckedLines(transport.fetch),
      ...(api_key && { apiKey: api_key.reveal() }),
    });
    const num_ctx = Math.min(LARGEST_CONTEXT, 2 ** Math.ceil(Math.log2(context_tokens)));
    // Its own repairs would send the prompt again and write to the console.
    const settings = {
      reliableObjectGeneration: false,
      structuredOutputs: true,
      ...(num_ctx > DEFAULT_CONTEXT && { options: { num_ctx } }),
    };
    return { model: make(model, settings), thinking_tokens: 0 };
  },
});
