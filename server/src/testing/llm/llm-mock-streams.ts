// How each provider streams an answer, as its own documentation shows it: the pieces in which it writes, each with its line
// breaks. Used by the mock server only.
import { greatest } from '../../kernel/lists.ts';
import type { Dialect } from './llm-mock-formats.ts';

export interface MockCall {
  id: string;
  name: string;
  /** Its input as JSON, in the pieces in which it comes. */
  pieces: string[];
  /** Gemini's. */
  signature?: string;
}

/** What the model says. */
export interface MockAnswer {
  texts: string[];
  calls?: MockCall[];
  /** In the provider's own word; the usual one when absent. */
  stop?: string;
  /** Tokens that the answer took, as Ollama tells them. */
  took?: number;
}

type Written = (model: string, answer: MockAnswer) => string[];
type Data = { type: string } & Record<string, unknown>;

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: Data) => `event: ${data.type}\n${event(data)}`;
const inputOf = ({ pieces }: MockCall): unknown => JSON.parse(pieces.join(''));

function anthropicCall({ id, name, pieces }: MockCall, index: number): string[] {
  const content_block = { type: 'tool_use', id, name, input: {} };
  return [
    named({ type: 'content_block_start', index, content_block }),
    ...pieces.map((partial_json) =>
      named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
    ),
    named({ type: 'content_block_stop', index }),
  ];
}

const anthropic: Written = (model, { texts, calls = [], stop }) => {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const nothing = { stop_reason: null, stop_sequence: null };
  const stop_reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  return [
    named({
      type: 'message_start',
      message: { id: 'msg_01', type: 'message', role: 'assistant', model, content: [], ...nothing, usage },
    }),
    named({ type: 'ping' }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }),
    ...calls.flatMap((call, index) => anthropicCall(call, index + 1)),
    named({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 20 },
    }),
    named({ type: 'message_stop' }),
  ];
};

const compatible: Written = (model, { texts, calls = [], stop }) => {
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    event({
      id: 'chatcmpl-01',
      object: 'chat.completion.chunk',
      created: 1_780_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  // All calls begin before the first of them is whole, as servers that call in parallel do.
  const longest = greatest(
    calls.map(({ pieces }) => pieces.length),
    0,
  );
  const rounds = Array.from({ length: longest }, (_, at) =>
    calls.flatMap(({ pieces }, index) =>
      at < pieces.length ? [chunk({ tool_calls: [{ index, function: { arguments: pieces[at] } }] })] : [],
    ),
  );
  return [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    ...calls.map(({ id, name }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ),
    ...rounds.flat(),
    chunk({}, stop ?? (calls.length > 0 ? 'tool_calls' : 'stop')),
    event({
      id: 'chatcmpl-01',
      object: 'chat.completion.chunk',
      created: 1_780_000_000,
      model,
      choices: [],
      usage,
    }),
    'data: [DONE]\n\n',
  ];
};

const openai: Written = (model, { texts }) => {
  const item = { type: 'message', id: 'msg_01', role: 'assistant', status: 'in_progress', content: [] };
  const whole = texts.join('');
  const content = [{ type: 'output_text', text: whole, annotations: [] }];
  const response = {
    id: 'resp_01',
    object: 'response',
    created_at: 1_780_000_000,
    model,
    output: [],
    usage: null,
  };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  return [
    named({ type: 'response.created', response: { ...response, status: 'in_progress' } }),
    named({ type: 'response.output_item.added', output_index: 0, item }),
    ...texts.map((delta) =>
      named({
        type: 'response.output_text.delta',
        item_id: 'msg_01',
        output_index: 0,
        content_index: 0,
        delta,
      }),
    ),
    named({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, status: 'completed', content },
    }),
    named({
      type: 'response.completed',
      response: { ...response, status: 'completed', incomplete_details: null, usage },
    }),
  ];
};

const gemini: Written = (model, { texts, calls = [], stop }) => {
  const chunk = (parts: unknown[], more: object = {}) =>
    event({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      modelVersion: model,
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    });
  return [
    ...texts.map((text) => chunk([{ text }])),
    ...calls.map((call) =>
      chunk([
        {
          functionCall: { name: call.name, args: inputOf(call) },
          ...(call.signature && { thoughtSignature: call.signature }),
        },
      ]),
    ),
    chunk([{ text: '' }], { finishReason: stop ?? 'STOP' }),
  ];
};

const ollama: Written = (model, { texts, calls = [], stop, took = 20 }) => {
  const line = (data: object) =>
    `${JSON.stringify({ model, created_at: '2026-11-20T10:00:00.000000Z', ...data })}\n`;
  const tool_calls = calls.map((call) => ({ function: { name: call.name, arguments: inputOf(call) } }));
  return [
    ...texts.map((content) => line({ message: { role: 'assistant', content }, done: false })),
    ...(calls.length > 0
      ? [line({ message: { role: 'assistant', content: '', tool_calls }, done: false })]
      : []),
    line({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: stop ?? 'stop',
      total_duration: 5_000_000,
      prompt_eval_count: 100,
      eval_count: took,
    }),
  ];
};

export const STREAMS: Record<Dialect, Written> = { anthropic, openai, compatible, gemini, ollama };

/** Whether a request wants to have its answer streamed. */
export function wantsStream(path: string, body: unknown): boolean {
  if (path.endsWith(':streamGenerateContent')) return true;
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
}
