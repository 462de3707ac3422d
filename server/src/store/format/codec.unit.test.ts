import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, type CellType, decodeColumn, encodeColumn, KIND } from './codec.ts';
import { decodeNumbers, elementsIn } from './numbers.ts';
import { Bytes, writeWhole } from './whole.ts';

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
  const few = encodeColumn(
    'whole',
    Array.from({ length: 9 }, (_none, n) => 300 * n * n),
  );
  expect(() => decodeNumbers(few.slice(0, -1))).toThrow(/too early|unexpected/i);
});

const MANY_VALUES = 20_000;
const many = (value: (n: number) => Cell) => Array.from({ length: MANY_VALUES }, (_none, n) => value(n));
/** With and without holes, whole numbers and fractions, growing and jumping, cut into blocks or with too few values for that. */
const MANY_LISTS: [CellType, Cell[]][] = [
  ['whole', many((n) => 5_000_000_000 + 13 * n)],
  ['whole', many((n) => ((n * 7919) % 1000) * 100)],
  ['double', many((n) => (n % 7 === 0 ? null : (n * n) / 100))],
  ['double', many((n) => (n % 3 === 0 ? null : -n))],
  ['double', many((n) => (n % 5 === 0 ? n : Math.fround(n / 3)))],
  ['double', many((n) => (n % 2 === 0 ? null : 7))],
];

describe('of many numbers', () => {
  it.each(MANY_LISTS)('%s come back as they were, at once and one by one', (type, values) => {
    const data = encodeColumn(type, values);
    expect(decodeColumn(data)).toEqual(values);
    const read = decodeNumbers(data);
    expect(values.map((_one, n) => (read?.known?.[n] === 0 ? null : read?.values[n]))).toEqual(values);
    const elements = elementsIn(data);
    for (const n of [0, 1023, 1024, 4097, 16_384, MANY_VALUES - 1])
      expect(elements?.at(n) ?? null).toBe(values[n]);
    expect(elements?.at(MANY_VALUES)).toBeNull();
    const lists = { count: MANY_VALUES / 20, length: 20, from: 3, to: 11 };
    const sums = Array.from({ length: lists.count }, (_none, n) =>
      values.slice(n * 20 + 3, n * 20 + 11).reduce((sum: number, one) => sum + Number(one ?? 0), 0),
    );
    expect([...(elements?.sums(lists) ?? [])]).toEqual(sums);
  });

  it('what was packed before there were blocks is read', () => {
    const values = many((n) => 3 * n + (n % 11)).map(Number);
    const out = new Bytes();
    out.byte(KIND.whole);
    out.varint(values.length);
    writeWhole(out, values);
    const data = out.take();
    expect(decodeColumn(data)).toEqual(values);
    expect([...(decodeNumbers(data)?.values ?? [])]).toEqual(values);
    expect(elementsIn(data)?.at(12_345)).toBe(values[12_345]);
  });

  it('blocks that end too early are an error', () => {
    const data = encodeColumn(
      'whole',
      many((n) => (n * 7919) % 1_000_003),
    );
    expect(() => decodeColumn(data.slice(0, -9))).toThrow();
    expect(() => elementsIn(data.slice(0, -9))?.at(MANY_VALUES - 1)).toThrow();
  });
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
