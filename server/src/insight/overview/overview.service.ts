// The overview. Guards: what a model wrote is kept by the set of servers that it is of, so that nobody reads of others; one
// model call is made however many ask, in however many processes; nobody waits for it longer than two seconds.
import { createHash } from 'node:crypto';
import { demandScope } from '../../estate/estate.ts';
import { connectionsNamed } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { sleep } from '../../kernel/clock.ts';
import type { Output } from '../../kernel/contract.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import type { Events } from '../../kernel/sse.ts';
import type { TextModels } from '../../kernel/text-model.ts';
import { createModelSummaries } from './model-summaries.service.ts';
import type { getOverview } from './overview.contract.ts';
import { visibleIds } from './snapshot.queries.ts';
import { hasRestarts, type Snapshot, snapshotOf } from './snapshot.service.ts';
import { BY_RULES, MODEL_FAILED, summaryOf } from './summary.ts';

export type OverviewAnswer = Output<typeof getOverview>;

const STALE_MS = 5 * 60_000;
const CHECK_MS = 60_000;
const PENDING_CHECK_MS = 2000;
const MOST_SERVERS = 1000;

export interface OverviewQuery {
  refresh?: boolean | undefined;
  connection_ids?: string | undefined;
  scope_type?: 'server' | 'cluster' | 'group' | undefined;
  scope_id?: number | undefined;
}

export interface OverviewOptions {
  providers: TextModels;
  /** The datastore's pool: the work outlives the request that began it. */
  db: Db;
  log: Log;
  /** How often an open stream looks for news; a minute when absent. */
  check_ms?: number;
}

export interface OverviewService extends Part {
  getOverview(ctx: Ctx, query: OverviewQuery): Promise<OverviewAnswer>;
  streamOverview(ctx: Ctx, query: OverviewQuery): Promise<Events<OverviewAnswer>>;
}

/** The servers it is of: what the caller sees now of what was named; 404 where something that was named is not seen. */
async function serversOf(
  ctx: Ctx,
  { connection_ids, scope_type, scope_id }: OverviewQuery,
): Promise<number[]> {
  if ((scope_type === undefined) !== (scope_id === undefined))
    throw new Fault('bad_request', 'scope_type and scope_id belong together: give both or neither.');
  if (scope_type && scope_id) await demandScope(ctx, { scope: scope_type, scope_id });
  const ids = connection_ids === undefined ? null : connectionsNamed({ connection_ids }, MOST_SERVERS);
  const all = await visibleIds(ctx.db, ctx.principal, { ids, scope: null, scope_id: null });
  if (ids && all.length < new Set(ids).size) throw new Fault('not_found', 'There is no such connection.');
  if (!scope_type) return all;
  return visibleIds(ctx.db, ctx.principal, { ids, scope: scope_type, scope_id: scope_id ?? null });
}

const keyOf = (ids: readonly number[]) => createHash('sha256').update(ids.join(',')).digest('hex');

function written(snapshot: Snapshot, summary: string, generated_at: string): OverviewAnswer {
  return {
    summary,
    generated_at,
    stale_at: new Date(Date.parse(generated_at) + STALE_MS).toISOString(),
    snapshot,
    restart_detected: hasRestarts(snapshot),
  };
}

/** What changes when something significant did. */
function significance(answer: OverviewAnswer): string {
  const { snapshot } = answer;
  const restarts = snapshot?.recent_events.filter(({ event_type }) => event_type === 'restart');
  return JSON.stringify([
    'status' in answer ? answer.status : undefined,
    answer.summary,
    snapshot?.servers.map(({ id, status }) => [id, status]),
    snapshot && [snapshot.alert_critical, snapshot.alert_warning, snapshot.alert_info],
    snapshot?.active_blackouts,
    restarts,
  ]);
}

const idOf = (answer: OverviewAnswer, { clock }: Ctx) =>
  'generated_at' in answer ? answer.generated_at : new Date(clock.now()).toISOString();

/** How an open stream goes on until whoever listens leaves. */
async function* news(ctx: Ctx, read: () => Promise<OverviewAnswer>, check_ms: number) {
  let sent = '';
  while (!ctx.signal.aborted) {
    const answer = await read();
    if (significance(answer) !== sent) yield { id: idOf(answer, ctx), event: 'overview', data: answer };
    sent = significance(answer);
    const isPending = 'status' in answer && answer.status === 'generating';
    await sleep(isPending ? Math.min(check_ms, PENDING_CHECK_MS) : check_ms, ctx.signal);
  }
}

export function createOverview({
  db,
  providers,
  log,
  check_ms = CHECK_MS,
}: OverviewOptions): OverviewService {
  const summaries = createModelSummaries({ db, log });

  async function overviewOf(ctx: Ctx, query: OverviewQuery): Promise<OverviewAnswer> {
    const ids = await serversOf(ctx, query);
    if (ids.length === 0) return { status: 'empty', summary: null, snapshot: null };
    const snapshot = await snapshotOf(ctx, ids);
    const provider = providers.default;
    if (!provider) return written(snapshot, summaryOf(snapshot, BY_RULES), snapshot.timestamp);
    const wanted = { key: keyOf(ids), snapshot, refresh: query.refresh ?? false, signal: ctx.signal };
    const stored = await summaries.ask(provider, wanted);
    if (stored?.summary && stored.generated_at) return written(snapshot, stored.summary, stored.generated_at);
    if (stored?.has_failed && !stored.is_attempted)
      return written(snapshot, summaryOf(snapshot, MODEL_FAILED), snapshot.timestamp);
    return { status: 'generating', summary: null, snapshot };
  }

  return {
    name: 'overview',
    getOverview: overviewOf,
    // Each look is with the rights of that moment.
    streamOverview: async (ctx, query) => news(ctx, () => overviewOf({ ...ctx }, query), check_ms),
    stop: () => summaries.stop(),
  };
}
