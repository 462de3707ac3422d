// What both checks of bloat share: what is larger than its rows need, by the estimate of the probe. Pure.
import type { Facts, Item } from './facts.ts';
import type { Gone, Judgement, Unknown } from './types.ts';

export interface Bloated {
  item: Item;
  actual: number;
  needed: number;
}

/** An estimate errs, and pages are never quite full: less than that proves nothing. */
const LEAST_FACTOR = 2;
const LEAST_WASTED = 16 * 1024 ** 2;

/** A good part of a database that is no toy, or much whatever the database. */
const NOTABLE_FACTOR = 3;
const NOTABLE_WASTED = 64 * 1024 ** 2;
const NOTABLE_SHARE = 0.25;

/** Worth a window for its remedy; otherwise it is worth knowing. */
export function isNotable(facts: Facts, { item, actual, needed }: Bloated, much: number): boolean {
  if (actual < NOTABLE_FACTOR * needed) return false;
  const wasted = actual - needed;
  const whole = facts
    .rows('pg_database')
    .find((one) => one.text('datname') === item.database_name)
    ?.number('database_size_bytes');
  return (
    wasted >= much ||
    (typeof whole === 'number' && wasted >= NOTABLE_WASTED && wasted >= NOTABLE_SHARE * whole)
  );
}

const ofKind = (facts: Facts, kind: 'table' | 'index') =>
  facts.rows('pg_bloat_estimate').filter((item) => item.text('kind') === kind);

export function bloatedOf(facts: Facts, kind: 'table' | 'index'): Bloated[] {
  return ofKind(facts, kind).flatMap((item) => {
    const [actual, needed] = [item.number('actual_bytes'), item.number('needed_bytes')];
    if (actual === null || needed === null) return [];
    const isBloated = actual >= LEAST_FACTOR * needed && actual - needed >= LEAST_WASTED;
    return isBloated ? [{ item, actual, needed }] : [];
  });
}

/** Where widths of columns are hidden from our role, by database. */
function hiddenOf(facts: Facts, kind: 'table' | 'index'): Unknown[] {
  const hidden = ofKind(facts, kind).filter((item) => item.number('needed_bytes') === null);
  return [...Map.groupBy(hidden, ({ database_name }) => database_name)].map(([database_name, items]) => ({
    database_name,
    because: `Column widths of ${items.length} large ${kind === 'table' ? 'tables' : 'indexes'} are hidden. The monitoring role lacks permission to read these tables.`,
    mend: null,
  }));
}

export const judgement = (facts: Facts, kind: 'table' | 'index', found: Judgement['found']): Judgement => ({
  found,
  unknown: hiddenOf(facts, kind),
});

/** Its size as it is now; one that is too small to be listed is unknown. */
export const sizeOf = (facts: Facts, { database_name, object_key }: Gone): number | null =>
  facts
    .rows('pg_bloat_estimate')
    .find((item) => item.database_name === database_name && item.text('relid') === object_key)
    ?.number('actual_bytes') ?? null;
