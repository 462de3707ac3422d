// One answer of a model for somebody who is signed in, whole or piece by piece. Guards: the server's own words stand first in
// the system prompt; no tool is run here; who leaves ends the work at the provider; nothing a provider wrote in an error leaves.

import type { Ctx } from '../../identity/identity.ts';
import type { Output } from '../../kernel/contract.ts';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import type { RateLimit } from '../../kernel/rate-limit.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Events, ServerEvent } from '../../kernel/sse.ts';
import type { ModelCalls } from '../ai-runs/model-calls.service.ts';
import { systemPrompt } from '../memories/memories.service.ts';
import { type ConfiguredProvider, chosen, type Providers } from '../providers/registry.ts';
import type { ChatEvent, ChatRequest, ChatUsage, StopReason } from '../providers/support/chat-types.ts';
import { type ChatInput, chatRequestOf } from './chat-request.ts';
import type { chat, LLMStreamEvent } from './llm-chat.contract.ts';
import { callFault } from './model-faults.ts';

export { callFault } from './model-faults.ts';

/** Windows up to this many tokens are small: tools are described briefly there. */
const SMALL_WINDOW = 32_768;
const CHARACTERS_A_TOKEN = 4;

export interface LlmChatOptions {
  calls: Pick<ModelCalls, 'of'>;
  /** Calls of each user. */
  rate: RateLimit;
  timeout_ms: number;
  /** Size of a model's context in tokens, where it is known. */
  contextOf(provider: ConfiguredProvider, model: string): Promise<number | undefined>;
}

export interface LlmChat {
  /** What would be asked of whom; counts against the caller's rate. */
  prepare(
    ctx: Ctx,
    asked: ChatInput,
  ): Promise<{ provider: string; request: ChatRequest & { model: string } }>;
  chat(ctx: Ctx, asked: ChatInput): Promise<Output<typeof chat>>;
  streamChat(ctx: Ctx, asked: ChatInput): Promise<Events<Static<typeof LLMStreamEvent>>>;
}

interface Call {
  provider: ConfiguredProvider;
  request: ChatRequest & { model: string };
}

/** Each call is masked, counts against the caller's budget and can be read back. */
export const providersFor = ({ calls }: Pick<LlmChatOptions, 'calls'>, { principal }: Ctx): Providers =>
  calls.of({ user_id: principal.user_id, purpose: 'proxy' });

/** What was sent and said, for providers that do not count. */
interface Seen {
  sent: number;
  said: number;
}

function usageOf(usage: ChatUsage, { sent, said }: Seen) {
  const prompt_tokens = usage.input ?? Math.ceil(sent / CHARACTERS_A_TOKEN);
  const completion_tokens = usage.output ?? Math.ceil(said / CHARACTERS_A_TOKEN);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...(usage.cache_write !== undefined && { cache_creation_input_tokens: usage.cache_write }),
    ...(usage.cache_read !== undefined && { cache_read_input_tokens: usage.cache_read }),
  };
}

function classicUsage(provider: string, usage: ReturnType<typeof usageOf>) {
  const { cache_creation_input_tokens: written, cache_read_input_tokens: read, ...counts } = usage;
  const share = read && counts.prompt_tokens > 0 ? (read / counts.prompt_tokens) * 100 : 0;
  return {
    provider,
    ...counts,
    ...(written !== undefined && { cache_creation_tokens: written }),
    ...(read !== undefined && {
      cache_read_tokens: read,
      cache_savings_percentage: Math.round(share * 10) / 10,
    }),
  };
}

type Block = Output<typeof chat>['content'][number];

/** The whole answer, put together from its events. */
class Answer {
  readonly content: Block[] = [];
  stop_reason: StopReason = 'error';
  usage: ChatUsage = {};
  warnings: readonly string[] = [];
  said = 0;

  add(event: ChatEvent): void {
    if (event.type === 'text') this.#say(event.text);
    else if (event.type === 'tool_use') {
      const { id, name, input, signature } = event;
      this.said += JSON.stringify(input).length;
      const tool_use = { id, name, input, ...(signature !== undefined && { signature }) };
      this.content.push({ type: 'tool_use', id, name, input, tool_use });
    } else if (event.type === 'done') {
      this.stop_reason = event.stop_reason;
      this.usage = event.usage;
      this.warnings = event.warnings;
    }
  }

