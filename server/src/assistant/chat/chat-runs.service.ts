// Runs of the chat: begun by a question, followed by whoever asked, kept so that they can be followed again. Guards: few runs at once of
// each person and process; a run does what its asker may do at that moment; one whose process is gone is told to be so.
import { randomBytes } from 'node:crypto';
import { type Access, type Ctx, createAccess, type Principal } from '../../identity/identity.ts';
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Output } from '../../kernel/contract.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { createRateLimit, type RateLimit } from '../../kernel/rate-limit.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Events } from '../../kernel/sse.ts';
import { iso } from '../../kernel/times.ts';
import type { ModelCalls } from '../ai-runs/model-calls.service.ts';
import type { Toolbox } from '../mcp/toolbox.service.ts';
import { chosen } from '../providers/registry.ts';
import type { ReadOnlySql } from '../sql/read-only-sql.service.ts';
import type { getChatRun } from './chat-runs.contract.ts';
import * as queries from './chat-runs.queries.ts';
import type { ChatRunRequest, ChatScope } from './chat-runs.schemas.ts';
import { LIFE_MS, LiveRun } from './live-run.ts';
import { endLost, MOST_STORED, textIn } from './lost-run.ts';
import { beginTalk, endTalk } from './run-conversation.ts';
import { ACCESS_ENDED, BUDGET, type Budget, RunEnded } from './run-loop.ts';
import { doWork, type RunJob } from './run-work.ts';

const MOST_OF_A_USER = 3;
const MOST_RUNS = 50;
const QUESTIONS_A_MINUTE = 30;
const LOOK_MS = 300;
const PAGE = 500;

export interface ChatRunsOptions {
  calls: ModelCalls;
  toolbox: Toolbox;
  sql: Pick<ReadOnlySql, 'explain' | 'prepareOnly'>;
  /** The datastore's pool: runs outlive the requests that began them. */
  db: Db;
  clock: Clock;
  log: Log;
  budget?: Partial<Budget>;
}

type Request = Static<typeof ChatRunRequest>;

export interface ChatRuns extends Part {
  /** A model is configured; without one, rules answer. */
  readonly isModel: boolean;
  /** The token is that of the session, by which rights are looked at again while it runs. */
  start(ctx: Ctx, request: Request, token: string): Promise<Events<queries.EventData>>;
  follow(ctx: Ctx, id: string, after: number): Promise<Events<queries.EventData>>;
  get(ctx: Ctx, id: string): Promise<Output<typeof getChatRun>>;
  cancel(ctx: Ctx, id: string): Promise<void>;
}

const NONE = new Fault('not_found', 'There is no such run.');

/** The servers of a scope that the caller sees; 404 where one is named and there is none. */
export async function serversOf(
  { db, principal }: Ctx,
  { kind, id }: Static<typeof ChatScope>,
): Promise<queries.ScopeServer[]> {
  if (kind !== 'estate' && id === undefined)
    throw new Fault('bad_request', 'A scope other than the estate needs its id.');
  const servers = await queries.scopeServers(db, principal, { kind, id: id ?? null });
  if (kind !== 'estate' && servers.length === 0) throw new Fault('not_found', `There is no such ${kind}.`);
  return servers;
}

async function* frames(id: string, events: AsyncIterable<queries.StoredEvent>) {
  for await (const { sequence, data } of events) yield { id: `${id}:${sequence}`, event: data.type, data };
}

class Runs implements ChatRuns {
  readonly name = 'chat-runs';
  readonly isModel: boolean;
  readonly #of: ChatRunsOptions;
  readonly #live = new Map<string, { run: LiveRun; over: Promise<void> }>();
  readonly #access = new Map<string, Access>();
  /** Questions of each user. */
  readonly #rate: RateLimit;
  #isStopping = false;

  constructor(of: ChatRunsOptions) {
    this.#of = of;
    this.isModel = of.calls.options.providers.configured.length > 0;
    this.#rate = createRateLimit({ limit: QUESTIONS_A_MINUTE, window_ms: 60_000, clock: of.clock });
  }

