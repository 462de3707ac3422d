import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SERVER, TABLES } from '../../testing/store/kept-probes.ts';
import { layoutOf } from '../layout/table-layout.ts';
import type { Cell } from './codec.ts';
import { packSamples, packTicks, unpackSamples, unpackTicks } from './hour.ts';
import {
  cellOf,
  cellsIn,
  elementsOf,
  momentOf,
  momentText,
  numbersIn,
  type SampleRow,
  type TickRow,
  textOf,
} from './rows.ts';

const server = layoutOf(SERVER);
const tables = layoutOf(TABLES);
if (!server || !tables) throw new Error('these probes are stored');

const at = fc.integer({ min: 0, max: 3_600_000_000 }).map((micros) => 1_767_225_600_000_000 + micros);
const whole = fc.oneof(fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), fc.constant(null));
const cellsOf: Record<string, fc.Arbitrary<Cell>> = {
  integer: fc.option(fc.integer()),
  bigint: whole,
  // A negative zero is a zero.
  'double precision': fc.option(fc.double({ noNaN: true }).map((value) => value + 0)),
  'timestamp with time zone': fc.option(at),
  text: fc.option(fc.constantFrom('a', 'b', '', 'ü"\\')),
};
const cell = (type: string) => cellsOf[type] ?? fc.constant(null);

const sample: fc.Arbitrary<SampleRow> = fc.record({
  at,
  row_no: fc.integer({ min: 0, max: 100 }),
  server_instance: fc.option(fc.integer({ min: -32768, max: 32767 })),
  cells: fc.tuple(...server.values.map(({ type }) => cell(type))),
});
const check = <T>(arbitrary: fc.Arbitrary<T>, judge: (value: T) => void) =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      judge(value);
    }),
  );
const id = (row: SampleRow) => `${row.at} ${row.row_no}`;
const byId = (a: SampleRow, b: SampleRow) => (id(a) < id(b) ? -1 : 1);

it('samples come back', () => {
  check(fc.uniqueArray(sample, { selector: id, maxLength: 40 }), (rows) => {
    const back = unpackSamples(server.values, packSamples(server, rows));
    expect(back.sort(byId)).toEqual([...rows].sort(byId));
  });
});

const tick = fc
  .uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 12 })
  .map((ids) => ids.sort((a, b) => a - b))
  .chain((ids) => {
    const columns = tables.values.map(({ type }) =>
      fc.oneof(
        fc.constant(null),
        fc.constant([]),
        fc.tuple(...ids.map(() => cell(type))).map((cells): Cell[] => cells),
      ),
    );
    return fc.record({
      at,
      keyframe: fc.boolean(),
      whole: fc.boolean(),
      since: fc.option(at),
      ids: fc.constant(ids),
      gone: fc.option(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 })),
      columns: fc.tuple(...columns),
    });
  });

it('ticks come back, whole or one object and column of them', () => {
  const rows = fc.uniqueArray(tick, { selector: (one) => `${one.at} ${one.keyframe}`, maxLength: 20 });
  check(rows, (some: TickRow[]) => {
    const sorted = [...some].sort((a, b) => a.at - b.at || Number(a.keyframe) - Number(b.keyframe));
    const packed = packTicks(tables, some);
    expect(unpackTicks(tables.values, packed)).toEqual(sorted);
    const [first] = tables.values;
    const one = unpackTicks([first ?? null], packed, (object) => object === 7);
    expect(one.map(({ ids, columns }) => [ids, columns])).toEqual(
      sorted.map(({ ids, columns }) => {
        const position = ids.indexOf(7);
        const cells = columns[0];
        if (!cells) return [position < 0 ? [] : [7], [null]];
        if (cells.length === 0) return [position < 0 ? [] : [7], [[]]];
        return [position < 0 ? [] : [7], [position < 0 ? null : [cells[position]]]];
      }),
    );
  });
});

it('moments with an infinite one among them come back as text', () => {
  const position = server.values.findIndex(({ type }) => type === 'timestamp with time zone');
  const row = (n: number, cell: Cell): SampleRow => ({
    at: 60_000_000 * n,
    row_no: 0,
    server_instance: null,
    cells: server.values.map((_column, index) => (index === position ? cell : null)),
  });
  const back = unpackSamples(server.values, packSamples(server, [row(0, 1_500_000), row(1, 'infinity')]));
  expect(back.map(({ cells }) => cells[position])).toEqual(['1970-01-01T00:00:01.500000Z', 'infinity']);
});

it("values come from PostgreSQL's text and go back", () => {
  const moment = momentOf('2026-01-02 03:04:05.5+00');
  expect(moment).toBe(Date.parse('2026-01-02T03:04:05.5Z') * 1000);
  expect(momentText(moment ?? 0)).toBe('2026-01-02T03:04:05.500000Z');
  expect(elementsOf('{"a,b",NULL,"NULL","c\\"\\\\",d}')).toEqual(['a,b', null, 'NULL', 'c"\\', 'd']);
  expect(elementsOf('{"x\\"",NULL," "}')).toEqual(['x"', null, ' ']);
  expect(cellOf('bigint', '9007199254740993')).toBe(9007199254740993n);
  const numbers = '{0,-17,NULL,123456789012345,1234567890123456,-9007199254740993,9007199254740993}';
  const whole = [0, -17, null, 123456789012345, 1234567890123456, -9007199254740993n, 9007199254740993n];
  expect(cellsIn('bigint', numbers)).toEqual(whole);
  expect(cellsIn('integer', '{}')).toEqual([]);
  expect(cellsIn('double precision', '{1.5,NULL,-1e-7}')).toEqual([1.5, null, -1e-7]);
  expect(
    cellsIn(
      'timestamp with time zone',
      '{"2026-01-02 03:04:05.678901+00",NULL,infinity,"0044-03-15 00:00:00+00 BC"}',
    ),
  ).toEqual([1_767_323_045_678_901, null, 'infinity', '0044-03-15 00:00:00+00 BC']);
  expect(cellsIn('timestamp with time zone', '{}')).toEqual([]);
});

it('reads arrays of doubles where they stand as PostgreSQL writes them', () => {
  const number = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.maxSafeInteger(),
    fc.constantFrom(-0, 1e15, 123456789012345),
  );
  fc.assert(
    fc.property(fc.array(fc.option(number)), (cells) => {
      const text = `{${cells.map((one) => textOf('double precision', one) ?? 'NULL').join(',')}}`;
      expect(numbersIn(text)).toEqual(cells);
      expect(cellsIn('double precision', text)).toEqual(cells);
    }),
  );
});
