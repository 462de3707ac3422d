// What all rollups say of a time, from rows and packed days alike, in one form that can be compared.
import type { Db } from '../../kernel/db.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { type DayRow, packDay, unpackDay } from '../format/days.ts';
import type { Slice } from '../format/stored-rows.queries.ts';
import { dayOf } from '../layout/engine/types.ts';
import type { TableLayout } from '../layout/table-layout.ts';
import { packedTiersOf } from '../layout/tiers.ts';
import { rowsOfDay } from './pack-days.ts';

/** Without the entities of which nothing is said. */
function textOf({ runs, covered_seconds, object_ids, arrays }: DayRow): string {
  const said = Object.entries(arrays).map(([name, elements]) => [
    name,
    (elements ?? []).flatMap((element, position) =>
      element === null ? [] : [[object_ids[position], String(element)]],
    ),
  ]);
  return JSON.stringify([runs, covered_seconds, said]);
}

/** By tier, then by the begin of each span: a text that is the same when the span says the same. */
export async function rollupDays(
  db: Db,
  layout: TableLayout,
  slice: Slice,
): Promise<Map<string, Map<number, string>>> {
  const day = dayOf(slice.from);
  const found = new Map<string, Map<number, string>>();
  for (const tier of packedTiersOf(layout)) {
    const whole = { ...slice, from: day, to: day + DAY_MS };
    const { rows } = await rowsOfDay(db, { layout, tier, slice: whole });
    const within = new Map(
      rows.flatMap((row) => (row.at >= slice.from && row.at < slice.to ? [[row.at, row] as const] : [])),
    );
    const spans = [...within.values()].flatMap((row) => unpackDay(layout, packDay(layout, [row])));
    found.set(tier.name, new Map(spans.map((row) => [row.at, textOf(row)])));
  }
  return found;
}
