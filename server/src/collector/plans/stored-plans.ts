// Plans that an extension of a server counts the runs of, kept as plans of statements: counted since the last reading, which is kept in the
// datastore with what came of it. Guards: each run is counted once, whatever ends in between; the text of a plan is asked for once, of few
// plans at a time, and is masked before anything keeps it; while the datastore is away nothing is asked.
import type { SeenPlan } from '../../estate/server-logs/log-rows.ts';
import {
  addPlans,
  type CountersOf,
  keepCounters,
  keptCounters,
  PLAN_SOURCES,
  type PlanShape,
  type PlanSource,
  type ShapeKept,
  shapesKept,
} from '../../estate/server-logs/log-writes.service.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { FOREIGN_TEXTS } from '../../monitored/foreign-text.ts';
import { maskedPlan } from '../../plans/masked.ts';
import type { SqlProbe } from '../../probes/types.ts';
import { storable } from '../../store/format/content.ts';
import type { ReadRow } from '../../store/layout/types.ts';
import { BriefAsks } from '../brief-asks.ts';
import { runPipeline } from '../pipeline.ts';
import type { Session } from '../session.ts';
import { type CountedPlan, counterOf, countPlans, readPlan } from './counted-plans.ts';
import { SeenPlans } from './seen-plans.ts';

/** Texts at once: each has up to 64 KiB and takes a millisecond or more to be read. */
const AT_ONCE = 100;
const REPLY_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 5000;

interface Options {
  db: Db;
  clock: Clock;
  log: Log;
  datastoreMs?: number;
}

export interface CountersRequest {
  readonly probe: SqlProbe;
  readonly connection_id: number;
  readonly epoch: number;
  readonly server_instance?: string | undefined;
  /** Of the probe's run, by database. */
  readonly read: readonly {
    readonly database_name: string;
    readonly rows: readonly ReadRow[];
    readonly at: number;
    readonly isWhole: boolean;
  }[];
  readonly onTook?: (ms: number) => void;
}

type ReadText = Pick<SeenPlan, 'outline' | 'nodes' | 'misestimates' | 'example'> & PlanShape;

const keyOf = ({ database_name, statement_key, plan_hash }: PlanShape) =>
  JSON.stringify([database_name, statement_key, plan_hash]);

/** A text that is none, or was cut, has no shape. */
const UNREADABLE: Omit<ReadText, 'database_name' | 'statement_key'> = {
  ...{ plan_hash: '', outline: '', nodes: 0, misestimates: [], example: null },
};

/** What a text says of a plan, without values. */
function toldBy({ read: { database_name, queryid } }: CountedPlan, text: unknown, at: number): ReadText {
  const seen = new SeenPlans();
  try {
    const masked = typeof text === 'string' ? maskedPlan(text) : undefined;
    // Whatever it says of its statement, it is that of the row.
    if (masked) {
      const plan = { ...masked.plan, query_id: queryid };
      seen.add({ database_name, at, masked: { ...masked, plan, statement: '' } });
    }
  } catch {
    // Whatever a server keeps as a plan does not end the reading of that server.
  }
  const [row] = seen.rows(() => '');
  return row ?? { ...UNREADABLE, database_name, statement_key: queryid };
}

const FIGURES = [
  'logged',
  'total_ms',
  'analyzed',
  'buffered',
  'total_rows',
  'hit_blocks',
  'read_blocks',
  'temp_blocks',
] as const;

function rowOf(
  { read, from, calls, ms, rest }: CountedPlan,
  told: ReadText,
  of: { source: PlanSource; at: number },
): SeenPlan {
  const last_seen = read.last_at ?? of.at;
  // Of runs after others that were counted before, the first may have been at any time since.
  const first_seen =
    from.calls === 0 || calls === 0 ? Math.min(read.first_at ?? last_seen, last_seen) : last_seen;
  const [total_rows = 0, hit_blocks = 0, read_blocks = 0, temp_blocks = 0] = rest ?? [];
  const counted = rest === null ? 0 : calls;
  return {
    ...{ ...told, source: of.source, first_seen, last_seen, logged: calls, planned: 0, total_ms: ms },
    ...{
      worst_ms: calls > 0 ? read.worst_ms : null,
      analyzed: counted,
      buffered: counted,
      total_rows,
      hit_blocks,
      read_blocks,
    },
    ...{ temp_blocks, jit_ms: 0, example_at: of.at, example_ms: null },
  };
}

/** The figures of both: a plan has several numbers where roles or versions of its tables do. */
function add(to: Map<string, SeenPlan>, row: SeenPlan): void {
  const known = to.get(keyOf(row));
  if (!known) to.set(keyOf(row), row);
  else {
    for (const name of FIGURES) known[name] += row[name];
    known.first_seen = Math.min(known.first_seen, row.first_seen);
    known.last_seen = Math.max(known.last_seen, row.last_seen);
    known.worst_ms = Math.max(known.worst_ms ?? 0, row.worst_ms ?? 0) || null;
  }
}

