// What can be asked about the configured language models without a token: which there are and whether they answer.
// Keys and addresses never appear here.
import { ok, operationsOf } from '../../kernel/contract.ts';
import {
  anyOf,
  boolean,
  component,
  integer,
  list,
  object,
  oneOf,
  optional,
  record,
  text,
} from '../../kernel/schema.ts';

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

const LLMProvider = component('LLMProvider', {
  name: text(),
  display_name: text(),
  display: text({ description: 'The same as display_name, for classic clients.' }),
  model: text(),
  default: boolean(),
  isDefault: boolean({ description: 'The same as default, for classic clients.' }),
});
const LLMProviders = component('LLMProviders', {
  providers: list(LLMProvider),
  default_provider: optional(text()),
  defaultModel: text(),
});
const LLMModelInfo = component('LLMModelInfo', {
  id: text(),
  name: text(),
  description: optional(text()),
  context_window: optional(integer()),
  max_output: optional(integer()),
  dimensions: optional(integer()),
  capabilities: optional(list(oneOf(MODEL_CAPABILITIES))),
  deprecated: optional(boolean()),
});
const LLMModels = component('LLMModels', { models: anyOf([list(text()), list(LLMModelInfo)]) });
const LLMHealth = component('LLMHealth', {
  status: oneOf(['ok', 'degraded']),
  providers: record(
    object({
      status: oneOf(['ok', 'down']),
      error: optional(oneOf(['timeout', 'unreachable', 'rejected', 'failed'])),
    }),
  ),
  error: optional(text()),
});

const operation = operationsOf({ tag: 'llm' });

export const listLlmProviders = operation({
  id: 'listLlmProviders',
  method: 'GET',
  path: '/api/v1/llm/providers',
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
  method: 'GET',
  path: '/api/v1/llm/models',
  summary: 'List available models',
  access: 'public',
  usesDatastore: false,
  query: object({
    provider: text({ minLength: 1, maxLength: 64 }),
    metadata: optional(boolean({ default: false })),
    capability: optional(list(oneOf(MODEL_CAPABILITIES), { maxItems: 8 })),
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
  method: 'GET',
  path: '/api/v1/llm/health',
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