  #say(text: string): void {
    this.said += text.length;
    const last = this.content.at(-1);
    if (last?.type === 'text') last.text = `${last.text ?? ''}${text}`;
    else this.content.push({ type: 'text', text });
  }
}

const sizeOf = ({ system, messages, tools }: ChatRequest) => JSON.stringify([system, messages, tools]).length;

async function isCompact(
  options: LlmChatOptions,
  asked: ChatInput,
  call: { provider: ConfiguredProvider; model: string },
) {
  const { tool_descriptions: wanted = 'auto', tools = [] } = asked;
  if (wanted !== 'auto' || !tools.some((tool) => tool.compact_description)) return wanted === 'compact';
  const window = await options.contextOf(call.provider, call.model);
  return window !== undefined && window <= SMALL_WINDOW;
}

async function prepare(options: LlmChatOptions, ctx: Ctx, asked: ChatInput): Promise<Call> {
  options.rate.enforce(String(ctx.principal.user_id));
  const { provider, model } = chosen(providersFor(options, ctx), asked);
  const { request, system } = chatRequestOf(asked, await isCompact(options, asked, { provider, model }));
  return { provider, request: { ...request, model, system: await systemPrompt(ctx, system) } };
}

type Frame = ServerEvent<Static<typeof LLMStreamEvent>>;

const warned = (warnings: readonly string[]) => (warnings.length > 0 ? { warnings: [...warnings] } : {});

function frameOf(event: ChatEvent, seen: Seen): Frame | undefined {
  if (event.type === 'text') return { data: event };
  if (event.type === 'tool_use_delta') return { data: event };
  if (event.type === 'tool_use_start')
    return { data: { type: 'tool_use_start', tool_use: { id: event.id, name: event.name } } };
  if (event.type !== 'done') return undefined;
  const { stop_reason, usage, warnings } = event;
  return {
    event: 'done',
    data: { type: 'done', usage: usageOf(usage, seen), stop_reason, ...warned(warnings) },
  };
}

async function* frames({ provider, request }: Call, limits: { signal: AbortSignal; timeout_ms: number }) {
  const seen = { sent: sizeOf(request), said: 0 };
  try {
    for await (const event of provider.chat(request, limits)) {
      if (event.type === 'text') seen.said += event.text.length;
      if (event.type === 'tool_use_delta') seen.said += event.partial.length;
      const frame = frameOf(event, seen);
      if (frame) yield frame;
    }
  } catch (error) {
    throw callFault(provider.display_name, error);
  }
}

/** The answer as a whole; 504 when it is not whole in time, however much of it came. */
async function answerTo({ provider, request }: Call, ctx: Ctx, timeout_ms: number): Promise<Answer> {
  const late = AbortSignal.timeout(timeout_ms);
  const signal = AbortSignal.any([ctx.signal, late]);
  const answer = new Answer();
  try {
    for await (const event of provider.chat(request, { signal, timeout_ms })) answer.add(event);
    return answer;
  } catch (error) {
    const isLate = late.aborted && !ctx.signal.aborted;
    throw callFault(provider.display_name, isLate ? new OutboundError('timeout') : error);
  }
}

export function createLlmChat(options: LlmChatOptions): LlmChat {
  const { timeout_ms } = options;
  return {
    async prepare(ctx, asked) {
      const { provider, request } = await prepare(options, ctx, asked);
      return { provider: provider.name, request };
    },
    async chat(ctx, asked) {
      const call = await prepare(options, ctx, asked);
      const { provider, request } = call;
      const { content, stop_reason, usage: counted, said, warnings } = await answerTo(call, ctx, timeout_ms);
      const usage = usageOf(counted, { sent: sizeOf(request), said });
      return {
        content,
        stop_reason,
        usage,
        token_usage: classicUsage(provider.name, usage),
        provider: provider.name,
        model: request.model,
        ...warned(warnings),
      };
    },
    async streamChat(ctx, asked) {
      return frames(await prepare(options, ctx, asked), { signal: ctx.signal, timeout_ms });
    },
  };
}
