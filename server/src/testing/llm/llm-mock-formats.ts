// The wire formats of the providers as their own documentation shows them: which path asks for what, and how an
// answer looks. Used by the mock server only.

export type Dialect = 'anthropic' | 'openai' | 'compatible' | 'gemini' | 'ollama';
export type MockCall = 'generate' | 'list' | 'show' | 'embed' | 'rank';

export interface DialectFormat {
  /** Path behind the dialect's prefix that belongs into the base URL. */
  base: string;
  route(method: string, path: string): MockCall | undefined;
  /** The key as this provider's clients send it. */
  key(headers: Record<string, string | undefined>): string | undefined;
  /** `body` is what was asked; most formats do not depend on it. */
  generated(model: string, text: string, body: unknown): unknown;
  list: unknown;
}

const bearer = (headers: Record<string, string | undefined>) =>
  headers.authorization?.replace(/^Bearer /, '');

const routes = (table: Record<string, MockCall>) => (method: string, path: string) =>
  table[`${method} ${path}`];

/** Older models are made to answer by a tool call when a schema is asked for. */
function anthropicContent(text: string, body: unknown): unknown[] {
  const byTool = typeof body === 'object' && body !== null && 'tools' in body;
  if (!byTool || !/^\{.*\}$/s.test(text)) return [{ type: 'text', text }];
  return [{ type: 'tool_use', id: 'toolu_01', name: 'json', input: JSON.parse(text) }];
}

const anthropic: DialectFormat = {
  base: '/v1',
  route: routes({ 'POST /v1/messages': 'generate', 'GET /v1/models': 'list' }),
  key: (headers) => headers['x-api-key'],
  generated: (model, text, body) => ({
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model,
    content: anthropicContent(text, body),
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 },
  }),
  list: {
    data: [
      {
        type: 'model',
        id: 'claude-sonnet-5',
        display_name: 'Claude Sonnet 5',
        created_at: '2026-05-01T00:00:00Z',
        max_input_tokens: 1_000_000,
        max_tokens: 128_000,
        capabilities: { image_input: { supported: true }, structured_outputs: { supported: true } },
      },
      {
        type: 'model',
        id: 'claude-text-only',
        display_name: 'Claude Text Only',
        created_at: '2026-05-01T00:00:00Z',
        capabilities: { image_input: { supported: false }, structured_outputs: { supported: false } },
      },
    ],
    has_more: false,
    first_id: 'claude-sonnet-5',
    last_id: 'claude-text-only',
  },
};

