import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Value } from '../../layout/types.ts';
import { ColumnBuffer } from './column-buffer.ts';

const readBack = (columns: readonly (readonly Value[])[], isPacked = false) => {
  const count = columns[0]?.length ?? 0;
  const buffer = new ColumnBuffer(columns, count);
  if (isPacked) buffer.pack(0);
  return buffer
    .readers(columns.length)
    .map((reader) => Array.from({ length: count }, (_, row) => reader.at(row)));
};

const moment = fc
  .tuple(
    fc.date({ min: new Date('1960-01-01'), max: new Date('2300-01-01'), noInvalidDate: true }),
    fc.stringMatching(/^(\.\d{1,7})?$/),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}Z`);
const almost = fc.constantFrom(
  '2026-01-02T03:04:05.Z',
  '2026-01-02 03:04:05Z',
  '2026-00-02T03:04:05Z',
  '2026-01-00T03:04:05Z',
  '2026-01-02T24:04:05Z',
  '2026-01-02T03:60:05Z',
  '2026-01-02T03:04:60Z',
  '2026-01-02T03:04:05.12345670Z',
  '2026-02-31T03:04:05.000001Z',
  '1970-01-01T00:00:00Z',
  '2240-12-31T23:59:59.999999Z',
  '2026-01-02T03:04:05+02:00',
  '2026-01-02T03:04:0 .1Z',
);
const big = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String);
const kinds: fc.Arbitrary<Value>[] = [
  fc.nat(255),
  fc.nat(65_535),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  moment,
  almost,
  big,
  fc.oneof(fc.maxSafeInteger(), big),
  fc.string(),
];
const values = kinds.map((value) => fc.array(fc.option(value), { minLength: 5, maxLength: 5 }));

it('what is read is what was put in, whatever lies beside it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...values), { minLength: 1, maxLength: 6 }), (columns) => {
      // Zero has no sign for a counter.
      const unsigned = columns.map((column) => column.map((value) => (value === 0 ? 0 : value)));
      expect(readBack(unsigned)).toEqual(unsigned);
      expect(readBack(unsigned, true)).toEqual(unsigned);
    }),
    { numRuns: 2000 },
  );
});

it('a value is told from every other one', () => {
  fc.assert(
    fc.property(
      fc.oneof(...values),
      fc.oneof(moment, almost, big, fc.integer(), fc.boolean()),
      (column, other) => {
        const [reader] = new ColumnBuffer([column], column.length).readers(1);
        for (const [row, value] of column.entries()) {
          expect(reader?.isSame(row, other)).toBe(value === other);
          expect(reader?.isSame(row, value)).toBe(!Number.isNaN(value));
        }
      },
    ),
    { numRuns: 2000 },
  );
});

it('takes a third of its room where it is packed, as often as it is read meanwhile', () => {
  const columns = Array.from({ length: 20 }, (_column, n) =>
    Array.from({ length: 200 }, (_row, row) => (row % 7 === 0 ? row * n * 1000 : n)),
  );
  const buffer = new ColumnBuffer(columns, 200);
  const open = buffer.bytes;
  const read = () => buffer.readers(20).map((reader) => reader.at(199));
  const before = read();
  for (let n = 0; n < 3; n += 1) {
    buffer.pack();
    expect(buffer.bytes).toBeLessThan(open / 3);
    expect(read()).toEqual(before);
  }
  const small = new ColumnBuffer([[1, 2, 3]], 3);
  small.pack();
  expect(small.bytes).toBe(4);
});
