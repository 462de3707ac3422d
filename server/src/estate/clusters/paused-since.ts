// Since when replay of standbys has been paused, as far as samples of the last day tell. Guards: read only while one is paused;
// only an unbroken row of samples counts, so that of a time that was not read nothing is said.
import type { Db } from '../../kernel/db.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { probe as senders } from '../../probes/pg-stat-replication.ts';
import { gapMs } from '../../store/layout/intervals.ts';
import { layoutOf, type PlanRow, readPlans, readStored, wasRead } from '../../store/read/doors/readings.ts';
import type { Scene } from './cluster-links.ts';

const COLUMNS = ['role', 'replay_pause_state'];
const PAUSED = new Set<unknown>(['paused', 'pause requested']);

interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  isPaused: boolean;
}

/** The first of those at the end that are paused and lie no further apart than `gap`. */
function firstPaused(samples: readonly Sample[], gap: number): number | undefined {
  let first: number | undefined;
  for (const { at, isPaused } of samples.toReversed()) {
    if (!isPaused || (first !== undefined && first - at > gap)) break;
    first = at;
  }
  return first;
}

/** By standby. No statement where none is paused, else two. */
export async function pausedSince(
  db: Db,
  { senders: rows, members, now }: Scene,
): Promise<ReadonlyMap<number, string>> {
  const paused = rows.filter((row) => row.role === 'standby' && PAUSED.has(row.replay_pause_state));
  const layout = layoutOf(senders);
  if (paused.length === 0 || !layout) return new Map();
  const connection_ids = paused.map(({ connection_id }) => connection_id);
  const plan = await db.rows<PlanRow>(
    readPlans([{ probe: layout.probe, table: layout.table.name, connection_ids }]),
  );
  if (!plan.some(({ part }) => part === 'table')) return new Map();
  const stored = await readStored(db, {
    layout,
    columns: senders.columns.filter(({ name }) => COLUMNS.includes(name)),
    database_name: undefined,
    ranges: [{ connection_ids, from: now - DAY_MS, to: now + 1 }],
    rolled: undefined,
    isRaw: !plan.some(({ part, name }) => part === 'tier' && name === 'packed'),
  });
  return new Map(
    stored.flatMap(({ connection_id, samples }) => {
      const interval = members.find(({ id }) => id === connection_id)?.sent?.interval_seconds;
      const own = samples
        .filter((row) => wasRead(row) && row.cells[0] === 'standby')
        .map(({ at, cells: [, state] }) => ({ at: at / 1000, isPaused: PAUSED.has(state) }));
      const first = firstPaused(own, gapMs(interval ?? senders.intervalSeconds));
      return first === undefined ? [] : [[connection_id, new Date(first).toISOString()] as const];
    }),
  );
}
