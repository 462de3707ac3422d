// What the alerter remembers between rounds: which runs it has judged, and what it has to ask again. Guards: nothing is lost
// when it forgets all of this, since a round without memory judges the newest of everything; whoever takes over goes on
// where the last one was, by its note.
import { hash } from 'node:crypto';
import { type AnomalyMetric, anomalyMetrics } from '../../history/history.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Probe } from '../../probes/types.ts';
import type { RulesInForce } from '../alert-rules/in-force.service.ts';
import { type KnownRule, knownRules } from '../alert-rules/known-rules.service.ts';
import type { Scores } from './anomaly-score.ts';
import type { DroppedTexts } from './dropped-indexes.ts';
import { PLAN_RUNS, type RecentRun, RUNWAY_RUNS } from './runs.queries.ts';
import type { Audiences, SameServers } from './same-server.ts';

/** Samples may arrive in the datastore so much later than they were taken. */
const OVERLAP_MS = 2 * MINUTE_MS;
/** What a round without memory looks at: the longest interval of a probe that is judged, and some. */
const ALL_MS = 240 * MINUTE_MS;
const SETTLED_MS = 5 * MINUTE_MS;
const INTERRUPTED_MS = MINUTE_MS;

export interface DueRule {
  rule: KnownRule;
  connection_ids: number[];
}

/** Metrics of a probe whose values may be unusual, and its runs that were not looked at. */
export interface DueAnomalies {
  probe: Probe;
  own: readonly AnomalyMetric[];
  news: readonly RecentRun[];
}

export interface RoundInput {
  runs: readonly RecentRun[];
  watched: readonly { connection_id: number }[];
  waiting: ReadonlySet<number>;
  inForce: RulesInForce;
  /** Milliseconds since the epoch, as all times here. */
  now: number;
}

/** How far the process that judged before had come, as it noted. */
export interface Progress {
  judged_until: number;
  /** What the rules were set to, as a hash. */
  settings: string;
  /** Connections that a rule has to ask again, by its name. */
  again: Record<string, number[]>;
}

const isIds = (ids: unknown): ids is number[] =>
  Array.isArray(ids) && ids.every((id) => typeof id === 'number');

/** What the report of the job says; undefined where it says nothing that is known here. */
export function progressIn(
  report: Readonly<Record<string, unknown>> | null | undefined,
): Progress | undefined {
  const { judged_until, settings, again } = report ?? {};
  if (typeof judged_until !== 'number' || typeof settings !== 'string') return undefined;
  const entries = Object.entries(Object(again)).flatMap(([name, ids]) =>
    isIds(ids) ? [[name, ids] as const] : [],
  );
  return { judged_until, settings, again: Object.fromEntries(entries) };
}

type Ids = Map<string, Set<number>>;

/** By which runs there is something new to judge: those of its probe, of what runs out, or of plans. */
export const runKeyOf = ({ probe, source }: KnownRule): string =>
  source === 'plans' ? PLAN_RUNS : source === 'dates' ? RUNWAY_RUNS : probe.name;

const keyOf = (connection_id: number, probe: string) => `${connection_id} ${probe}`;
const hashOf = ({ mark }: RulesInForce) => hash('sha256', mark);

function add(ids: Ids, name: string, connection_id: number): void {
  const mine = ids.get(name) ?? new Set<number>();
  ids.set(name, mine.add(connection_id));
}

/** Connections with a new run of a probe, by the probe. */
function newsIn(
  runs: readonly RecentRun[],
  among: ReadonlySet<number>,
  judged: ReadonlyMap<string, number>,
): Ids {
  const news: Ids = new Map();
  for (const { connection_id, probe, at } of runs)
    if (among.has(connection_id) && judged.get(keyOf(connection_id, probe)) !== at)
      add(news, probe, connection_id);
  return news;
}

export class Memory {
  /** The newest scores of values that may be unusual; a process that takes over begins with three new samples. */
  readonly scores = new Map<string, Scores>();
  /** The newest run whose values were looked at for that, by connection and probe. */
  readonly #scored = new Map<string, number>();
  /** Rules and unusual metrics whose values could not be read, until they can. */
  readonly unread = new Set<string>();
  /** Connections whose metrics could not be read, since their node of the datastore did not answer. */
  silent: ReadonlySet<number> = new Set();
  /** Indexes that were dropped before statements became slower. */
  readonly droppedTexts: DroppedTexts = new Map();
  /** Connections that lead to the same server, as of the last minute. */
  sameServers: SameServers = new Map();
  audiences: Audiences = new Map();
  readonly #progress: Progress | undefined;
  /** The newest run that was judged, by connection and probe. */
  #judged = new Map<string, number>();
  /** Connections on which a rule found what was held back, by the rule's name. */
  #again: Ids = new Map();
  #inForce: RulesInForce | undefined;
  #minute = Number.NEGATIVE_INFINITY;
  #began: number | undefined;
  #lookedAt: number | undefined;
  /** What all of these are once the round is written. */
  #next: { judged: Map<string, number>; again: Ids; inForce: RulesInForce | undefined; minute: number };

  constructor(before?: Progress) {
    this.#progress = before;
    this.#next = { judged: new Map(), again: new Map(), inForce: undefined, minute: this.#minute };
    for (const [name, ids] of Object.entries(before?.again ?? {})) this.#again.set(name, new Set(ids));
  }

