// From which tier a question is answered, and until when; which times of samples, rollups and packed days that takes. Pure. Guards: a tier is taken only where it says
// the same as the samples; what is newer than the rollups, or of a probe that runs too rarely for them, is read from the
// samples.
import { greatest, least } from '../../kernel/lists.ts';
import { LAST_MS } from '../../kernel/times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { combineOf } from '../../probes/metrics.ts';
import { gapMs, Intervals, intervalOfHour } from '../layout/intervals.ts';
import { hasLastingKeys, hotOf, isByClass, readTiersOf, TIERS, type Tier } from '../layout/tiers.ts';
import type { Window } from './measure.ts';
import type { PlanRow } from './plan.queries.ts';
import {
  addsUp,
  changesOf,
  dimensionsOf,
  type Entity,
  entitiesOf,
  factsOf,
  type Groups,
  type Question,
} from './question.ts';
import { keyOfDatabase, type Range } from './stored-read.ts';

/** The newest rollups end as long before now, or longer. */
const BEHIND_MS = 4 * HOUR_MS;

/** Buckets that begin and end with spans need one span each, others some. */
export function isFineEnough({ seconds }: Tier, { from, to, buckets }: Window): boolean {
  const width = (to - from) / buckets;
  const span = seconds * 1000;
  return (width % span === 0 && from % span === 0) || width >= 4 * span;
}

export type Mode = 'together' | 'entities';

export class Plan {
  readonly question: Question;
  readonly entities: readonly Entity[] | undefined;
  readonly #filled: ReadonlyMap<string, number | null>;
  /** Those that are read. */
  readonly #tiers: readonly Tier[];
  readonly #keptDays: ReadonlyMap<string, number | null>;
  /** Of connections that keep samples for a shorter time than others, in days. */
  readonly #shorter: ReadonlyMap<number, number>;
  readonly #intervals: Intervals;
  readonly #changing: ReadonlySet<number>;
  /** When it was added, by connection: those of the last month. */
  readonly #added: ReadonlyMap<number | null, number | null>;
  readonly #known = new Map<string, number>();

