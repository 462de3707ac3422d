// Each call of a model as it begins and ends: the budget is reserved before anything leaves, what it really took is counted
// after, and both sides of it are kept to be read back. Guards: a call that ends badly is counted for what was sent and said, and
// for nothing where nothing reached a model; who cannot be recorded is not sent.

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { OutboundError } from '../../kernel/http/outbound-error.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Log } from '../../kernel/log.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { NotCapable } from '../providers/support/chat-types.ts';
import { tokensTold } from '../providers/support/sdk.ts';
import * as queries from './calls.queries.ts';
import type { Masker } from './masking.ts';
import { dollarsOf, nanodollarsOf, Prices } from './prices.ts';

const CHARACTERS_A_TOKEN = 4;
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
  /** As in PRICE. */
  prices: readonly string[];
  /** 0 for any amount. */
  usd_per_day: number;
  own_usd_per_day: number;
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

/** In US dollars; null for any amount. */
export function dollarLimitFor(options: LedgerOptions, userId: number | null): number | null {
  const limit = userId === null ? options.own_usd_per_day : options.usd_per_day;
  return limit === 0 ? null : limit;
}

/** What a call may take of a day's budget, and how much that is. */
interface Reservation {
  tokens: number;
  limit: number | null;
  nanodollars: number;
  dollars: number | null;
}

/** To the hundredth of a cent, and never more than there is. */
const dollarText = (dollars: number) => String(Math.floor(dollars * 10_000) / 10_000);

/** Which of the two budgets is used up, and how much of it is left. */
function shortOf({ tokens, limit, dollars }: Reservation, state: queries.BudgetRow | undefined): string {
  const leftTokens = Math.max(0, (limit ?? Infinity) - (state?.used ?? 0) - (state?.reserved ?? 0));
  if (leftTokens < tokens || dollars === null) return `${limit} tokens has ${leftTokens} left`;
  const taken = dollarsOf((state?.used_nanodollars ?? 0) + (state?.reserved_nanodollars ?? 0));
  return `${dollars} US dollars has ${dollarText(Math.max(0, dollars - taken))} left`;
}

function usedUp({ clock }: LedgerOptions, wanted: Reservation, state: queries.BudgetRow | undefined): Fault {
  const begins = nextDay(clock.now());
  const retryAfterSeconds = Math.max(1, Math.ceil((begins - clock.now()) / 1000));
  const at = `${new Date(begins).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const sentence = `Today's budget of ${shortOf(wanted, state)}, which is too little for this request. It begins anew at ${at}; an administrator can raise it.`;
  return new Fault('too_many_requests', sentence, { retryAfterSeconds });
}

/** A limit in money says nothing about a model whose price nobody knows. */
function noPrice({ provider, model }: Opening): Fault {
  return new Fault(
    'unavailable',
    `The budget of a day is limited in US dollars, and no price of ${provider}/${model} is known, so it is not called. An administrator can add its price to llm.prices: 0/0 where it costs nothing.`,
  );
}

/** Bytes of images and documents are told by their length. */
const shortened = (body: string) =>
  body.replace(
    /"(?:data:[\w/+.;-]{1,100},)?[A-Za-z0-9+/]{2000,}={0,2}"/g,
    (found) => `"[${found.length} characters of base64]"`,
  );

const cut = (text: string) =>
  (text.length > MOST_KEPT ? `${cutText(text, MOST_KEPT)}…` : text).replaceAll('\0', '').toWellFormed();

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

