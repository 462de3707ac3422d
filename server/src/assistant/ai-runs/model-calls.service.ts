// The one way to a language model for all of the program: who asks and what for, what is masked, what it may cost, what is kept.
// Guards: nothing reaches a provider but through here; what leaves is masked first.
import type { Clock } from '../../kernel/clock.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { ConfiguredProvider, Providers } from '../providers/registry.ts';
import type { ChatEvent, ChatRequest } from '../providers/support/chat-types.ts';
import { startKeeping } from './keeping.ts';
import {
  type Caller,
  createLedger,
  type Kind,
  type Ledger,
  type LedgerOptions,
  MOST_KEPT,
} from './ledger.ts';
import { maskedChat, maskedEmbed, maskedGenerate, maskedRank } from './masked-requests.ts';
import { MASKS, Masker, type MaskSettings, WHY } from './masking.ts';

export interface ModelCallsOptions extends LedgerOptions, MaskSettings {
  clock: Clock;
  log: Log;
  providers: Providers;
  keep_calls_megabytes: number;
}

export interface ModelCalls extends Part {
  readonly options: ModelCallsOptions;
  /** The providers for one who asks: each call of them is masked, counted and kept. */
  of(caller: Caller): Providers;
  /** A request as it would leave, and what was masked in it why. */
  masked(request: ChatRequest): {
    request: ChatRequest;
    masked: { kind: string; values: number; reason: string }[];
  };
}

/** Pieces of an answer, with texts joined; of a long one as much as is kept of it. */
class Said {
  readonly events: ChatEvent[] = [];
  characters = 0;
  usage: { input?: number | undefined; output?: number | undefined } = {};

  add(event: ChatEvent): void {
    const isFull = this.characters > MOST_KEPT;
    if (event.type === 'text') this.characters += event.text.length;
    if (event.type === 'tool_use_delta') this.characters += event.partial.length;
    if (event.type === 'done') this.usage = event.usage;
    if (isFull) return;
    const last = this.events.at(-1);
    if (event.type === 'text' && last?.type === 'text') last.text += event.text;
    else if (event.type === 'tool_use_delta' && last?.type === 'tool_use_delta')
      last.partial += event.partial;
    else this.events.push({ ...event });
  }
}

const lengthOf = (value: unknown) => JSON.stringify(value).length;

type Done = Extract<ChatEvent, { type: 'done' }>;

function withCost(event: Done, call: Awaited<ReturnType<Ledger['open']>>, said: Said): Done {
  const { input: input_tokens, output: output_tokens } = event.usage;
  const cost_usd = call.cost({ input_tokens, output_tokens, said: said.characters });
  return cost_usd === undefined ? event : { ...event, cost_usd };
}

interface Guarding {
  ledger: Ledger;
  caller: Caller;
  provider: ConfiguredProvider;
  masker: () => Masker;
}

function guardedChat({ ledger, caller, provider, masker }: Guarding): ConfiguredProvider['chat'] {
  return async function* chat(request, limits) {
    const mask = masker();
    const kept = maskedChat(mask, request);
    const call = await ledger.open(caller, {
      ...{ kind: 'chat', provider: provider.name, model: request.model ?? provider.model, masker: mask },
      characters: lengthOf([kept.system, kept.messages, kept.tools]),
      answer_tokens: request.max_tokens,
    });
    const said = new Said();
    let [isWhole, error]: [boolean, unknown] = [false, undefined];
    try {
      for await (const event of provider.chat(kept, { ...limits, outgoing: call.outgoing })) {
        call.began();
        said.add(event);
        isWhole ||= event.type === 'done';
        yield event.type === 'done' ? withCost(event, call, said) : event;
      }
    } catch (thrown) {
      error = thrown;
      throw thrown;
    } finally {
      const is_cancelled = !isWhole && (limits.signal.aborted || error === undefined);
      const { input: input_tokens, output: output_tokens } = said.usage;
      const outcome = { answer: said.events, input_tokens, output_tokens, said: said.characters };
      await call.end({ ...outcome, is_cancelled, ...(isWhole ? {} : { error }) });
    }
  };
}