  /** Since when a round has to look. */
  lookFrom(now: number): number {
    const since = this.#inForce ? this.#minute : (this.#progress?.judged_until ?? now - ALL_MS);
    return Math.max(Math.min(now, since) - OVERLAP_MS, now - ALL_MS);
  }

  /**
   * For so long that a collector which began together with us would have read every server by now. Who could not look for a
   * while begins again: the datastore was away, or the machine slept, and so it was for collectors.
   */
  isSettled(now: number): boolean {
    const isInterrupted = now - (this.#lookedAt ?? now) > INTERRUPTED_MS;
    this.#lookedAt = now;
    if (this.#began === undefined || isInterrupted) this.#began = now;
    return now - this.#began >= SETTLED_MS;
  }

  /** Whether a round looks at what is looked at once a minute. */
  isMinute(now: number): boolean {
    return now - this.#minute >= MINUTE_MS || now < this.#minute;
  }

  /** Whether there is anything to judge, as far as runs tell: one that was not judged, or what could not be read. */
  isDue(runs: readonly RecentRun[], now: number): boolean {
    if (this.isMinute(now) || this.silent.size + this.unread.size > 0) return true;
    return runs.some(({ connection_id, probe, at }) => this.#judged.get(keyOf(connection_id, probe)) !== at);
  }

  /** What to note for whoever takes over; once a minute. */
  progressAt(now: number): Progress | undefined {
    if (!this.#inForce || this.#minute !== now) return undefined;
    const again = Object.fromEntries([...this.#again].map(([name, ids]) => [name, [...ids]]));
    return { judged_until: now, settings: hashOf(this.#inForce), again };
  }

  judgeAgain(name: string, connection_id: number): void {
    add(this.#next.again, name, connection_id);
  }

  /** Connections for which a rule is set to something else now; undefined: nobody knows what it was. */
  #changed({ inForce }: RoundInput, ids: readonly number[], name: string): readonly number[] | undefined {
    const before = this.#inForce;
    if (!before) return this.#progress?.settings === hashOf(inForce) ? [] : undefined;
    if (before.mark === inForce.mark) return [];
    return ids.filter((id) => inForce.differs(before, id, name));
  }

  /** Which rules have something to judge, and on which connections. */
  dueRules(input: RoundInput): DueRule[] {
    const { runs, watched, waiting, inForce, now } = input;
    const ids = watched.map(({ connection_id }) => connection_id).filter((id) => !waiting.has(id));
    const among = new Set(ids);
    const isMinute = this.isMinute(now);
    const judged = new Map(runs.map(({ connection_id, probe, at }) => [keyOf(connection_id, probe), at]));
    // What was held back is asked again once a minute.
    const again: Ids = isMinute ? new Map() : this.#again;
    this.#next = { judged, again, inForce, minute: isMinute ? now : this.#minute };
    // What came meanwhile is judged when their node is back.
    for (const name of knownRules.keys()) for (const id of this.silent) this.judgeAgain(name, id);
    const news = newsIn(runs, among, this.#judged);
    const work = [...knownRules.values()].flatMap((rule) => {
      const { name } = rule.rule;
      const isTimed = rule.metric.value.kind === 'staleness';
      const own = new Set(this.#changed(input, ids, name) ?? ids);
      const fresh = isTimed ? (isMinute ? ids : []) : (news.get(runKeyOf(rule)) ?? []);
      for (const id of fresh) own.add(id);
      if (isMinute) for (const id of this.#again.get(name) ?? []) if (among.has(id)) own.add(id);
      const connection_ids = [...own].filter((id) => inForce.of(id, name).is_enabled);
      return connection_ids.length === 0 ? [] : [{ rule, connection_ids }];
    });
    // What nobody asks for any more is not waited for.
    const asked = new Set(work.map(({ rule: { rule } }) => rule.name));
    if (isMinute) for (const name of this.unread) if (!asked.has(name)) this.unread.delete(name);
    return work;
  }

  dueAnomalies({ runs, watched, waiting }: Omit<RoundInput, 'inForce' | 'now'>): DueAnomalies[] {
    const among = new Set(watched.map(({ connection_id }) => connection_id)).difference(waiting);
    return [...Map.groupBy(anomalyMetrics, ({ probe }) => probe)].flatMap(([probe, own]) => {
      const news = runs.filter(
        (run) =>
          run.probe === probe.name &&
          among.has(run.connection_id) &&
          this.#scored.get(keyOf(run.connection_id, probe.name)) !== run.at,
      );
      if (news.length > 0) return [{ probe, own, news }];
      for (const { metric } of own) this.unread.delete(metric.wireName);
      return [];
    });
  }

  /** What was read of these runs was judged; what could not be read comes again. */
  judgedAnomalies({ probe, news }: DueAnomalies): void {
    for (const { connection_id, at } of news) this.#scored.set(keyOf(connection_id, probe.name), at);
  }

  /** The round was written: what it judged is not judged again. */
  commit(): void {
    // A run that is not in the window now is older than what was judged, and comes back with another time.
    this.#judged = this.#next.judged;
    this.#again = this.#next.again;
    this.#inForce = this.#next.inForce;
    this.#minute = this.#next.minute;
  }
}
