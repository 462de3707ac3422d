// Each call of a model as it begins and ends: the budget is reserved before anything leaves, what it really took is counted
// after, and both sides of it are kept to be read back. Guards: a call that ends badly is counted for what was sent and said, and
// for nothing where nothing reached a model; who cannot be recorded is not sent.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import type { Log } from '../../kernel/log.ts';
import { NotCapable } from '../../providers/support/chat-types.ts';
import * as queries from './calls.queries.ts';
import type { Masker } from './masking.ts';

const DAY_MS = 24 * 3_600_000;
const CHARACTERS_A_TOKEN = 4;
/** More than any model takes or gives in one call. */
const MOST_TOKENS = 1_000_000_000;
/** Characters of each side of a call. */
export const MOST_KEPT = 256 * 1024;

export const PURPOSES = ['chat', 'proxy', 'compaction', 'overview', 'ai_analysis'] as const;
export type Purpose = (typeof PURPOSES)[number];
export const KINDS = ['chat', 'generate', 'embed', 'rerank'] as const;
export type Kind = (typeof KINDS)[number];

export interface Caller {
  /** Null for what the program asks by itself. */
  user_id: number | null;
  purpose: Purpose;
}

export interface LedgerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  /** 0 for any number. */
  tokens_per_day: number;
  own_tokens_per_day: number;
  keep_calls_days: number;
}

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const nextDay = (ms: number) => (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
const tokensOf = (characters: number) => Math.ceil(characters / CHARACTERS_A_TOKEN);

/** Null for any number. */
export function limitFor(options: LedgerOptions, userId: number | null): number | null {
  const limit = userId === null ? options.own_tokens_per_day : options.tokens_per_day;
  return limit === 0 ? null : limit;
}

function usedUp({ clock }: LedgerOptions, limit: number, state: queries.BudgetRow | undefined): Fault {
  const begins = nextDay(clock.now());
  const retryAfterSeconds = Math.max(1, Math.ceil((begins - clock.now()) / 1000));
  const left = Math.max(0, limit - (state?.used ?? 0) - (state?.reserved ?? 0));
  const at = `${new Date(begins).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const sentence = `Today's budget of ${limit} tokens has ${left} left, which is too little for this request. It begins anew at ${at}; whoever runs the server can raise it.`;
  return new Fault('too_many_requests', sentence, { retryAfterSeconds });
}

/** Bytes of images and documents are told by their length. */
const shortened = (body: string) =>
  body.replace(
    /"(?:data:[\w/+.;-]{1,100},)?[A-Za-z0-9+/]{2000,}={0,2}"/g,
    (found) => `"[${found.length} characters of base64]"`,
  );

const cut = (text: string) =>
  (text.length > MOST_KEPT ? `${text.slice(0, MOST_KEPT)}…` : text).replaceAll('\0', '').toWellFormed();

export interface Outcome {
  /** As JSON is made of it. */
  answer?: unknown;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  error?: unknown;
  /** Whoever asked has left. */
  is_cancelled?: boolean;
  /** Characters that the model had said. */
  said?: number;
}

/** Only a count that can be one: what a provider says is not taken on trust. */
const counted = (tokens: number | undefined) =>
  tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
    ? tokens
    : undefined;

export interface OpenCall {
  id: number;
  /** To be given to the provider. */
  outgoing(body: string | null): void;
  /** The first piece of the answer is there. */
  began(): void;
  end(outcome: Outcome): Promise<void>;
}

export interface Opening {
  kind: Kind;
  provider: string;
  model: string;
  masker: Masker;
  /** Characters that are about to leave. */
  characters: number;
  /** Tokens the answer may take. */
  answer_tokens: number;
}

const NOTHING_REACHED = new Set(['unreachable', 'rejected']);

function failureOf({ error, is_cancelled }: Outcome): {
  state: queries.Settled['state'];
  failure: string | null;
} {
  if (is_cancelled) return { state: 'cancelled', failure: null };
  if (error === undefined) return { state: 'done', failure: null };
  if (error instanceof OutboundError) return { state: 'failed', failure: error.kind };
  return { state: 'failed', failure: error instanceof NotCapable ? 'not_capable' : 'unusable' };
}

export interface Ledger {
  /** Throws the 429 fault where the budget does not last. */
  open(caller: Caller, opening: Opening): Promise<OpenCall>;
}

export function createLedger(options: LedgerOptions): Ledger {
  const { db, clock, log, keep_calls_days } = options;

  async function begin(caller: Caller, opening: Opening): Promise<{ id: number }> {
    const { kind, provider, model, masker, characters, answer_tokens } = opening;
    const tokens = tokensOf(characters) + answer_tokens;
    const now = clock.now();
    const day = dayOf(now);
    const limit = limitFor(options, caller.user_id);
    const begun = await queries.beginCall(db, {
      ...{ user_id: caller.user_id, purpose: caller.purpose, kind, provider, model, day, limit },
      reserved_tokens: tokens,
      masked: JSON.stringify(masker.masked),
      started_at: new Date(now).toISOString(),
    });
    if (begun) return begun;
    throw usedUp(options, limit ?? 0, await queries.readBudget(db, caller.user_id ?? 0, day));
  }

  return {
    async open(caller, opening) {
      const { id } = await begin(caller, opening);
      const since = clock.monotonic();
      const past = () => Math.round(clock.monotonic() - since);
      let [request, first_ms]: [string | null, number | null] = [null, null];
      return {
        id,
        outgoing(body) {
          request = body ?? request;
        },
        began() {
          first_ms ??= past();
        },
        async end(outcome) {
          // Whoever leaves at the same time, as when a proxy in between ends, comes first: their providers are left at once.
          if (outcome.is_cancelled) await setImmediate();
          const { state, failure } = failureOf(outcome);
          const { said = 0, answer } = outcome;
          const [input_tokens, output_tokens] = [
            counted(outcome.input_tokens),
            counted(outcome.output_tokens),
          ];
          const isFree = request === null || (failure !== null && said === 0 && NOTHING_REACHED.has(failure));
          const [sent, told] = [request ?? '', answer === undefined ? '' : JSON.stringify(answer)];
          const isKept = keep_calls_days > 0;
          const kept = isKept && request !== null ? cut(shortened(sent)) : null;
          const answered = isKept && answer !== undefined ? cut(told) : null;
          await queries
            .settle(db, {
              ...{ id, state, failure, first_ms, took_ms: past() },
              ...{ request: kept, request_bytes: Buffer.byteLength(kept ?? '') },
              ...{ answer: answered, answer_bytes: Buffer.byteLength(answered ?? '') },
              input_tokens: isFree ? 0 : (input_tokens ?? tokensOf(opening.characters)),
              output_tokens: isFree ? 0 : (output_tokens ?? tokensOf(said)),
              is_estimated: !isFree && (input_tokens === undefined || output_tokens === undefined),
            })
            .catch((err: unknown) => log.warn({ event: 'llm.call_not_settled', call: id, err }));
        },
      };
    },
  };
}