const openai: DialectFormat = {
  base: '/v1',
  route: routes({ 'POST /v1/responses': 'generate', 'GET /v1/models': 'list' }),
  key: bearer,
  generated: (model, text) => ({
    id: 'resp_01',
    object: 'response',
    created_at: 1_780_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model,
    output: [
      {
        type: 'message',
        id: 'msg_01',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
  }),
  list: {
    object: 'list',
    data: [
      { id: 'gpt-5.1', object: 'model', created: 1_760_000_000, owned_by: 'system' },
      { id: 'text-embedding-3-small', object: 'model', created: 1_700_000_000, owned_by: 'system' },
      { id: 'whisper-1', object: 'model', created: 1_600_000_000, owned_by: 'openai-internal' },
    ],
  },
};

const compatible: DialectFormat = {
  base: '/v1',
  route: routes({
    'POST /v1/chat/completions': 'generate',
    'GET /v1/models': 'list',
    'POST /v1/embeddings': 'embed',
    'POST /v1/rerank': 'rank',
  }),
  key: bearer,
  generated: (model, text) => ({
    id: 'chatcmpl-01',
    object: 'chat.completion',
    created: 1_780_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }),
  list: {
    object: 'list',
    data: [
      {
        id: 'qwen/qwen3-30b',
        name: 'Qwen3 30B',
        description: 'A mixture of experts.',
        context_length: 131_072,
        top_provider: { max_completion_tokens: 16_384 },
        architecture: { input_modalities: ['text', 'image'] },
        supported_parameters: ['tools', 'response_format'],
      },
      { id: 'llama-3.1-8b', object: 'model', owned_by: 'vllm', max_model_len: 32_768 },
      { id: 'BAAI/bge-reranker-v2-m3', object: 'model', owned_by: 'vllm' },
      { id: 'e5-v', object: 'model', architecture: { input_modalities: ['text', 'image'] } },
    ],
  },
};

const gemini: DialectFormat = {
  base: '/v1beta',
  route: (method, path) => {
    if (
      method === 'POST' &&
      /^\/v1beta\/models\/[^/:]+:(?:generateContent|streamGenerateContent)$/.test(path)
    )
      return 'generate';
    if (method === 'POST' && path.endsWith(':batchEmbedContents')) return 'embed';
    return method === 'GET' && path === '/v1beta/models' ? 'list' : undefined;
  },
  key: (headers) => headers['x-goog-api-key'],
  generated: (model, text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: model,
    responseId: 'r01',
  }),
  list: {
    models: [
      {
        name: 'models/gemini-3.5-flash',
        version: '3.5',
        displayName: 'Gemini 3.5 Flash',
        description: 'Fast and versatile.',
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
      {
        name: 'models/gemini-embedding-001',
        displayName: 'Gemini Embedding 001',
        inputTokenLimit: 2048,
        supportedGenerationMethods: ['embedContent'],
      },
      { name: 'models/gemini-embedding-2', supportedGenerationMethods: ['embedContent'] },
    ],
  },
};

const ollama: DialectFormat = {
  base: '',
  route: routes({
    'POST /api/chat': 'generate',
    'GET /api/tags': 'list',
    'POST /api/show': 'show',
    'POST /api/embed': 'embed',
  }),
  key: bearer,
  generated: (model, text) => ({
    model,
    created_at: '2026-11-20T10:00:00.000000Z',
    message: { role: 'assistant', content: text },
    done_reason: 'stop',
    done: true,
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: 100,
    prompt_eval_duration: 1_000_000,
    eval_count: 20,
    eval_duration: 3_000_000,
  }),
  list: {
    models: [
      {
        name: 'llama3.3:latest',
        model: 'llama3.3:latest',
        modified_at: '2026-11-01T00:00:00Z',
        size: 42_520_413_916,
        digest: 'a6eb4748fd29',
        details: { format: 'gguf', family: 'llama', parameter_size: '70.6B', quantization_level: 'Q4_K_M' },
      },
      {
        name: 'nomic-embed-text:latest',
        model: 'nomic-embed-text:latest',
        details: { family: 'nomic-bert', parameter_size: '137M', quantization_level: 'F16' },
      },
    ],
  },
};

/** Answers of Ollama's /api/show, by model. */
export const OLLAMA_SHOW: Record<string, unknown> = {
  'llama3.3:latest': {
    capabilities: ['completion', 'tools'],
    model_info: { 'general.architecture': 'llama', 'llama.context_length': 131_072 },
  },
  'nomic-embed-text:latest': {
    capabilities: ['embedding'],
    model_info: { 'nomic-bert.context_length': 2048, 'nomic-bert.embedding_length': 768 },
  },
};

export const DIALECTS: Record<Dialect, DialectFormat> = { anthropic, openai, compatible, gemini, ollama };

const MODEL_IN_PATH = /\/models\/([^/:]+):/;

/** The model a request names, in its body or (Gemini) in its path. */
export function modelOf(path: string, body: unknown): string {
  const inBody = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
  if (typeof inBody === 'string') return inBody;
  return MODEL_IN_PATH.exec(path)?.[1] ?? 'unknown';
}

const membersOf = (body: unknown): Record<string, unknown> => Object(body);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** A vector that says what it is of: how long its input is as JSON. */
const vectorOf = (input: unknown): number[] => [JSON.stringify(input).length, 0.5];

/** Vectors and ranks, each in the form of its API; compatible servers do not keep the order of the input. */
export function vectorAnswer(dialect: Dialect, asked_for: MockCall, body: unknown): unknown {
  const { input, messages, requests, documents, top_n } = membersOf(body);
  if (asked_for === 'rank') {
    const results = listOf(documents).map((text, index) => ({
      index,
      relevance_score: String(text).length / 100,
    }));
    return { results: results.slice(0, Number(top_n)), usage: { total_tokens: 33 } };
  }
  if (dialect === 'ollama') return { embeddings: listOf(input).map(vectorOf) };
  if (dialect === 'gemini') return { embeddings: listOf(requests).map((one) => ({ values: vectorOf(one) })) };
  const data = listOf(messages ?? input).map((one, index) => ({ index, embedding: vectorOf(one) }));
  return { object: 'list', data: data.toReversed() };
}
