// Active sessions rolled up by class of wait: their combinations are too many, and too short-lived, to be rolled up one
// by one. Guards: the same ticks always give the same spans, and what a reader would count of them.
import type { Db } from '../../kernel/db.ts';
import { elementsOf, type TickRow } from '../format/rows.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import { gapMs } from '../layout/gap-rule.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { rollupName, tiersOf } from '../layout/tiers.ts';
import { type ClassRow, putClassSpans, waitClasses } from './active-sessions.queries.ts';
import { foldTicks } from './active-sessions-fold.ts';
import { deleteRollups } from './roll.queries.ts';

/** Names of the classes by combination. */
async function classesOf(
  db: Db,
  connectionId: number,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await db.rows<ClassRow>(waitClasses(connectionId, [...new Set(ids)]));
  return new Map(
    rows.flatMap(({ wait_class, ids: own }) =>
      elementsOf(own).map((id) => [Number(id), wait_class] as const),
    ),
  );
}

/** How long a sample stands for, at an interval of a probe that gets slower while nothing goes on. */
export const holesOf = (intervalSeconds: number, slowestSeconds: number) => {
  const busy_ms = gapMs(intervalSeconds);
  return { busy_ms, calm_ms: Math.max(busy_ms, gapMs(slowestSeconds)) };
};

export interface RollClasses {
  slice: Slice;
  /** From the keyframe before the slice to a hole after it. */
  ticks: readonly TickRow[];
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
  const classes = await classesOf(
    db,
    slice.connection_id,
    ticks.flatMap(({ ids }) => ids),
  );
  const holes = holesOf(layout.busyIntervalSeconds, layout.intervalSeconds);
  const { from, to } = slice;
  for (const tier of tiersOf(layout)) {
    const width = tier.seconds * 1000;
    const grid = { from, to, buckets: Math.round((to - from) / width) };
    const spans = foldTicks(ticks, classes, { grid, holes }).flatMap((bucket, n) =>
      bucket.covered_ms === 0
        ? []
        : [
            {
              at: from + n * width,
              runs: bucket.runs,
              covered_seconds: bucket.covered_ms / 1000,
              wait_classes: [...bucket.classes.keys()],
              session_seconds: [...bucket.classes.values()].map((ms) => Math.round(ms) / 1000),
            },
          ],
    );
    const name = rollupName(layout, tier);
    await db.run(deleteRollups(name, slice));
    if (spans.length > 0) await db.run(putClassSpans(name, slice.connection_id, spans));
  }
}
