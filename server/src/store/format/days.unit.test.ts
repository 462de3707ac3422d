// A packed day of rollups says what its rows said.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SERVER, TABLES } from '../../testing/store/kept-probes.ts';
import { layoutOf, type TableLayout } from '../layout/table-layout.ts';
import { arraysOf, numbersOf } from '../layout/tiers.ts';
import { type DayRow, type Element, packDay, packedColumns, unpackDay } from './days.ts';

const layouts = [SERVER, TABLES]
  .map(layoutOf)
  .filter((layout): layout is TableLayout => layout !== undefined);

const number = fc.oneof(
  fc.nat(100),
  fc.double({ noDefaultInfinity: true, min: 0, max: 1e12 }).map(Math.fround),
  fc.constantFrom(Number.NaN, 0, 5e9),
);
const element = fc.option(number, { freq: 3 });

function rowOf(layout: TableLayout): fc.Arbitrary<DayRow> {
  const names = numbersOf(layout).flatMap(arraysOf);
  const array = fc.option(fc.array(element, { maxLength: 4 }));
  return fc.record({
    at: fc.nat(95).map((n) => n * 900_000),
    runs: fc.nat(20),
    covered_seconds: fc.double({ min: 0, max: 900, noNaN: true }),
    object_ids: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }).map((ids) => [0, ...ids]),
    arrays: fc.record(Object.fromEntries(names.map((name) => [name, array]))),
  });
}

/** What a reader takes from it, by its rules: of a family what is left out of a counter did not grow. */
function said(layout: TableLayout, { object_ids, arrays }: DayRow, id: number): Element[] {
  const position = object_ids.indexOf(id);
  return numbersOf(layout).flatMap((column) => {
    const isFamilyCounter = column.kind === 'counter' && layout.keeps === 'objects' && id !== 0;
    return arraysOf(column).map((name, part) => {
      const array = arrays[name];
      if (position === -1 || !array) return isFamilyCounter && part === 0 ? 0 : null;
      const isFirst = column.kind === 'counter' && part === 0;
      if (position >= array.length) return isFirst ? 0 : null;
      const value = array[position] ?? null;
      return value === null && isFamilyCounter && isFirst ? 0 : value;
    });
  });
}

it.each(layouts.map((layout) => [layout.keeps, layout] as const))('of %s', (_layout, layout) => {
  fc.assert(
    fc.property(fc.uniqueArray(rowOf(layout), { selector: ({ at }) => at, maxLength: 12 }), (rows) => {
      const unpacked = unpackDay(layout, packDay(layout, rows));
      const sorted = [...rows].sort((a, b) => a.at - b.at);
      expect(unpacked.map(({ at, runs, covered_seconds }) => [at, runs, covered_seconds])).toEqual(
        sorted.map(({ at, runs, covered_seconds }) => [at, runs, covered_seconds]),
      );
      for (const [index, row] of sorted.entries())
        for (let id = 0; id <= 6; id += 1)
          expect(said(layout, unpacked[index] ?? row, id)).toEqual(said(layout, row, id));
    }),
  );
});

it('a row that came later replaces the packed one of its span', () => {
  const [layout] = layouts;
  if (!layout) throw new Error('no layout');
  const row = (reads: number): DayRow => ({
    at: 0,
    runs: 1,
    covered_seconds: 900,
    object_ids: [0],
    arrays: { reads: [reads] },
  });
  const before = unpackDay(layout, packDay(layout, [row(1)]));
  const [after, ...more] = unpackDay(layout, packDay(layout, [...before, row(2)]));
  expect(more).toEqual([]);
  expect(after?.arrays.reads).toEqual([2]);
});

it('packs column by column, so that a large server does not stop whoever packs', () => {
  const [layout] = layouts;
  if (!layout) throw new Error('no layout');
  const read: string[] = [];
  const arrays = new Proxy(
    {},
    {
      get: (_none, name) => {
        read.push(String(name));
        return [1];
      },
    },
  );
  const columns = packedColumns(layout, [
    { at: 0, runs: 1, covered_seconds: 900, object_ids: [0, 1], arrays },
  ]);
  for (const [name] of columns) if (name === 'reads') break;
  expect(read).toEqual(['reads', 'reads__sec']);
});
