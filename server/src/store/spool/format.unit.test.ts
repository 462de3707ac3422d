import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader, encodeRecord, HEADER_BYTES, nextMark, recordAt } from './format.ts';

const header = { collector: '4b1c0c3e-9f6a-4c1e-8d53-0d2f6f4f9a10', epoch: 7, first_seq: 2 ** 40 };

const records = fc.record({
  kind: fc.constantFrom('batch' as const, 'gaps' as const),
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  from: fc.double({ noNaN: true }),
  to: fc.double({ noNaN: true }),
  connections: fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 20 }),
});
const payloads = fc.uint8Array({ maxLength: 200 });

describe('a header', () => {
  it('comes back, and is refused with any bit changed', () => {
    const bytes = encodeHeader(header);
    expect(bytes).toHaveLength(HEADER_BYTES);
    expect(decodeHeader(bytes)).toEqual(header);
    for (let bit = 0; bit < HEADER_BYTES * 8; bit += 1) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(decodeHeader(damaged)).toBeUndefined();
    }
    expect(decodeHeader(bytes.subarray(0, HEADER_BYTES - 1))).toBeUndefined();
  });
});

describe('a record', () => {
  it('comes back wherever it lies', () => {
    fc.assert(
      fc.property(records, payloads, fc.uint8Array({ maxLength: 30 }), (head, payload, before) => {
        const bytes = Buffer.concat([before, encodeRecord(head, payload), Buffer.from('x')]);
        const found = recordAt(bytes, before.length);
        expect(found).toMatchObject({ kind: 'record', head, bytes: bytes.length - before.length - 1 });
        expect(found.kind === 'record' && Buffer.from(payload).equals(found.deflated)).toBe(true);
      }),
    );
  });

  it('is none with any byte changed, and short while its end is missing', () => {
    fc.assert(
      fc.property(
        records,
        payloads,
        fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })),
        (head, payload, [n, flip]) => {
          const bytes = encodeRecord(head, payload);
          const at = n % bytes.length;
          const damaged = Buffer.from(bytes);
          damaged.writeUInt8(damaged.readUInt8(at) ^ flip, at);
          expect(recordAt(damaged, 0).kind).not.toBe('record');
          expect(recordAt(bytes.subarray(0, at), 0).kind).toBe('short');
        },
      ),
    );
  });

  it('is found again by its mark, even where only the beginning of the mark is there', () => {
    const record = encodeRecord({ kind: 'batch', seq: 1, from: 0, to: 0, connections: [] }, Buffer.from('x'));
    const bytes = Buffer.concat([Buffer.from('noise'), record]);
    expect(nextMark(bytes, 0)).toBe(5);
    for (let cut = 1; cut <= 4; cut += 1) expect(nextMark(bytes.subarray(0, 5 + cut), 0)).toBe(5);
    expect(nextMark(Buffer.from('noise'), 0)).toBe(5);
  });
});