export interface OpenCall {
  id: number;
  /** To be given to the provider. */
  outgoing(body: string | null): void;
  /** The first piece of the answer is there. */
  began(): void;
  /** In US dollars; undefined where no price of the model is known. What is not told counts as in `end`. */
  cost(told: Pick<Outcome, 'input_tokens' | 'output_tokens' | 'said'>): number | undefined;
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

/** Of UTF-8 in a character of ours, and no token is less than a byte. */
const MOST_BYTES_A_CHARACTER = 3;

/**
 * As the provider told it, else by how much was sent and said. An answer that was refused counts for no more than it could have
 * taken, however much came: for the tokens that it was allowed, and what can be in the request. One whose connection was cut
 * counts for what was read.
 */
function tokensIn(
  { characters, answer_tokens }: Opening,
  { input_tokens, output_tokens, said = 0, error }: Omit<Outcome, 'answer'>,
) {
  const [input, output] = [tokensTold(input_tokens), tokensTold(output_tokens)];
  const isCut = error instanceof OutboundError && error.details.dropped === true;
  const isRefused = error !== undefined && !isCut;
  const most = isRefused ? answer_tokens : Infinity;
  const mostSent = isRefused ? characters * MOST_BYTES_A_CHARACTER : Infinity;
  const read = tokensOf(said);
  return {
    input: Math.min(input ?? tokensOf(characters), mostSent),
    output: Math.min(output ?? (isCut ? read : Math.min(read, answer_tokens)), most),
    is_estimated: input === undefined || output === undefined,
  };
}

/** One after the other, each in a round of the event loop of its own. */
function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

interface Begun {
  id: number;
  opening: Opening;
  prices: Prices;
  ownTurn: () => Promise<void>;
}

function openCall(
  { db, clock, log, keep_calls_days }: LedgerOptions,
  { id, opening, prices, ownTurn }: Begun,
): OpenCall {
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
    cost(told) {
      const nanodollars = prices.cost(opening, tokensIn(opening, told));
      return nanodollars === undefined ? undefined : dollarsOf(nanodollars);
    },
    async end(outcome) {
      const took_ms = past();
      // Whoever leaves at the same time, as when a proxy in between ends, comes first: their providers are left at once. To write
      // down a long answer takes milliseconds, so there is one between two looks at who has left.
      if (outcome.is_cancelled) await ownTurn();
      const { state, failure } = failureOf(outcome);
      const { said = 0, answer } = outcome;
      const isFree = request === null || (failure !== null && said === 0 && NOTHING_REACHED.has(failure));
      const took = isFree ? { input: 0, output: 0, is_estimated: false } : tokensIn(opening, outcome);
      const [sent, told] = [request ?? '', answer === undefined ? '' : JSON.stringify(answer)];
      const isKept = keep_calls_days > 0;
      const kept = isKept && request !== null ? cut(shortened(sent)) : null;
      const answered = isKept && answer !== undefined ? cut(told) : null;
      await queries
        .settle(db, {
          ...{ id, state, failure, first_ms, took_ms },
          ...{ request: kept, request_bytes: Buffer.byteLength(kept ?? '') },
          ...{ answer: answered, answer_bytes: Buffer.byteLength(answered ?? '') },
          ...{ input_tokens: took.input, output_tokens: took.output, is_estimated: took.is_estimated },
          cost_nanodollars: prices.cost(opening, took) ?? null,
        })
        .catch((err: unknown) => log.warn({ event: 'llm.call_not_settled', call: id, err }));
    },
  };
}

export interface Ledger {
  /** Throws the 429 fault where the budget does not last. */
  open(caller: Caller, opening: Opening): Promise<OpenCall>;
}

export function createLedger(options: LedgerOptions): Ledger {
  const { db, clock } = options;
  const prices = new Prices(options.prices);
  const ownTurn = createTurns();

  async function begin(caller: Caller, opening: Opening): Promise<{ id: number }> {
    const { kind, provider, model, masker, characters, answer_tokens } = opening;
    const [input, output] = [tokensOf(characters), answer_tokens];
    const now = clock.now();
    const day = dayOf(now);
    const limit = limitFor(options, caller.user_id);
    const dollars = dollarLimitFor(options, caller.user_id);
    const cost = prices.cost(opening, { input, output });
    if (dollars !== null && cost === undefined) throw noPrice(opening);
    const wanted: Reservation = { tokens: input + output, limit, nanodollars: cost ?? 0, dollars };
    const begun = await queries.beginCall(db, {
      ...{ user_id: caller.user_id, purpose: caller.purpose, kind, provider, model, day, limit },
      reserved_tokens: wanted.tokens,
      reserved_nanodollars: wanted.nanodollars,
      limit_nanodollars: dollars === null ? null : nanodollarsOf(dollars),
      masked: JSON.stringify(masker.masked),
      started_at: new Date(now).toISOString(),
    });
    if (begun) return begun;
    throw usedUp(options, wanted, await queries.readBudget(db, caller.user_id ?? 0, day));
  }

  return {
    async open(caller, opening) {
      const { id } = await begin(caller, opening);
      return openCall(options, { id, opening, prices, ownTurn });
    },
  };
}