interface Whole<T> {
  kind: Kind;
  model: string;
  masker: Masker;
  sent: unknown;
  answer_tokens: number;
  signal: AbortSignal | undefined;
  work(call: Awaited<ReturnType<Ledger['open']>>): Promise<T>;
  /** What is kept of it. */
  answered(result: T): {
    answer: unknown;
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
  };
}

async function whole<T>({ ledger, caller, provider }: Guarding, one: Whole<T>): Promise<T> {
  const { kind, model, masker, sent, answer_tokens, signal } = one;
  const opening = { kind, provider: provider.name, model, masker, answer_tokens, characters: lengthOf(sent) };
  const call = await ledger.open(caller, opening);
  try {
    const result = await one.work(call);
    call.began();
    await call.end(one.answered(result));
    return result;
  } catch (error) {
    await call.end({ error, is_cancelled: signal?.aborted ?? false });
    throw error;
  }
}

const images = (inputs: readonly (readonly object[])[]) =>
  inputs.map((parts) => parts.map((part) => ('text' in part ? part.text : 'image')));

function guard(guarding: Guarding): ConfiguredProvider {
  const { provider, masker: make } = guarding;
  return {
    ...provider,
    chat: guardedChat(guarding),
    async generate(input) {
      const masker = make();
      const kept = maskedGenerate(masker, input);
      const { answer_tokens, signal, instructions, prompt } = kept;
      return whole(guarding, {
        ...{ kind: 'generate', model: provider.model, masker, answer_tokens, signal },
        sent: [instructions, prompt, kept.schema],
        work: ({ outgoing }) => provider.generate({ ...kept, outgoing }),
        answered: ({ text, input_tokens, output_tokens }) => ({
          answer: { text },
          input_tokens,
          output_tokens,
        }),
      });
    },
    async embed(input, limits) {
      const masker = make();
      const kept = maskedEmbed(masker, input);
      return whole(guarding, {
        ...{ kind: 'embed', model: input.model ?? provider.embedding_model, masker, answer_tokens: 0 },
        ...{ sent: images(kept.inputs), signal: limits.signal },
        work: ({ outgoing }) => provider.embed(kept, { ...limits, outgoing }),
        answered: (vectors) => ({
          answer: { vectors: vectors.length, dimensions: vectors[0]?.length ?? 0 },
          output_tokens: 0,
        }),
      });
    },
    async rank(input, limits) {
      const masker = make();
      const kept = maskedRank(masker, input);
      return whole(guarding, {
        ...{ kind: 'rerank', model: input.model ?? provider.model, masker, answer_tokens: 0 },
        ...{ sent: [kept.query, kept.documents], signal: limits.signal },
        work: ({ outgoing }) => provider.rank(kept, { ...limits, outgoing }),
        answered: (ranked) => ({ answer: ranked, input_tokens: ranked.total_tokens, output_tokens: 0 }),
      });
    },
  };
}

export function createModelCalls(options: ModelCallsOptions): ModelCalls {
  const { providers } = options;
  const ledger = createLedger(options);
  const keeping = startKeeping(options);
  const masker = () => new Masker(options);
  return {
    name: 'model-calls',
    options,
    masked(request) {
      const one = masker();
      const kept = maskedChat(one, request);
      const masked = MASKS.flatMap((kind) => {
        const values = one.masked[kind];
        return values === undefined ? [] : [{ kind, values, reason: WHY[kind] }];
      });
      return { request: kept, masked };
    },
    of(caller) {
      const configured = providers.configured.map((provider) => guard({ ledger, caller, provider, masker }));
      return {
        name: providers.name,
        configured,
        default: configured[0],
        get: (name) => configured.find((provider) => provider.name === name),
        stop: async () => undefined,
      };
    },
    stop: keeping.stop,
  };
}
