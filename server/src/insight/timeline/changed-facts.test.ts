// Changes of facts between two times, against plain loops over the sets of items that were written.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { items, run, type Storing, storing, T0 } from '../../testing/store/storing.ts';
import { factEventsBetween } from './changed-facts.ts';

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

/** Seconds after T0, and the value of each item then. */
const SETS: readonly [at: number, items: Readonly<Record<string, number>>][] = [
  [0, { a: 1, b: 1 }],
  [10, { a: 1, b: 2 }],
  [20, { a: 1 }],
  [30, { a: 3, c: 1 }],
  [40, { a: 3, b: 1, c: 1 }],
];

const KINDS = [{ kind: 'k', probe: 'p', compared: ['name', 'value'], told: [], is_step: false }];

/** Item by item, the newest first. */
async function changesOf(db: Db, of: { connection_ids: number[]; from: number; to: number; limit: number }) {
  const { events } = await factEventsBetween(db, { ...of, kinds: KINDS, most: 100 });
  return events.flatMap(({ connection_id, at, changes }) =>
    changes.map(({ before, after }) => ({ connection_id, at, before, after })),
  );
}

it('changes are those in between, in one statement', async () => {
  const id = await store.leased();
  for (const [at, values] of SETS) {
    const rows = Object.entries(values).map(([name, value]) => ({ name, value }));
    await store.write(run(id, at * 1000, items(at * 1000, rows)));
  }
  const figure = (row: Readonly<Record<string, unknown>> | null) => row?.value ?? null;
  for (const [from, to] of [
    [-1, 99],
    [0, 10],
    [5, 25],
    [10, 20],
    [20, 30],
    [25, 40],
  ] as const) {
    const steps = SETS.slice(1).flatMap(([at, after], index) => {
      const before = SETS[index]?.[1] ?? {};
      if (at < from || at > to) return [];
      return [...new Set([...Object.keys(before), ...Object.keys(after)])]
        .filter((name) => before[name] !== after[name])
        .map((name) => [at, name, before[name] ?? null, after[name] ?? null] as const);
    });
    const db = countedDb(store.db);
    const query = { connection_ids: [id], from: T0 + from * 1000, to: T0 + to * 1000, limit: 100 };
    const found = await changesOf(db, query);
    expect(db.sent).toHaveLength(1);
    const said = found.map(({ at, before, after }) => [
      (Date.parse(at) - T0) / 1000,
      before?.name ?? after?.name,
      figure(before),
      figure(after),
    ]);
    const sorted = (all: readonly (readonly unknown[])[]) => all.map((one) => JSON.stringify(one)).sort();
    expect(sorted(said)).toEqual(sorted(steps));
    const newest = found.filter(({ at }) => at === found[0]?.at);
    expect(await changesOf(store.db, { ...query, limit: 1 })).toEqual(newest);
  }
});

it('what comes after a first look that found nothing is a change, and what a first look found is none', async () => {
  const [empty, full] = [await store.leased(), await store.leased()];
  const at = (seconds: number, names: readonly string[]) =>
    items(
      seconds * 1000,
      names.map((name) => ({ name, value: 1 })),
    );
  await store.write(run(empty, 0, at(0, [])), run(full, 0, at(0, ['a'])));
  await store.write(run(empty, 5000, at(5, ['a'])), run(full, 5000, at(5, [])));
  await store.write(run(empty, 9000, at(9, [])), run(full, 9000, at(9, ['a'])));
  const query = { connection_ids: [empty, full], from: T0, to: T0 + 9000, limit: 100 };
  const found = await changesOf(store.db, query);
  const said = found.map(({ connection_id, at: time, before, after }) => [
    connection_id,
    (Date.parse(time) - T0) / 1000,
    before?.name ?? null,
    after?.name ?? null,
  ]);
  expect(said).toEqual([
    [empty, 9, 'a', null],
    [full, 9, null, 'a'],
    [empty, 5, null, 'a'],
    [full, 5, 'a', null],
  ]);
});