export class StoredPlans {
  readonly #asks: BriefAsks<Db>;
  /** How many texts are asked for: of a server that refused them half as many, until it is known which one it was. */
  readonly #sizes = new Map<number, number>();

  constructor(options: Options) {
    this.#asks = new BriefAsks({ ...options, event: 'collector.plans_failed' });
  }

  /** Counts what a probe has read, and keeps it. Never rejects. */
  async count(session: Session, request: CountersRequest): Promise<void> {
    const { probe, connection_id, epoch, read, server_instance = null } = request;
    const [first] = read;
    const source = PLAN_SOURCES.find((name) => name === probe.name);
    if (!source || !first || this.#asks.isAway) return;
    const of: CountersOf = { connection_id, epoch, source };
    const kept = await this.#asks.ask(async (db) => ({ before: await keptCounters(db, of) }));
    if (!kept) return;
    const plans = read.flatMap(({ database_name, rows }) =>
      rows.flatMap((row) => readPlan(probe, row, storable(database_name)) ?? []),
    );
    const reading = { at: first.at, server_instance, is_whole: first.isWhole, plans };
    const counted = countPlans(kept.before, reading);
    const there = await this.#asks.ask((db) =>
      shapesKept(
        db,
        of,
        counted.flatMap(({ from }) => from.shape ?? []),
      ),
    );
    if (!there) return;
    const told = await this.#told(session, request, { counted, there });
    const seen = new Map<string, SeenPlan>();
    const items = counted.map((one) => {
      const own = told.get(one.read.key);
      const isNews = one.calls > 0 || one.from.shape === null;
      if (own && own.plan_hash !== '' && isNews) add(seen, rowOf(one, own, { source, at: first.at }));
      return counterOf(one, own);
    });
    const next = { ...reading, reading: (kept.before?.reading ?? 0) + 1, items };
    await this.#asks.ask((db) =>
      db.transaction(async (own) => {
        if ((await keepCounters(own, of, next)) > 0) await addPlans(own, of, [...seen.values()]);
        return true;
      }),
    );
  }

  /** What is known of each, by key; none of what could not be read yet. */
  async #told(
    session: Session,
    request: CountersRequest,
    { counted, there }: { counted: readonly CountedPlan[]; there: readonly ShapeKept[] },
  ): Promise<Map<string, ReadText>> {
    const known = new Map(there.map((one) => [keyOf(one), one]));
    const told = new Map<string, ReadText>();
    const wanted = new Map<string, CountedPlan>();
    for (const one of counted) {
      const { shape } = one.from;
      const own = shape && known.get(keyOf(shape));
      // One that is kept no more is read again when it is run again.
      if (shape && (own || shape.plan_hash === '' || one.calls === 0))
        told.set(one.read.key, { ...UNREADABLE, ...shape, ...own });
      else wanted.set(one.read.key, one);
    }
    for (const [key, text] of await this.#texts(session, request, [...wanted.keys()])) {
      const one = wanted.get(key);
      if (one) told.set(key, toldBy(one, text, request.read[0]?.at ?? 0));
      await yieldIfBusy();
    }
    return told;
  }

  async #texts(
    session: Session,
    { probe, connection_id, onTook }: CountersRequest,
    keys: readonly string[],
  ): Promise<[string, unknown][]> {
    const size = this.#sizes.get(connection_id) ?? AT_ONCE;
    const wanted = keys.slice(0, size);
    const text = wanted.length === 0 ? undefined : probe.plans?.(session.capabilities, wanted);
    if (text === undefined || session.lost()) return [];
    const how = { columns: 2, rows: wanted.length, bytes: REPLY_BYTES };
    const [answer] = await runPipeline(session, [
      { text: `/* probe.${probe.name}.texts */\n${text}`, timeoutMs: TIMEOUT_MS, how },
    ]);
    if (!answer || answer.kind === 'unreached') return [];
    onTook?.(answer.server_ms);
    if (answer.kind === 'answered') {
      this.#sizes.set(connection_id, Math.min(AT_ONCE, 2 * size));
      const found = new Map(answer.rows.map((row) => [String(row.plan_key), row.plan_text]));
      return wanted.map((key) => [key, found.get(key)]);
    }
    // A text in another encoding keeps the server from returning any.
    if (wanted.length === 1 && FOREIGN_TEXTS.some((code) => code === answer.error.code))
      return wanted.map((key) => [key, null]);
    this.#sizes.set(connection_id, Math.max(1, Math.floor(wanted.length / 2)));
    return [];
  }
}
