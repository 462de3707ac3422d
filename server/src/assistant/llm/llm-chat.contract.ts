// The proxy to language models: one answer within a conversation, whole or as a stream. Two forms of requests are accepted,
// field by field: the one with system_prompt and input_schema, and the classic one with system and inputSchema.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const tag = 'llm';
const FIVE_MIB = 5 * 1024 * 1024;
/** A little more than a model may take, so that it is the model's limit that is told. */
const TIME_LIMIT_SECONDS = 310;

const STOP = s.oneOf(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'content_filter', 'error']);

const WARNINGS = s.optional(
  s.ours(
    s.list(s.text(), {
      description:
        'What of the request the model was not given, or was given otherwise, such as a temperature that it does not take; absent where nothing.',
    }),
  ),
);

const ToolUse = s.object({
  id: s.text(),
  name: s.text(),
  input: s.anyObject(),
  signature: s.optional(s.text({ description: 'Of the provider, who wants to have it back with the call.' })),
});

const LLMContentBlock = s.component('LLMContentBlock', {
  type: s.oneOf(['text', 'image', 'document', 'tool_use', 'tool_result']),
  text: s.optional(s.text()),
  image: s.optional(
    s.object({ url: s.optional(s.text()), data: s.optional(s.text()), media_type: s.optional(s.text()) }),
  ),
  document: s.optional(
    s.object({
      url: s.optional(s.text()),
      data: s.optional(s.text()),
      media_type: s.optional(s.text()),
      filename: s.optional(s.text()),
    }),
  ),
  tool_use: s.optional(ToolUse),
  id: s.optional(s.text()),
  name: s.optional(s.text()),
  input: s.optional(s.anyObject()),
  tool_use_id: s.optional(s.text()),
  content: s.optional(s.anyValue({ description: 'Of a tool result: a text, or blocks.' })),
  is_error: s.optional(s.boolean()),
  cache_control: s.optional(s.object({ type: s.text() })),
});

const LLMMessage = s.component('LLMMessage', {
  role: s.oneOf(['user', 'assistant', 'system', 'tool']),
  content: s.anyOf([s.text(), s.list(LLMContentBlock)]),
});

const LLMTool = s.component('LLMTool', {
  name: s.text(),
  description: s.text(),
  compact_description: s.optional(s.text()),
  input_schema: s.optional(
    s.anyObject({ description: 'JSON Schema of the input; this or inputSchema is required.' }),
  ),
  inputSchema: s.optional(s.anyObject({ description: 'The same, for classic clients.' })),
});

export const LLMChatRequest = s.component('LLMChatRequest', {
  messages: s.list(LLMMessage, { minItems: 1 }),
  tools: s.optional(s.list(LLMTool)),
  system_prompt: s.optional(s.text()),
  max_tokens: s.optional(s.integer({ minimum: 1, default: 4096 })),
  temperature: s.optional(s.number({ minimum: 0, maximum: 2 })),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
  response_format: s.optional(
    s.object({
      type: s.oneOf(['text', 'json_object', 'json_schema']),
      json_schema: s.optional(s.anyObject({ description: 'A JSON Schema, or {name, schema}.' })),
    }),
  ),
  tool_choice: s.optional(
    s.object({ mode: s.oneOf(['auto', 'none', 'required', 'specific']), name: s.optional(s.text()) }),
  ),
  stop_sequences: s.optional(s.list(s.text())),
  tool_descriptions: s.optional(s.oneOf(['full', 'compact', 'auto'])),
  system: s.optional(
    s.text({ description: 'The same as system_prompt, for classic clients; both are joined.' }),
  ),
  debug: s.optional(s.boolean({ description: 'Accepted, without effect.' })),
});

const LLMUsage = s.component(
  'LLMUsage',
  {
    prompt_tokens: s.integer(),
    completion_tokens: s.integer(),
    total_tokens: s.integer(),
    cache_creation_input_tokens: s.optional(s.integer()),
    cache_read_input_tokens: s.optional(s.integer()),
  },
  { description: 'Estimated where the provider does not say.' },
);

const ClassicTokenUsage = s.component('ClassicTokenUsage', {
  provider: s.text(),
  prompt_tokens: s.optional(s.integer()),
  completion_tokens: s.optional(s.integer()),
  total_tokens: s.optional(s.integer()),
  cache_creation_tokens: s.optional(s.integer()),
  cache_read_tokens: s.optional(s.integer()),
  cache_savings_percentage: s.optional(s.number()),
});

const LLMChatResponse = s.component('LLMChatResponse', {
  content: s.list(LLMContentBlock),
  stop_reason: STOP,
  usage: LLMUsage,
  token_usage: s.optional(ClassicTokenUsage),
  provider: s.optional(s.text()),
  model: s.optional(s.text()),
  warnings: WARNINGS,
});

export const LLMStreamEvent = s.anyOf(
  [
    s.component('LLMTextEvent', { type: s.oneOf(['text']), text: s.text() }),
    s.component('LLMToolUseStartEvent', {
      type: s.oneOf(['tool_use_start']),
      tool_use: s.object({ id: s.text(), name: s.text(), input: s.optional(s.anyObject()) }),
    }),
    s.component('LLMToolUseDeltaEvent', { type: s.oneOf(['tool_use_delta']), partial: s.text() }),
    s.component('LLMDoneEvent', {
      type: s.oneOf(['done']),
      usage: s.optional(LLMUsage),
      stop_reason: s.optional(STOP),
      warnings: WARNINGS,
    }),
    s.component('LLMErrorEvent', { error: s.text() }),
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
  route: 'POST /api/v1/llm/chat',
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
  route: 'POST /api/v1/llm/chat/stream',
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
