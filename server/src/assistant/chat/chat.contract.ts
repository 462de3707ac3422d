// What belongs to a chat beside the call of a model: making a long history shorter.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const FIVE_MIB = 5 * 1024 * 1024;

export const CompactMessage = s.component('CompactMessage', {
  role: s.text(),
  content: s.anyValue({ description: 'A text, or blocks as the chat operations have them.' }),
  cache_control: s.optional(s.anyValue()),
});

export const CompactRequest = s.component('CompactRequest', {
  messages: s.list(CompactMessage),
  max_tokens: s.optional(s.integer({ minimum: 1000, default: 100000 })),
  recent_window: s.optional(s.integer({ minimum: 0, default: 10 })),
  keep_anchors: s.optional(s.boolean({ default: true })),
  options: s.optional(
    s.object({
      preserve_tool_results: s.optional(s.boolean()),
      preserve_schema_info: s.optional(s.boolean()),
      enable_summarization: s.optional(s.boolean()),
      min_important_messages: s.optional(s.integer()),
      token_counter_type: s.optional(s.text()),
      enable_llm_summarization: s.optional(s.boolean()),
      enable_caching: s.optional(s.boolean()),
      cache_ttl: s.optional(s.integer({ format: 'int64' })),
      enable_analytics: s.optional(s.boolean()),
    }),
  ),
});

const Summary = s.object({
  topics: s.list(s.text()),
  tables: s.list(s.text()),
  tools: s.list(s.text()),
  description: s.text(),
  time_range: s.optional(s.object({ start: s.timestamp(), end: s.timestamp() })),
});

export const CompactResponse = s.component('CompactResponse', {
  messages: s.list(CompactMessage),
  summary: s.optional(Summary),
  token_estimate: s.integer({
    description: 'Of the messages here: a quarter of their bytes, and some for each.',
  }),
  compaction_info: s.object({
    original_count: s.integer(),
    compacted_count: s.integer({ description: 'Of the messages that stayed; a summary is not counted.' }),
    dropped_count: s.integer(),
    anchor_count: s.integer(),
    tokens_saved: s.integer(),
    compression_ratio: s.number({ description: 'Tokens now to tokens before.' }),
  }),
});

export const compactChat = operation({
  id: 'compactChat',
  route: 'POST /api/v1/chat/compact',
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
