// What each database of a server is likely for, in a model's words. Invariant: however many ask at once, in however
// many processes, one model call is made, and all who wait get its outcome; only successes are kept, for five
// minutes. The work belongs to nobody's request, so a client that leaves ends nothing.
import { randomUUID } from 'node:crypto';
import type { Ctx } from '../../identity/identity.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Output } from '../../kernel/contract.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { type FailureKind, OutboundError } from '../../kernel/http/outbound-error.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { TextModel, TextModels } from '../../kernel/text-model.ts';
import { readAnswer } from './ai-analysis.answer.ts';
import { buildPrompt } from './ai-analysis.prompt.ts';
import * as queries from './ai-analysis.queries.ts';
import type { getServerAiAnalysis } from './server-info.contract.ts';

export type AiAnalysis = Output<typeof getServerAiAnalysis>;

export interface AnalysisOptions {
  providers: TextModels;
  /** The datastore's pool: the work outlives the request that began it. */
  db: Db;
  clock: Clock;
  log: Log;
  /** For one model call, in milliseconds; 45 s when absent, well under the API's own limit. */
  model_timeout_ms?: number;
}

export interface Analysis extends Part {
  /** Null when no provider is configured or there is nothing to describe. Access is the caller's business. */
  getServerAiAnalysis(ctx: Pick<Ctx, 'signal'>, connectionId: number): Promise<AiAnalysis>;
}

const MODEL_TIMEOUT_MS = 45_000;
const SIGN_OF_LIFE_MS = 3000;
const LOOK_AGAIN_MS = 200;

type Failure = FailureKind | 'unusable';

const SENTENCES: Record<Failure, string> = {
  timeout: 'the model did not answer in time',
  unreachable: 'the LLM provider cannot be reached',
  rejected: 'the LLM provider refused the request',
  failed: 'the LLM provider answered with an error',
  unusable: 'the answer of the model could not be used',
};

const isFailure = (text: string | null): text is Failure => text !== null && Object.hasOwn(SENTENCES, text);

function faultOf(failure: Failure, cause?: unknown): Fault {
  return new Fault('internal', `The AI analysis failed: ${SENTENCES[failure]}.`, { cause });
}

const failureOf = (error: unknown): Failure => (error instanceof OutboundError ? error.kind : 'unusable');

interface AnalysisJob extends AnalysisOptions {
  provider: TextModel;
  stopping: AbortSignal;
}

function demandRunning(stopping: AbortSignal): void {
  if (stopping.aborted) throw new Fault('unavailable', 'The server is stopping. Try again in a moment.');
}

/** One model call; the descriptions it brought. */
async function describeDatabases(
  work: AnalysisJob,
  databases: readonly queries.AnalysedDatabase[],
  connectionId: number,
): Promise<Record<string, string>> {
  const { provider, clock, log, stopping, model_timeout_ms = MODEL_TIMEOUT_MS } = work;
  const began = clock.monotonic();
  const { names, ...prompt } = buildPrompt(databases);
  const facts = { connection_id: connectionId, provider: provider.name, databases: names.length };
  const took = () => Math.round(clock.monotonic() - began);
  try {
    const generated = await provider.generate({ ...prompt, signal: stopping, timeout_ms: model_timeout_ms });
    const { text, input_tokens, output_tokens } = generated;
    const descriptions = readAnswer(text, names);
    if (!descriptions) throw new Error('the answer holds no descriptions');
    const described = Object.keys(descriptions).length;
    log.info({
      event: 'ai_analysis.made',
      ...facts,
      described,
      input_tokens,
      output_tokens,
      took_ms: took(),
    });
    return descriptions;
  } catch (error) {
    if (!stopping.aborted)
      log.warn({
        event: 'ai_analysis.failed',
        ...facts,
        kind: failureOf(error),
        took_ms: took(),
        err: error,
      });
    throw error;
  }
}

/** Runs `task` while saying every few seconds that this claim is alive. */
async function whileAlive<T>(
  work: AnalysisJob,
  claim: queries.AnalysisClaim,
  task: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    queries
      .extendClaim(work.db, claim)
      .catch((err: unknown) => work.log.warn({ event: 'ai_analysis.sign_of_life_failed', err }));
  }, SIGN_OF_LIFE_MS);
  try {
    return await task();
  } finally {
    clearInterval(timer);
  }
}

/** Makes the analysis under a claim; undefined when the claim was taken over meanwhile. */
async function make(
  work: AnalysisJob,
  claim: queries.AnalysisClaim,
  databases: readonly queries.AnalysedDatabase[],
): Promise<AiAnalysis | undefined> {
  let descriptions: Record<string, string>;
  try {
    descriptions = await whileAlive(work, claim, () =>
      describeDatabases(work, databases, claim.connection_id),
    );
  } catch (error) {
    if (work.stopping.aborted) await queries.releaseClaim(work.db, claim);
    else await queries.failClaim(work.db, claim, failureOf(error));
    demandRunning(work.stopping);
    throw faultOf(failureOf(error), error);
  }
  const stored = await queries.storeAnalysis(work.db, claim, descriptions);
  return stored && { databases: descriptions, generated_at: stored.generated_at };
}

/** Somebody else's claim is waited for; when nobody is at work, this process begins one of its own. */
async function findOrMake(work: AnalysisJob, connectionId: number): Promise<AiAnalysis> {
  let awaited: string | null = null;
  for (;;) {
    const state = await queries.readAnalysis(work.db, connectionId);
    if (state?.is_fresh && state.databases && state.generated_at)
      return { databases: state.databases, generated_at: state.generated_at };
    if (state && awaited !== null && state.failed_attempt_id === awaited)
      throw faultOf(isFailure(state.failure) ? state.failure : 'failed');
    if (state?.is_attempted) {
      awaited = state.attempt_id;
      await sleep(LOOK_AGAIN_MS, work.stopping);
      demandRunning(work.stopping);
      continue;
    }
    const databases = await queries.readAnalysedDatabases(work.db, connectionId);
    if (databases.length === 0) return null;
    const claim = { connection_id: connectionId, attempt_id: randomUUID() };
    if (!(await queries.claimAnalysis(work.db, claim))) continue;
    const made = await make(work, claim, databases);
    if (made !== undefined) return made;
  }
}

/** Leaves when the client does; what it waited for goes on. */
async function orUntilGone<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(new Fault('unavailable', 'The request was given up.'));
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([outcome, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** The analysis of databases; stop() ends what is under way and lets another process begin it anew. */
export function createAnalysis(options: AnalysisOptions): Analysis {
  const stop = new AbortController();
  const flights = new Map<number, Promise<AiAnalysis>>();

  function fly(provider: TextModel, connectionId: number): Promise<AiAnalysis> {
    const flight = findOrMake({ ...options, provider, stopping: stop.signal }, connectionId).finally(() =>
      flights.delete(connectionId),
    );
    flights.set(connectionId, flight);
    return flight;
  }

  return {
    name: 'ai-analysis',
    async getServerAiAnalysis({ signal }, connectionId) {
      const provider = options.providers.default;
      if (!provider) return null;
      demandRunning(stop.signal);
      return orUntilGone(flights.get(connectionId) ?? fly(provider, connectionId), signal);
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(flights.values());
    },
  };
}
