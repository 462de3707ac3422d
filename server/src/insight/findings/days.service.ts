// What objects of servers did in the last day, beside the day before, as checks read it from the store. Guards: both windows end with a
// whole hour, so that rollups answer them and each is read once; each probe is read once for all servers.

import type { Db } from '../../kernel/db.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { metricOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';
import type { DayRow } from '../checks/facts.ts';
import type { Check } from '../checks/types.ts';
import { type GrownObject, grownObjects } from './grown-objects.ts';
import type { Due } from './stored.queries.ts';

/** Whether days that ended with a whole hour are others than when the server was judged last. */
const areDaysNew = ({ evaluated_at }: Due, now: number): boolean =>
  evaluated_at === null ||
  evaluated_at === undefined ||
  Math.floor(evaluated_at / HOUR_MS) < Math.floor(now / HOUR_MS);

/** By probe. */
export type Days = Map<string, readonly DayRow[]>;

interface DailyRead {
  probe: Probe;
  metrics: Set<string>;
  by: Set<string>;
}

/** What these checks want, by probe; checks of one probe name the same columns. */
function wantedBy(checks: readonly Check[]): DailyRead[] {
  const wanted = new Map<string, DailyRead>();
  for (const { days = {} } of checks)
    for (const [name, read] of Object.entries(days)) {
      const probe = probes.find((one) => one.name === name);
      if (!probe || !read) continue;
      const { metrics, by } = wanted.get(name) ?? { metrics: [], by: [] };
      wanted.set(name, {
        probe,
        metrics: new Set([...metrics, ...read.metrics]),
        by: new Set([...by, ...read.by]),
      });
    }
  return [...wanted.values()];
}

/** What a metric of a day is made of: sums of increases, which add up over the objects of a group. */
function counterOf(probe: Probe, name: string): string {
  const metric = metricOf(probe, name);
  if (metric?.value.kind !== 'increase') throw new Error(`${probe.name}.${name} is no increase`);
  return metric.value.column;
}

interface Row {
  group: DayRow['group'];
  last: Record<string, number>;
  before: Record<string, number>;
}

const GROWN = ['last', 'before'] as const;

/** Adds up what the objects of a group grew. */
function rowsOf(objects: readonly GrownObject[], { metrics, by }: DailyRead): Map<number, DayRow[]> {
  const rows = new Map<number, Map<string, Row>>();
  for (const { connection_id, database_name, object, grown } of objects) {
    const group = Object.fromEntries(
      [...by].map((name) => [name, name === 'database_name' ? database_name : (object[name] ?? null)]),
    );
    const own = rows.get(connection_id) ?? new Map<string, Row>();
    rows.set(connection_id, own);
    const key = JSON.stringify(group);
    const row = own.get(key) ?? { group, last: {}, before: {} };
    own.set(key, row);
    for (const [window, name] of GROWN.entries())
      for (const [place, metric] of [...metrics].entries()) {
        const value = grown[window]?.[place] ?? null;
        if (value !== null) row[name][metric] = (row[name][metric] ?? 0) + value;
      }
  }
  return new Map([...rows].map(([id, own]) => [id, [...own.values()]]));
}

/** Of those whose days are others than when they were judged last; none of the others. Three statements a probe at most. */
export async function readDays(
  db: Db,
  { servers, checks, now }: { servers: readonly Due[]; checks: readonly Check[]; now: number },
): Promise<Map<number, Days>> {
  const due = servers.filter((server) => areDaysNew(server, now));
  const connection_ids = due.map(({ connection_id }) => connection_id);
  const all = new Map<number, Days>(connection_ids.map((id) => [id, new Map()]));
  if (connection_ids.length === 0) return all;
  const to = Math.floor(now / HOUR_MS) * HOUR_MS;
  for (const wanted of wantedBy(checks)) {
    const objects = await grownObjects(db, {
      probe: wanted.probe,
      columns: [...wanted.metrics].map((name) => counterOf(wanted.probe, name)),
      connection_ids,
      windows: [
        { from: to - DAY_MS, to, buckets: 1 },
        { from: to - 2 * DAY_MS, to: to - DAY_MS, buckets: 1 },
      ],
    });
    for (const [id, rows] of rowsOf(objects, wanted)) all.get(id)?.set(wanted.probe.name, rows);
  }
  return all;
}
