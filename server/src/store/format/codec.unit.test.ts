import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, type CellType, decodeColumn, encodeColumn } from './codec.ts';
import { decodeNumbers, elementsIn } from './numbers.ts';

const back = (type: CellType, values: readonly Cell[]) => decodeColumn(encodeColumn(type, values));
const holed = <T extends Cell>(values: fc.Arbitrary<T>) => fc.array(fc.option(values, { freq: 3 }));
const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const check = <T>(arbitrary: fc.Arbitrary<T>, judge: (value: T) => void) =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      judge(value);
    }),
  );
const same = (type: CellType) => (values: readonly Cell[]) => {
  const read = back(type, values);
  expect(read.length).toBe(values.length);
  expect(read.findIndex((value, index) => !Object.is(value, values[index]))).toBe(-1);
};
const whole = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

describe('a packed column comes back as it was', () => {
  it('whole numbers, negative and beyond 2^53, with nulls', () => {
    check(holed(int8.map(whole)), same('whole'));
    // Adding zero makes minus zero, which no whole number of PostgreSQL is, a plain one.
    check(holed(fc.integer().map((value) => value + 0)), same('whole'));
    check(holed(fc.maxSafeInteger().map((value) => value + 0)), same('whole'));
  });

  it('doubles to the last bit, with minus zero, NaN and infinities', () => {
    same('double')([-0]);
    same('double')([-0, -0, null]);
    same('double')([1, -0, 0]);
    check(holed(fc.double()), same('double'));
    check(holed(fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100)), same('double'));
  });

  it('texts and booleans', () => {
    check(holed(fc.string({ unit: 'grapheme' }).map((value) => value.toWellFormed())), same('text'));
    check(holed(fc.boolean()), same('boolean'));
  });

  it('and nothing at all', () => {
    expect(back('whole', [])).toEqual([]);
    expect(back('text', [null, null])).toEqual([null, null]);
  });
});

it('numbers are read at once as they are one by one', () => {
  const numbers = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.nat(10_000).map((value) => value / 100),
  );
  check(fc.oneof(holed(numbers), holed(fc.integer()), holed(fc.constant(7))), (values) => {
    const data = encodeColumn('double', values);
    const read = decodeNumbers(data);
    const shown = values.map((_value, index) =>
      read === undefined || read.known?.[index] === 0 ? null : (read.values[index] ?? null),
    );
    expect(shown).toEqual(decodeColumn(data));
    expect(shown.length).toBe(values.length);
    const elements = elementsIn(data);
    expect(values.map((_value, index) => elements?.at(index) ?? null)).toEqual(shown);
    expect(elements?.at(values.length) ?? null).toBeNull();
    const sum = shown.slice(1, -1).reduce((all: number, one) => all + (one ?? 0), 0);
    expect(elements?.sum(1, Math.max(1, values.length - 1)) ?? 0).toBe(sum);
  });
  const many = encodeColumn(
    'whole',
    Array.from({ length: 9 }, (_none, n) => 300 * n * n),
  );
  expect(() => decodeNumbers(many.slice(0, -1))).toThrow(/too early|unexpected/i);
});

it('an hour of a steady counter, of pages and of an idle column is small', () => {
  const minutes = Array.from({ length: 60 }, (_none, minute) => minute);
  expect(
    encodeColumn(
      'whole',
      minutes.map((n) => 5_000_000_000 + n * 13),
    ).length,
  ).toBeLessThan(20);
  expect(
    encodeColumn(
      'whole',
      minutes.map((n) => 8192 * (n % 3)),
    ).length,
  ).toBeLessThan(24);
  expect(
    encodeColumn(
      'double',
      minutes.map(() => 12.5),
    ).length,
  ).toBeLessThan(12);
  expect(
    encodeColumn(
      'whole',
      minutes.map(() => null),
    ).length,
  ).toBeLessThan(4);
});

it('damaged bytes are an error', () => {
  const data = encodeColumn('whole', [1, 200, 30_000]);
  expect(() => decodeColumn(data.subarray(0, data.length - 2))).toThrow();
});