  #accessOf({ shared_access: sharedAccess = 'read_write' }: Principal): Access {
    const { db, clock, log } = this.#of;
    const found = this.#access.get(sharedAccess) ?? createAccess({ db, clock, log, sharedAccess });
    this.#access.set(sharedAccess, found);
    return found;
  }

  #demandRoom(user_id: number): void {
    this.#rate.enforce(String(user_id));
    const own = [...this.#live.values()].filter(({ run }) => run.user_id === user_id).length;
    if (own >= MOST_OF_A_USER || this.#live.size >= MOST_RUNS || this.#isStopping)
      throw new Fault(
        'too_many_requests',
        'As many questions as may be are being answered. Wait for one of them, or stop it.',
        { retryAfterSeconds: 10 },
      );
  }

  async start(ctx: Ctx, request: Request, token: string): Promise<Events<queries.EventData>> {
    const { db, clock, calls } = this.#of;
    const { user_id } = ctx.principal;
    const providers = calls.of({ user_id, purpose: 'chat' });
    if (JSON.stringify(request.about ?? null).length > 20_000)
      throw new Fault('bad_request', 'about must be at most 20000 characters as JSON.');
    this.#demandRoom(user_id);
    const model = providers.configured.length > 0 ? chosen(providers, request) : undefined;
    const servers = await serversOf(ctx, request.scope ?? { kind: 'estate' });
    const now = clock.now();
    for (const { id } of await queries.lostRuns(db, user_id, iso(now))) await endLost(ctx, id);
    const id = `run_${now}_${randomBytes(8).toString('hex')}`;
    const names = { provider: model?.provider.name ?? null, model: model?.model ?? null };
    const talk = await this.#talk(ctx, request, { id, user_id, ...names });
    const run = new LiveRun({ id, user_id, db, clock, log: this.#of.log });
    run.tell({
      type: 'run',
      run_id: id,
      conversation_id: talk.id,
      model: names.model,
      is_model: model !== undefined,
    });
    const own = this.#ownCtx(ctx, run, token);
    const { toolbox, sql, log, budget } = this.#of;
    const work: RunJob = {
      run,
      request,
      talk,
      servers,
      model,
      toolbox,
      sql,
      log,
      now: own,
      budget: { ...BUDGET, ...budget },
    };
    const over = this.#run(work, ctx).catch((err: unknown) =>
      log.error({ event: 'chat.broken', run_id: id, err }),
    );
    this.#live.set(id, { run, over });
    void over.finally(() => this.#live.delete(id));
    return frames(id, run.follow(0, ctx.signal));
  }

  /** The conversation with the question in it, taken for this run. */
  async #talk(
    ctx: Ctx,
    request: Request,
    row: Omit<queries.NewRun, 'conversation_id' | 'now' | 'expires_at'>,
  ) {
    const { db, clock } = this.#of;
    const now = clock.now();
    let isClaimed = false;
    try {
      return await beginTalk(ctx, request, async (conversation_id) => {
        const made = { ...row, conversation_id, now: iso(now), expires_at: iso(now + LIFE_MS) };
        if (!(await queries.insertRun(db, made)))
          throw new Fault(
            'conflict',
            'A question of this conversation is being answered. Wait for it, or stop it.',
          );
        isClaimed = true;
      });
    } catch (error) {
      if (isClaimed)
        await queries.endRun(db, { id: row.id, state: 'failed', now: iso(clock.now()), ifLost: false });
      throw error;
    }
  }

  /** The caller as they are at each look, without what belongs to the request. */
  #ownCtx(ctx: Ctx, run: LiveRun, token: string): () => Promise<Ctx> {
    const { db, clock, log } = this.#of;
    const access = this.#accessOf(ctx.principal);
    const { origin } = ctx;
    return async () => {
      run.signal.throwIfAborted();
      const caller = await access.authenticate(token);
      if (!caller || caller.principal.needs_second_factor) throw new RunEnded('access_ended', ACCESS_ENDED);
      return { db, clock, log, principal: caller.principal, signal: run.signal, origin };
    };
  }

  async #run(work: RunJob, { principal, origin }: Ctx): Promise<void> {
    const { run, talk, model } = work;
    const { db, clock, log } = this.#of;
    // A datastore that does not answer tells nothing of rights.
    const keeping = run.keep(() =>
      work.now().then(
        () => true,
        (error: unknown) => !(error instanceof RunEnded),
      ),
    );
    const { state, error } = await doWork(work);
    const signal = new AbortController().signal;
    const ctx: Ctx = { db, clock, log, principal: { ...principal }, signal, origin };
    const events = run.events.map(({ data }) => data);
    try {
      await endTalk(ctx, talk.id, {
        text: run.text,
        events,
        run_id: run.id,
        model: model?.model ?? null,
        error,
      });
      await run.store();
      await queries.endRun(db, { id: run.id, state, now: iso(clock.now()), ifLost: false });
    } finally {
      await run.end();
      await keeping;
    }
  }

  async #find(ctx: Ctx, id: string): Promise<queries.RunRow> {
    const { db, clock } = this.#of;
    const named = { id, user_id: ctx.principal.user_id, now: iso(clock.now()) };
    const found = await queries.findOwnRun(db, named);
    if (!found) throw NONE;
    if (!found.is_lost || this.#live.has(id)) return found;
    await endLost(ctx, id);
    return (await queries.findOwnRun(db, named)) ?? found;
  }

  async follow(ctx: Ctx, id: string, after: number): Promise<Events<queries.EventData>> {
    await this.#find(ctx, id);
    const live = this.#live.get(id)?.run;
    return frames(id, live ? live.follow(after, ctx.signal) : this.#stored(ctx, id, after));
  }

  /** Of a run that has ended, or that another process runs. */
  async *#stored(ctx: Ctx, id: string, after: number): AsyncGenerator<queries.StoredEvent> {
    const { db } = this.#of;
    let last = after;
    while (!ctx.signal.aborted) {
      const { state } = await this.#find(ctx, id);
      let page: queries.StoredEvent[];
      do {
        page = await queries.eventsAfter(db, { id, after: last, limit: PAGE });
        for (const event of page) {
          last = event.sequence;
          yield event;
        }
      } while (page.length === PAGE);
      if (state !== 'running') return;
      await sleep(LOOK_MS, ctx.signal);
    }
  }

  async get(ctx: Ctx, id: string): Promise<Output<typeof getChatRun>> {
    const { is_lost: _, ...row } = await this.#find(ctx, id);
    const stored =
      this.#live.get(id)?.run.events ??
      (await queries.eventsAfter(this.#of.db, { id, after: 0, limit: MOST_STORED }));
    const data = stored.map((one) => one.data);
    const steps = new Map(data.flatMap((one) => (one.type === 'step' ? [[one.number, one] as const] : [])));
    return {
      ...row,
      is_model: data.some((one) => one.type === 'run' && one.is_model),
      last_sequence: stored.at(-1)?.sequence ?? 0,
      text: textIn(data),
      steps: [...steps.values()],
    };
  }

  async cancel(ctx: Ctx, id: string): Promise<void> {
    const live = this.#live.get(id)?.run;
    // At once, where it is the caller's: what is asked of the datastore comes after.
    if (live?.user_id === ctx.principal.user_id) live.cancel('cancelled');
    await this.#find(ctx, id);
    await queries.wishEnd(this.#of.db, id, iso(this.#of.clock.now()));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#live.values()];
    for (const { run } of all) run.cancel('interrupted');
    await Promise.all(all.map(({ over }) => over));
    for (const access of this.#access.values()) await access.stop();
  }
}

export const createChatRuns = (options: ChatRunsOptions): ChatRuns => new Runs(options);
