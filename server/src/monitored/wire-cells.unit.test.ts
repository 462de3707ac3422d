// What is read from the bytes is what is read from the text.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactTypes } from './values.ts';
import { WireFields, WireRow } from './wire-rows.ts';

const TYPES = [16, 20, 21, 23, 26, 25, 701, 1184, 3802] as const;

/** A row as the wire has it, somewhere in a buffer. */
function rowOf(cells: readonly (string | null)[]): { buffer: Buffer; from: number; to: number } {
  const parts = cells.flatMap((cell) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(cell === null ? -1 : Buffer.byteLength(cell));
    return [length, Buffer.from(cell ?? '')];
  });
  const buffer = Buffer.concat([Buffer.from('99'), ...parts, Buffer.from('77')]);
  return { buffer, from: 2, to: buffer.length - 2 };
}

const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const small = fc.integer().map(String);
const odd = fc.constantFrom(
  '',
  '-',
  '--1',
  '+1',
  '1.5',
  '1e3',
  ' 7',
  '0x1f',
  't',
  'f',
  'true',
  'T',
  '007',
  '-0',
  '²',
);
const cell = fc.option(fc.oneof(integer, small, odd, fc.string({ unit: 'binary' })), { nil: null });

it('a cell is what its text is by its type, whatever a server sends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...TYPES), cell), { minLength: 1, maxLength: 8 }),
      (sent) => {
        const fields = new WireFields(sent.map(([dataTypeID], index) => ({ name: `c${index}`, dataTypeID })));
        const row = new WireRow(fields, rowOf(sent.map(([, text]) => text)));
        const read = (index: number) => {
          const [oid, text] = sent[index] ?? [0, null];
          // A lone surrogate becomes a replacement on its way through UTF-8.
          return text === null ? null : exactTypes.getTypeParser(oid)(Buffer.from(text).toString());
        };
        const attempt = (make: () => unknown) => {
          try {
            return { made: make() };
          } catch {
            return 'refused';
          }
        };
        for (const index of sent.keys())
          expect(attempt(() => row.cell(`c${index}`))).toEqual(attempt(() => read(index)));
        const all = attempt(() => sent.map((_, index) => read(index)));
        expect(attempt(() => row.values())).toEqual(all);
      },
    ),
    { numRuns: 500 },
  );
});

it('a cell that says what the one before it said is the same as if it was read anew', () => {
  const repeated = fc.constantFrom(
    '',
    'public',
    'publia',
    'Public',
    'ä',
    '2026-01-02 03:04:05+00',
    '{"a":1}',
    'x'.repeat(40),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), fc.array(repeated, { maxLength: 12 }), (dataTypeID, texts) => {
      const fields = new WireFields([{ name: 'c', dataTypeID }]);
      const parse = exactTypes.getTypeParser(dataTypeID);
      for (const text of texts) {
        const row = new WireRow(fields, rowOf([text]));
        let expected: unknown;
        try {
          expected = parse(text);
        } catch {
          expect(() => row.cell('c')).toThrow();
          continue;
        }
        expect(row.cell('c')).toEqual(expected);
      }
    }),
  );
});

it('no two rows share a value that could be changed', () => {
  const fields = new WireFields([{ name: 'c', dataTypeID: 3802 }]);
  const [one, two] = ['{"a":1}', '{"a":1}'].map((text) => new WireRow(fields, rowOf([text])).cell('c'));
  expect(one).toEqual(two);
  expect(one).not.toBe(two);
});
