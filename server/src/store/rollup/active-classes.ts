// Active sessions rolled up by class of wait, with the largest statements, roles, clients and so on of each span: their
// combinations are too many, and too short-lived, to be rolled up one by one. Guards: the same ticks always give the same
// spans, and what a reader would count of them.
import type { Db } from '../../kernel/db.ts';
import type { TickRow } from '../format/rows.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import { gapMs } from '../layout/intervals.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { knowsMembers, rollupName, type Tier, tiersOf } from '../layout/tiers.ts';
import { memberTexts, type Names, namesOf } from './active-members.ts';
import { type ClassSpan, type NameRow, putClassSpans, sessionNames } from './active-sessions.queries.ts';
import {
  type ClassGrid,
  type ClassTick,
  foldTicks,
  type SessionsBucket,
  weighSpans,
} from './active-sessions-fold.ts';
import { deleteRollups } from './roll.queries.ts';

/** How long a sample stands for, at an interval of a probe that gets slower while nothing goes on. */
export const holesOf = (intervalSeconds: number, slowestSeconds: number) => {
  const busy_ms = gapMs(intervalSeconds);
  return { busy_ms, idle_ms: Math.max(busy_ms, gapMs(slowestSeconds)) };
};

export interface RollClasses {
  slice: Slice;
  /** From the keyframe before the slice to a hole after it. */
  ticks: readonly TickRow[];
}

/** As many fine spans as a coarse one has, as one. */
function summed(weights: readonly Map<number, number>[], together: number): Map<number, number>[] {
  return Array.from({ length: Math.ceil(weights.length / together) }, (_none, n) => {
    const sum = new Map<number, number>();
    for (const own of weights.slice(n * together, (n + 1) * together))
      for (const [id, ms] of own) sum.set(id, (sum.get(id) ?? 0) + ms);
    return sum;
  });
}

const gridOf = ({ from, to }: Slice, { seconds }: Tier): ClassGrid => ({
  from,
  to,
  buckets: Math.round((to - from) / seconds / 1000),
});

const spanOf = (bucket: SessionsBucket, at: number, members: ClassSpan['members']): ClassSpan => ({
  at,
  runs: bucket.runs,
  covered_seconds: bucket.covered_ms / 1000,
  wait_classes: [...bucket.classes.keys()],
  session_seconds: [...bucket.classes.values()].map((ms) => Math.round(ms) / 1000),
  members,
});

async function readNames(db: Db, connectionId: number, ticks: readonly ClassTick[]): Promise<Names> {
  const ids = new Set<number>();
  for (const tick of ticks) for (const id of tick.ids) ids.add(id);
  return namesOf(await db.one<NameRow>(sessionNames(connectionId, [...ids])));
}

export async function rollClasses(db: Db, layout: TableLayout, of: RollClasses): Promise<void> {
  const { slice } = of;
  const position = layout.values.findIndex(({ name }) => name === 'sessions');
  const ticks = of.ticks.map(({ at, columns, gone, ...tick }) => ({
    ...tick,
    at: at / 1000,
    gone: gone ?? [],
    sessions: (columns[position] ?? []).map((cell) => (cell === null ? null : Number(cell))),
  }));
  const names = await readNames(db, slice.connection_id, ticks);
  const classes = new Map([...names].map(([id, own]) => [id, own.names.get('wait_class') ?? 'CPU']));
  const holes = holesOf(layout.busyIntervalSeconds, layout.intervalSeconds);
  const tiers = tiersOf(layout);
  const finest = tiers.find(knowsMembers);
  const weights =
    finest && weighSpans(ticks, gridOf(slice, finest), { holes, counts: (id) => names.has(id) });
  for (const tier of tiers) {
    const knows = finest && weights && knowsMembers(tier);
    const members = knows ? summed(weights, tier.seconds / finest.seconds) : [];
    const spans = foldTicks(ticks, classes, { grid: gridOf(slice, tier), holes }).flatMap((bucket, n) => {
      const own = members[n];
      const at = slice.from + n * tier.seconds * 1000;
      return bucket.covered_ms === 0 ? [] : [spanOf(bucket, at, own && memberTexts(own, names))];
    });
    const name = rollupName(layout, tier);
    await db.run(deleteRollups(name, slice));
    const put = { spans, knowsMembers: knowsMembers(tier) };
    if (spans.length > 0) await db.run(putClassSpans(name, slice.connection_id, put));
  }
}
