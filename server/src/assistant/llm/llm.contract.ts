// What can be asked about the configured language models without a token: which there are and whether they answer.
// Keys and addresses never appear here.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const MODEL_CAPABILITIES = [
  'chat',
  'tools',
  'vision',
  'embeddings',
  'json_mode',
  'streaming',
  'multimodal_embeddings',
  'reranking',
] as const;

const LLMProvider = s.component('LLMProvider', {
  name: s.text(),
  display_name: s.text(),
  display: s.text({ description: 'The same as display_name, for classic clients.' }),
  model: s.text(),
  default: s.boolean(),
  isDefault: s.boolean({ description: 'The same as default, for classic clients.' }),
});
const LLMProviders = s.component('LLMProviders', {
  providers: s.list(LLMProvider),
  default_provider: s.optional(s.text()),
  defaultModel: s.text(),
});
const LLMModelInfo = s.component('LLMModelInfo', {
  id: s.text(),
  name: s.text(),
  description: s.optional(s.text()),
  context_window: s.optional(s.integer()),
  max_output: s.optional(s.integer()),
  dimensions: s.optional(s.integer()),
  capabilities: s.optional(s.list(s.oneOf(MODEL_CAPABILITIES))),
  deprecated: s.optional(s.boolean()),
});
const LLMModels = s.component('LLMModels', { models: s.anyOf([s.list(s.text()), s.list(LLMModelInfo)]) });
const LLMHealth = s.component('LLMHealth', {
  status: s.oneOf(['ok', 'degraded']),
  providers: s.record(
    s.object({
      status: s.oneOf(['ok', 'down']),
      error: s.optional(s.oneOf(['timeout', 'unreachable', 'rejected', 'failed'])),
    }),
  ),
  error: s.optional(s.text()),
});

const operation = operationsOf({ tag: 'llm' });

export const listLlmProviders = operation({
  id: 'listLlmProviders',
  route: 'GET /api/v1/llm/providers',
  summary: 'List LLM providers',
  access: 'public',
  usesDatastore: false,
  success: ok(LLMProviders, {
    providers: [
      {
        name: 'ollama',
        display_name: 'Ollama',
        display: 'Ollama',
        model: 'llama3.3',
        default: true,
        isDefault: true,
      },
    ],
    default_provider: 'ollama',
    defaultModel: 'llama3.3',
  }),
  notes: ['Configured providers only, default first; never keys or base addresses.'],
});

export const listLlmModels = operation({
  id: 'listLlmModels',
  route: 'GET /api/v1/llm/models',
  summary: 'List available models',
  access: 'public',
  usesDatastore: false,
  query: s.object({
    provider: s.text({ minLength: 1, maxLength: 64 }),
    metadata: s.optional(s.boolean({ default: false })),
    capability: s.optional(s.list(s.oneOf(MODEL_CAPABILITIES), { maxItems: 8 })),
  }),
  paramsExample: { provider: 'ollama' },
  faults: [502, 504],
  success: ok(LLMModels, { models: ['llama3.3', 'qwen3'] }),
  notes: [
    'Plain ids, or objects with metadata=true. capability may be repeated; all must hold.',
    'Unknown or unconfigured provider is 400. Cached 5 minutes.',
  ],
});

export const getLlmHealth = operation({
  id: 'getLlmHealth',
  route: 'GET /api/v1/llm/health',
  summary: 'LLM proxy health',
  access: 'public',
  usesDatastore: false,
  success: ok(LLMHealth, { status: 'ok', providers: { ollama: { status: 'ok' } } }),
  alternative: {
    status: 503,
    schema: LLMHealth,
    description: 'A provider is down.',
    example: {
      status: 'degraded',
      providers: { ollama: { status: 'down', error: 'unreachable' } },
      error: 'One provider does not answer: ollama.',
    },
  },
  notes: ['200 when every configured provider answers within 5 s (also with none configured). Cached 30 s.'],
});
