import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ran, Row } from '../layout/types.ts';
import { contentOf, storable, storableKey } from './content.ts';

const ran = (rows: Row[], history_by?: string[]): Ran => ({
  kind: 'ran',
  collected_at: 1000,
  rows,
  history_by,
});

describe('what is stored', () => {
  it('takes NUL, halves of surrogate pairs and bigints', () => {
    const { rows } = contentOf(ran([{ a: 'x\0y', b: '\ud800z', c: 2n ** 60n, d: null }]));
    expect(JSON.parse(rows ?? '')).toEqual([
      { a: 'x\ufffdy', b: '\ufffdz', c: '1152921504606846976', d: null },
    ]);
  });

  it('keeps a key short enough for an index, and different names different', () => {
    const long = 'n'.repeat(10_000);
    expect(storableKey(long).length).toBeLessThanOrEqual(400);
    expect(storableKey(`${long}a`)).not.toBe(storableKey(`${long}b`));
    expect(storableKey('plain')).toBe('plain');
    for (let length = 370; length < 380; length += 1) {
      const key = storableKey(`${'n'.repeat(length)}${'🐘'.repeat(100)}`);
      expect(key.length).toBeLessThanOrEqual(400);
      expect(storable(key)).toBe(key);
    }
  });
});

describe('a set of items', () => {
  const rows = [
    { name: 'b', setting: '2' },
    { name: 'a', setting: '1' },
    { name: 'a', setting: '0' },
  ];

  it('has the same hash whatever the order of its rows', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: 3 }), (shuffled) => {
        expect(contentOf(ran(shuffled, ['name']))).toEqual(contentOf(ran(rows, ['name'])));
      }),
    );
  });

  it('holds each key once, and another hash for another value', () => {
    const content = contentOf(ran(rows, ['name']));
    expect(content.row_count).toBe(2);
    expect(JSON.parse(content.items ?? '')).toEqual({
      a: { name: 'a', setting: '0' },
      b: { name: 'b', setting: '2' },
    });
    expect(contentOf(ran([{ name: 'b', setting: '3' }], ['name'])).content_hash).not.toBe(
      contentOf(ran([{ name: 'b', setting: '2' }], ['name'])).content_hash,
    );
  });

  it('of one item has the empty key; of several columns a key that cannot be confused', () => {
    expect(JSON.parse(contentOf(ran([{ version: '18' }], [])).items ?? '')).toEqual({
      '': { version: '18' },
    });
    const keys = [
      { a: 'x', b: 'y,z' },
      { a: 'x,y', b: 'z' },
    ];
    expect(contentOf(ran(keys, ['a', 'b'])).row_count).toBe(2);
  });

  it('takes __proto__ as a name like any other', () => {
    const { items } = contentOf(ran([{ name: '__proto__', setting: '1' }], ['name']));
    expect(items).toBe('{"__proto__":{"name":"__proto__","setting":"1"}}');
  });
});
