// The proxy to language models: one answer within a conversation, whole or as a stream. Two forms of requests are accepted,
// field by field: the one with system_prompt and input_schema, and the classic one with system and inputSchema.
import { ok, operation } from '../../kernel/contract.ts';
import {
  anyObject,
  anyOf,
  anyValue,
  boolean,
  component,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  ours,
  text,
} from '../../kernel/schema.ts';

const tag = 'llm';
const FIVE_MIB = 5 * 1024 * 1024;
/** A little more than a model may take, so that it is the model's limit that is told. */
const TIME_LIMIT_SECONDS = 310;

const STOP = oneOf(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'content_filter', 'error']);

const WARNINGS = optional(
  ours(
    list(text(), {
      description:
        'What of the request the model was not given, or was given otherwise, such as a temperature that it does not take; absent where nothing.',
    }),
  ),
);

const ToolUse = object({
  id: text(),
  name: text(),
  input: anyObject(),
  signature: optional(text({ description: 'Of the provider, who wants to have it back with the call.' })),
});

const LLMContentBlock = component('LLMContentBlock', {
  type: oneOf(['text', 'image', 'document', 'tool_use', 'tool_result']),
  text: optional(text()),
  image: optional(object({ url: optional(text()), data: optional(text()), media_type: optional(text()) })),
  document: optional(
    object({
      url: optional(text()),
      data: optional(text()),
      media_type: optional(text()),
      filename: optional(text()),
    }),
  ),
  tool_use: optional(ToolUse),
  id: optional(text()),
  name: optional(text()),
  input: optional(anyObject()),
  tool_use_id: optional(text()),
  content: optional(anyValue({ description: 'Of a tool result: a text, or blocks.' })),
  is_error: optional(boolean()),
  cache_control: optional(object({ type: text() })),
});

const LLMMessage = component('LLMMessage', {
  role: oneOf(['user', 'assistant', 'system', 'tool']),
  content: anyOf([text(), list(LLMContentBlock)]),
});

const LLMTool = component('LLMTool', {
  name: text(),
  description: text(),
  compact_description: optional(text()),
  input_schema: optional(
    anyObject({ description: 'JSON Schema of the input; this or inputSchema is required.' }),
  ),
  inputSchema: optional(anyObject({ description: 'The same, for classic clients.' })),
});

export const LLMChatRequest = component('LLMChatRequest', {
  messages: list(LLMMessage, { minItems: 1 }),
  tools: optional(list(LLMTool)),
  system_prompt: optional(text()),
  max_tokens: optional(integer({ minimum: 1, default: 4096 })),
  temperature: optional(number({ minimum: 0, maximum: 2 })),
  provider: optional(text()),
  model: optional(text()),
  response_format: optional(
    object({
      type: oneOf(['text', 'json_object', 'json_schema']),
      json_schema: optional(anyObject({ description: 'A JSON Schema, or {name, schema}.' })),
    }),
  ),
  tool_choice: optional(
    object({ mode: oneOf(['auto', 'none', 'required', 'specific']), name: optional(text()) }),
  ),
  stop_sequences: optional(list(text())),
  tool_descriptions: optional(oneOf(['full', 'compact', 'auto'])),
  system: optional(text({ description: 'The same as system_prompt, for classic clients; both are joined.' })),
  debug: optional(boolean({ description: 'Accepted, without effect.' })),
});

const LLMUsage = component(
  'LLMUsage',
  {
    prompt_tokens: integer(),
    completion_tokens: integer(),
    total_tokens: integer(),
    cache_creation_input_tokens: optional(integer()),
    cache_read_input_tokens: optional(integer()),
  },
  { description: 'Estimated where the provider does not say.' },
);

const ClassicTokenUsage = component('ClassicTokenUsage', {
  provider: text(),
  prompt_tokens: optional(integer()),
  completion_tokens: optional(integer()),
  total_tokens: optional(integer()),
  cache_creation_tokens: optional(integer()),
  cache_read_tokens: optional(integer()),
  cache_savings_percentage: optional(number()),
});

const LLMChatResponse = component('LLMChatResponse', {
  content: list(LLMContentBlock),
  stop_reason: STOP,
  usage: LLMUsage,
  token_usage: optional(ClassicTokenUsage),
  provider: optional(text()),
  model: optional(text()),
  warnings: WARNINGS,
});

export const LLMStreamEvent = anyOf(
  [
    component('LLMTextEvent', { type: oneOf(['text']), text: text() }),
    component('LLMToolUseStartEvent', {
      type: oneOf(['tool_use_start']),
      tool_use: object({ id: text(), name: text(), input: optional(anyObject()) }),
    }),
    component('LLMToolUseDeltaEvent', { type: oneOf(['tool_use_delta']), partial: text() }),
    component('LLMDoneEvent', {
      type: oneOf(['done']),
      usage: optional(LLMUsage),
      stop_reason: optional(STOP),
      warnings: WARNINGS,
    }),
    component('LLMErrorEvent', { error: text() }),
  ],
  { title: 'LLMStreamEvent' },
);

const bodyExample = {
  messages: [{ role: 'user', content: 'Why is orders slow?' }],
  system_prompt: 'Answer briefly.',
  max_tokens: 1024,
};
const usage = { prompt_tokens: 420, completion_tokens: 12, total_tokens: 432 };

const shared = {
  method: 'POST',
  tag,
  access: 'signed-in',
  bodyLimitBytes: FIVE_MIB,
  timeLimitSeconds: TIME_LIMIT_SECONDS,
  body: LLMChatRequest,
  bodyExample,
  faults: [501, 502, 504],
} as const;

export const chat = operation({
  ...shared,
  id: 'chat',
  path: '/api/v1/llm/chat',
  summary: 'Send a chat message',
  success: ok(LLMChatResponse, {
    content: [{ type: 'text', text: 'It waits for locks of an index build.' }],
    stop_reason: 'end_turn',
    usage,
    token_usage: { provider: 'ollama', ...usage },
    provider: 'ollama',
    model: 'llama3.3',
  }),
  notes: [
    'Both forms are accepted and may be mixed field by field; the reply carries both (nested tool_use and flat id, name, input; usage and token_usage).',
    'Without provider and model the configured defaults apply. 400 unknown provider or model name, 501 capability missing, 502 provider failed, 504 no answer in 300 s.',
    'What a model or its provider does not take is a capability missing (501), or is named in warnings; is_error of a tool result is said in its text where a provider has no field for it.',
    'The system prompt begins with the fixed text of the server, then up to 20 pinned memories, then that of the request.',
  ],
});

export const streamChat = operation({
  ...shared,
  id: 'streamChat',
  path: '/api/v1/llm/chat/stream',
  summary: 'Stream a chat response as SSE',
  success: {
    ...ok(LLMStreamEvent, { type: 'text', text: 'It waits for locks' }),
    stream: { keepalive_seconds: 15 },
  },
  notes: [
    'Unnamed events text, tool_use_start, tool_use_delta; the last one is event: done with usage or event: error. Statuses are used only before the first byte.',
    'The partial texts of tool_use_delta are the JSON of the input of the call that was started last.',
  ],
});
