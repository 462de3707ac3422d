// Which objects there were in an hour, and which went: of a packed hour in which nothing went only complete readings are taken apart, since
// all others mention what changed. Pure.
import { ownersIn, type PackedColumns, unpackMembers, unpackTicks } from './hour.ts';
import type { TickRow } from './rows.ts';

export function unpackWholes(packed: PackedColumns): TickRow[] {
  const { ticks, places } = unpackMembers(packed, () => false);
  if (ticks.some(({ gone }) => gone !== null && gone.length > 0)) return unpackTicks([], packed);
  for (const { id, from, to } of ownersIn(packed, undefined))
    for (let index = from; index < to; index += 1) {
      const tick = ticks[places[index] ?? 0];
      if (tick?.whole) tick.ids.push(id);
    }
  return ticks.filter(({ whole }) => whole).map((tick) => ({ ...tick, columns: [] }));
}
