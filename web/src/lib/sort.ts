// Sorting of tables: the order stands in the address as "size" or "-size"; what is not known comes last both ways.

export interface Sort {
  key: string;
  descending: boolean;
}
export type SortValue = number | string | null;

/** Reads "key" or "-key"; anything but a known key counts as the default. */
export function parseSort(text: string, keys: readonly string[], fallback: Sort): Sort {
  const descending = text.startsWith('-');
  const key = descending ? text.slice(1) : text;
  return keys.includes(key) ? { key, descending } : fallback;
}

export function sortText(sort: Sort): string {
  return sort.descending ? `-${sort.key}` : sort.key;
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compareValues(a: SortValue, b: SortValue, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : words.compare(String(a), String(b));
  return descending ? -order : order;
}

export interface SortPlan<Row> {
  value: (row: Row) => SortValue;
  descending: boolean;
  /** Decides between equals, always ascending, so that the order never jumps while values stay the same. */
  ties: readonly ((row: Row) => SortValue)[];
}

export function sortRows<Row>(rows: readonly Row[], plan: SortPlan<Row>): Row[] {
  return [...rows].sort((a, b) => {
    const first = compareValues(plan.value(a), plan.value(b), plan.descending);
    if (first !== 0) return first;
    for (const value of plan.ties) {
      const next = compareValues(value(a), value(b), false);
      if (next !== 0) return next;
    }
    return 0;
  });
}