  constructor(question: Question, rows: readonly PlanRow[], named: boolean) {
    const facts = factsOf(rows);
    const changes = changesOf(facts, question.layout.probe);
    this.question = question;
    this.#tiers = readTiersOf(question.layout);
    this.entities = named ? entitiesOf(rows) : undefined;
    const tiers = facts.flatMap(({ part, name, ...row }) =>
      part === 'tier' && name ? [{ name, ...row }] : [],
    );
    this.#filled = new Map(tiers.map(({ name, at }) => [name, at]));
    this.#keptDays = new Map(tiers.map(({ name, kept_days }) => [name, kept_days]));
    const own = new Set(question.connection_ids);
    this.#shorter = new Map(
      facts.flatMap(({ part, connection_id: id, kept_days }) =>
        part === 'kept' && id !== null && kept_days !== null && own.has(id) ? [[id, kept_days]] : [],
      ),
    );
    this.#added = new Map(
      facts.flatMap((row) => (row.part === 'added' ? [[row.connection_id, row.at]] : [])),
    );
    this.#intervals = new Intervals(changes);
    this.#changing = new Set(changes.map(({ connection_id }) => connection_id));
  }

  get isPacked(): boolean {
    return this.#filled.has('packed');
  }

  isRolledInDays(tier: Tier): boolean {
    return this.#filled.has(`${tier.name}p`);
  }

  /** Null: it is not read. */
  filled(tier: Tier): number | null {
    return this.#tiers.includes(tier) ? (this.#filled.get(tier.name) ?? null) : null;
  }

  /**
   * Until when compaction came, as retention goes on from there: some tiers are made a day later than the others, and one that is no
   * longer made stays where it was.
   */
  #newest(): number {
    return greatest([...this.#filled.values()].flatMap((at) => at ?? []));
  }

  /** Whether rollups of then are certainly there still, of all connections. */
  keeps(tier: Tier, from: number): boolean {
    const filled = this.filled(tier);
    const longest = this.#keptDays.get(tier.name) ?? tier.retentionDays;
    // Rollups are kept as long as samples, and no less than declared.
    const declared = Math.max(tier.retentionDays, this.question.layout.retentionDays);
    const shorter = [...this.#shorter.values()].map((days) => Math.max(days, declared));
    return filled !== null && from >= this.#newest() + BEHIND_MS - least(shorter, longest) * DAY_MS;
  }

  /** Whether samples of then are gone, of a connection. */
  hasLostSamples(from: number, connectionId: number): boolean {
    const longest = this.#keptDays.get('packed') ?? this.question.layout.retentionDays;
    const days = this.#shorter.get(connectionId) ?? longest;
    return from < this.#newest() - days * DAY_MS;
  }

  /** The longest interval of a connection in that time, in seconds. */
  within(connectionId: number, from: number, to: number): number {
    if (!this.#changing.has(connectionId)) return this.question.layout.intervalSeconds;
    return this.#intervals.within(this.question.layout, connectionId, { from, to });
  }

  /** Whether its interval never changed. */
  isSteady(connectionId: number): boolean {
    return !this.#changing.has(connectionId);
  }

  /** When it was added; 0: more than a month ago. */
  added(connectionId: number): number {
    return this.#added.get(connectionId) ?? 0;
  }

  /** In force around that moment, as rollups judge it. */
  at(connectionId: number, micros: number): number {
    if (!this.#changing.has(connectionId)) return this.question.layout.intervalSeconds;
    // A moment on the hour ends the hour before.
    const hour = (Math.ceil(micros / 1000 / HOUR_MS) - 1) * HOUR_MS;
    const key = `${connectionId} ${hour}`;
    const of = { layout: this.question.layout, connection_id: connectionId, hour };
    const known = this.#known.get(key) ?? intervalOfHour(this.#intervals, of);
    this.#known.set(key, known);
    return known;
  }

  /** How rollups can serve; undefined: only the samples can. */
  mode(groups: Groups): Mode | undefined {
    const { layout, column, isCounter, combine, aggregate, group_by, made } = this.question;
    if (isByClass(layout) || made) return undefined;
    const dimensions = dimensionsOf(this.question);
    const isObjects = layout.keeps === 'objects';
    if (group_by === 'each' && dimensions.length === 0)
      return isObjects || hasLastingKeys(layout) ? 'entities' : undefined;
    if (dimensions.length === 0) {
      if (isCounter || combine === combineOf(column)) return 'together';
      const isWorst = combine === aggregate && (combine === 'max' || combine === 'min');
      return isWorst && isObjects ? 'entities' : undefined;
    }
    const keys = new Set(layout.keys.map(({ name }) => name));
    if (!isObjects && !(hasLastingKeys(layout) && dimensions.every((name) => keys.has(name))))
      return undefined;
    const all = () => (this.entities ?? []).map((one) => `${keyOfDatabase(one)} ${groups.ofEntity(one)}`);
    return addsUp(this.question, all) ? 'entities' : undefined;
  }
}

/** What is read from where. */
export interface Choice {
  tier: Tier | undefined;
  mode: Mode | undefined;
  /** Until when rollups tell of a connection in a window; its begin: not at all. */
  until(connectionId: number, window: Window): number;
}

export const onlySamples: Choice = { tier: undefined, mode: undefined, until: (_id, { from }) => from };

interface Serving {
  tier: Tier | undefined;
  /** Whether it serves a connection. */
  serves(connectionId: number): boolean;
}

/**
 * The coarsest that says what the samples would; of connections of which neither it nor the samples are there still, the finest
 * that is.
 */
function tierFor(plan: Plan, windows: readonly Window[]): Serving {
  const isThere = (tier: Tier) => windows.every(({ from }) => plan.keeps(tier, from));
  const same = TIERS.findLast(
    (tier) => isThere(tier) && windows.every((window) => isFineEnough(tier, window)),
  );
  if (same) return { tier: same, serves: () => true };
  const lost = new Set(
    plan.question.connection_ids.filter((id) => windows.some(({ from }) => plan.hasLostSamples(from, id))),
  );
  if (lost.size === 0) return { tier: undefined, serves: () => false };
  const tier = TIERS.find(isThere) ?? TIERS.findLast((one) => plan.filled(one) !== null);
  return { tier, serves: (id) => lost.has(id) };
}

export function choose(plan: Plan, groups: Groups, windows: readonly Window[]): Choice {
  const { layout } = plan.question;
  const mode = plan.mode(groups);
  const { tier, serves } = tierFor(plan, windows);
  const filled = tier && plan.filled(tier);
  if (!mode || !tier || filled === null || filled === undefined) return onlySamples;
  if (windows.every(({ from }) => filled <= from)) return onlySamples;
  return {
    tier,
    mode,
    until(connectionId, { from, to }) {
      if (!serves(connectionId)) return from;
      // Hours of a probe that runs as rarely as this are rolled up late.
      const interval = plan.within(connectionId, from, to);
      const isRare = gapMs(interval) > hotOf(layout).hot_ms && interval !== layout.intervalSeconds;
      return isRare ? from : Math.max(from, Math.min(filled, to));
    },
  };
}

/** Connections with the same times are read together. */
function ranges(
  ids: readonly number[],
  timesOf: (id: number) => { from: number; to: number } | undefined,
): Range[] {
  const found = new Map<string, { connection_ids: number[]; from: number; to: number }>();
  for (const id of ids) {
    const times = timesOf(id);
    if (!times || times.from >= times.to) continue;
    const key = `${times.from} ${times.to}`;
    const own = found.get(key);
    if (own) own.connection_ids.push(id);
    else found.set(key, { connection_ids: [id], ...times });
  }
  return [...found.values()];
}

/** Which times, and of which connections where these are not all. */
export interface Among {
  readonly windows: readonly Window[];
  /** Levels of objects stand from the keyframe before; increases say themselves since when they are. */
  readonly needsState: boolean;
  /** Each sample is told, also those just before the window. */
  readonly isHeard?: boolean;
  readonly connection_ids?: readonly number[] | undefined;
}

/** How far behind the begin something has to be known. An increase that ends before it tells of nothing after. */
function backOf({ layout }: Question, { needsState, isHeard = false }: Among, gap: number): number {
  if (layout.keeps === 'objects' && needsState) return HOUR_MS + 2 * gap;
  return layout.keeps === 'samples' || isHeard ? gap : 0;
}

/** Samples and ticks reach back as far as they tell of the window, objects to the keyframe before. */
export function rawRanges(plan: Plan, choice: Choice, among: Among): Range[] {
  return among.windows.flatMap((window) =>
    ranges(among.connection_ids ?? plan.question.connection_ids, (id) => {
      const begin = choice.until(id, window);
      if (begin >= window.to) return undefined;
      const gap = gapMs(plan.within(id, window.from - HOUR_MS, window.to + HOUR_MS));
      // By the minute, so that windows up to now which are asked together are read together.
      const from = Math.floor((begin - backOf(plan.question, among, gap)) / MINUTE_MS) * MINUTE_MS;
      return { from, to: Math.min(LAST_MS, Math.ceil((window.to + gap + 1) / MINUTE_MS) * MINUTE_MS) };
    }),
  );
}

export function rolledRanges(
  plan: Plan,
  { tier, until }: Choice,
  { windows, connection_ids }: Among,
): Range[] {
  if (!tier) return [];
  const span = tier.seconds * 1000;
  return windows.flatMap((window) =>
    ranges(connection_ids ?? plan.question.connection_ids, (id) => ({
      from: Math.floor(window.from / span) * span,
      to: until(id, window),
    })),
  );
}

/**
 * Whole days of windows that have one bucket each: the only bucket that such a day can lie in. None where windows overlap, since a
 * day that is whole in one of them may be cut by another.
 */
export function summedDays(plan: Plan, { tier, until }: Choice, { windows, connection_ids }: Among): Range[] {
  if (!tier || plan.question.layout.keeps !== 'objects') return [];
  if (windows.some(({ buckets }) => buckets !== 1)) return [];
  const inOrder = windows.toSorted((a, b) => a.from - b.from);
  if (inOrder.some(({ from }, index) => from < (inOrder[index - 1]?.to ?? from))) return [];
  return windows.flatMap((window) =>
    ranges(connection_ids ?? plan.question.connection_ids, (id) => ({
      from: Math.ceil(window.from / DAY_MS) * DAY_MS,
      to: Math.floor(Math.min(until(id, window), window.to) / DAY_MS) * DAY_MS,
    })),
  );
}
