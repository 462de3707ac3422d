// What a model writes about a snapshot, kept by the set of servers that it is of. Guards: one call is made however many ask, in
// however many processes; it goes on when whoever asked leaves, and nobody waits for it longer than two seconds.
import { randomUUID } from 'node:crypto';
import { sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import type { TextModel } from '../../kernel/text-model.ts';
import { promptOf, readSummary } from './model-summary.ts';
import * as queries from './overview.queries.ts';
import type { Snapshot } from './snapshot.service.ts';

const PATIENCE_MS = 2000;
const LOOK_AGAIN_MS = 200;
const SIGN_OF_LIFE_MS = 3000;

interface Options {
  /** The datastore's pool: the work outlives the request that began it. */
  db: Db;
  log: Log;
}

interface SummaryJob extends Options {
  provider: TextModel;
  stopping: AbortSignal;
}

/** One model call under a claim; whatever comes of it is stored. */
async function make(
  work: SummaryJob,
  claim: { key: string; attempt_id: string },
  snapshot: Snapshot,
): Promise<void> {
  const { db, log, provider, stopping } = work;
  const alive = setInterval(() => {
    queries
      .extendClaim(db, claim)
      .catch((err: unknown) => log.warn({ event: 'overview.sign_of_life_failed', err }));
  }, SIGN_OF_LIFE_MS);
  try {
    const { text, input_tokens, output_tokens } = await provider.generate({
      ...promptOf(snapshot),
      signal: stopping,
    });
    const summary = readSummary(text);
    if (summary === undefined) throw new Error('the answer holds no summary');
    await queries.storeOverview(db, claim, summary);
    log.info({ event: 'overview.made', servers: snapshot.server_total, input_tokens, output_tokens });
  } catch (err) {
    if (!stopping.aborted) log.warn({ event: 'overview.failed', provider: provider.name, err });
    await queries.endClaim(db, claim, !stopping.aborted);
  } finally {
    clearInterval(alive);
  }
}

export interface SummaryRequest {
  key: string;
  snapshot: Snapshot;
  /** A new one although the stored one is fresh. */
  refresh: boolean;
  /** Of whoever asks. */
  signal: AbortSignal;
}

export interface ModelSummaries {
  /** What is stored, after a new one was begun where it is due; waited for only where there is none yet. */
  ask(provider: TextModel, wanted: SummaryRequest): Promise<queries.StoredOverview | undefined>;
  stop(): Promise<void>;
}

export function createModelSummaries(options: Options): ModelSummaries {
  const { db, log } = options;
  const stopping = new AbortController();
  const flights = new Set<Promise<void>>();

  /** Begins a model call where nobody makes one. */
  async function begin(provider: TextModel, { key, snapshot, refresh }: SummaryRequest): Promise<void> {
    const claim = { key, attempt_id: randomUUID(), refresh };
    if (stopping.signal.aborted || !(await queries.claimOverview(db, claim))) return;
    const flight = make({ ...options, provider, stopping: stopping.signal }, claim, snapshot)
      .catch((err: unknown) => log.warn({ event: 'overview.not_stored', err }))
      .finally(() => flights.delete(flight));
    flights.add(flight);
  }

  /** What is stored, at most two seconds later when there is nothing. */
  async function awaited({ key, signal }: SummaryRequest): Promise<queries.StoredOverview | undefined> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const stored = await queries.readOverview(db, key);
      const isPending = stored?.summary === null && stored.is_attempted;
      if (!isPending || performance.now() >= until || signal.aborted) return stored;
      await sleep(LOOK_AGAIN_MS, signal);
    }
  }

  return {
    async ask(provider, wanted) {
      const known = await queries.readOverview(db, wanted.key);
      if (!known?.is_fresh || wanted.refresh) await begin(provider, wanted);
      return known?.summary ? known : awaited(wanted);
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(flights);
    },
  };
}
