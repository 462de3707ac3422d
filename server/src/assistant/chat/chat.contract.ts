// What belongs to a chat beside the call of a model: making a long history shorter.
import { ok, operation } from '../../kernel/contract.ts';
import {
  anyValue,
  boolean,
  component,
  integer,
  list,
  number,
  object,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';

const FIVE_MIB = 5 * 1024 * 1024;

export const CompactMessage = component('CompactMessage', {
  role: text(),
  content: anyValue({ description: 'A text, or blocks as the chat operations have them.' }),
  cache_control: optional(anyValue()),
});

export const CompactRequest = component('CompactRequest', {
  messages: list(CompactMessage),
  max_tokens: optional(integer({ minimum: 1000, default: 100000 })),
  recent_window: optional(integer({ minimum: 0, default: 10 })),
  keep_anchors: optional(boolean({ default: true })),
  options: optional(
    object({
      preserve_tool_results: optional(boolean()),
      preserve_schema_info: optional(boolean()),
      enable_summarization: optional(boolean()),
      min_important_messages: optional(integer()),
      token_counter_type: optional(text()),
      enable_llm_summarization: optional(boolean()),
      enable_caching: optional(boolean()),
      cache_ttl: optional(integer({ format: 'int64' })),
      enable_analytics: optional(boolean()),
    }),
  ),
});

const Summary = object({
  topics: list(text()),
  tables: list(text()),
  tools: list(text()),
  description: text(),
  time_range: optional(object({ start: timestamp(), end: timestamp() })),
});

export const CompactResponse = component('CompactResponse', {
  messages: list(CompactMessage),
  summary: optional(Summary),
  token_estimate: integer({
    description: 'Of the messages here: a quarter of their bytes, and some for each.',
  }),
  compaction_info: object({
    original_count: integer(),
    compacted_count: integer({ description: 'Of the messages that stayed; a summary is not counted.' }),
    dropped_count: integer(),
    anchor_count: integer(),
    tokens_saved: integer(),
    compression_ratio: number({ description: 'Tokens now to tokens before.' }),
  }),
});

export const compactChat = operation({
  id: 'compactChat',
  method: 'POST',
  path: '/api/v1/chat/compact',
  tag: 'chat',
  summary: 'Compact chat history',
  access: 'signed-in',
  bodyLimitBytes: FIVE_MIB,
  body: CompactRequest,
  bodyExample: {
    messages: [{ role: 'user', content: 'Why is orders slow?' }],
    max_tokens: 8000,
    recent_window: 6,
  },
  success: ok(CompactResponse, {
    messages: [{ role: 'user', content: 'Why is orders slow?' }],
    token_estimate: 18,
    compaction_info: {
      ...{ original_count: 1, compacted_count: 1, dropped_count: 0, anchor_count: 0 },
      ...{ tokens_saved: 0, compression_ratio: 1 },
    },
  }),
  notes: [
    'Keeps the first message, anchors (keep_anchors, default true) and the last recent_window messages, and brings the rest under max_tokens by dropping or summarising.',
    'A tool_use and its tool_result are kept or dropped together. Already small histories come back unchanged.',
    'What has to stay may be more than max_tokens: token_estimate says so.',
  ],
});
