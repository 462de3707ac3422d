// What a conversation with a model is for us, whatever the provider: messages in, events out. Guards: a provider is asked for
// nothing that it cannot do; that is an error of its own, told before anything is sent.

export type ChatText = { type: 'text'; text: string; is_cached?: boolean };
/** An image or a document: its bytes in base64, or an address that the provider reads by itself. */
export type ChatFile = {
  type: 'file';
  media_type: string;
  source: { data: string } | { url: string };
  filename?: string;
  is_cached?: boolean;
};
export type ChatToolUse = {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** What the provider wants to have back with it. */
  signature?: string;
  is_cached?: boolean;
};
export type ChatToolResult = {
  type: 'tool_result';
  tool_use_id: string;
  content: (ChatText | ChatFile)[];
  is_error: boolean;
  is_cached?: boolean;
};
export type ChatBlock = ChatText | ChatFile | ChatToolUse | ChatToolResult;

export interface ChatMessage {
  role: 'user' | 'assistant';
  blocks: ChatBlock[];
}

export interface ChatTool {
  name: string;
  description: string;
  /** JSON Schema of its input. */
  input_schema: Record<string, unknown>;
}

export type ToolChoice = { mode: 'auto' | 'none' | 'required' } | { mode: 'specific'; name: string };
export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | { type: 'json_schema'; schema: Record<string, unknown>; name?: string };

export interface ChatRequest {
  /** The provider's usual one when absent. */
  model?: string | undefined;
  system: string;
  messages: ChatMessage[];
  tools: ChatTool[];
  tool_choice: ToolChoice;
  response_format: ResponseFormat;
  max_tokens: number;
  temperature?: number | undefined;
  stop_sequences: string[];
}

export const STOP_REASONS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'content_filter',
  'error',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** In tokens; what the provider does not say is absent. */
export interface ChatUsage {
  input?: number | undefined;
  output?: number | undefined;
  cache_write?: number | undefined;
  cache_read?: number | undefined;
}

/** The pieces of a call's input come between its start and its end, and those of two calls are never mixed. */
export type ChatEvent =
  | { type: 'text'; text: string }
  | { type: 'tool_use_start'; id: string; name: string }
  | { type: 'tool_use_delta'; partial: string }
  | ChatToolUse
  /**
   * `warnings` name what of the request the model was not given, or was given otherwise, each as a sentence. `cost_usd` is known to
   * whoever keeps the prices, never to a provider.
   */
  | {
      type: 'done';
      stop_reason: StopReason;
      usage: ChatUsage;
      warnings: readonly string[];
      cost_usd?: number;
    };

export type Feature =
  | 'tools'
  | 'tool_choice'
  | 'json_object'
  | 'json_schema'
  | 'stop_sequences'
  /** A field for "the tool failed"; where there is none, the result says it itself. */
  | 'tool_errors'
  | 'images'
  | 'documents'
  | 'addresses'
  | 'embeddings'
  | 'multimodal_embeddings'
  | 'reranking';

const WORDS: Record<Feature, string> = {
  tools: 'tools',
  tool_choice: 'tool_choice required or specific',
  json_object: 'response_format json_object',
  json_schema: 'response_format json_schema',
  stop_sequences: 'stop_sequences',
  tool_errors: 'is_error of a tool result',
  images: 'images',
  documents: 'documents of this kind',
  addresses: 'addresses of images and documents; send them as base64',
  embeddings: 'embeddings',
  multimodal_embeddings: 'embeddings of images',
  reranking: 'reranking',
};

/** The provider, or the model, has no such ability; nothing was sent. */
export class NotCapable extends Error {
  readonly feature: string;

  constructor(feature: Feature) {
    super(`not capable of ${feature}`);
    this.name = 'NotCapable';
    this.feature = WORDS[feature];
  }
}
