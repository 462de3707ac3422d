import { describe, expect, it } from 'vitest';
import { KnownKeys } from './known-keys.ts';

const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ userid: '10', queryid: String(from + n), toplevel: true }));
const LIMITS = { perDatabase: 10, inAll: 25, lastsMs: 1000 };

describe('known keys', () => {
  it('are told apart by user, id and level, database by database', () => {
    const known = new KnownKeys(LIMITS);
    const [key] = keys(1);
    if (!key) throw new Error('no key');
    known.add('1/a', [key], 0);
    expect(known.unknown('1/a', [key], 1)).toEqual([]);
    expect(known.unknown('1/b', [key], 1)).toEqual([key]);
    for (const other of [
      { ...key, userid: '11' },
      { ...key, queryid: '-1' },
      { ...key, toplevel: false },
    ])
      expect(known.unknown('1/a', [other], 1)).toEqual([other]);
  });

  it('leave no room for more than a database may have, until its set is forgotten', () => {
    const known = new KnownKeys(LIMITS);
    expect(known.unknown('1/a', keys(12), 0)).toEqual(keys(10));
    known.add('1/a', keys(8), 0);
    expect(known.unknown('1/a', keys(12), 999)).toEqual(keys(2, 8));
    known.add('1/a', keys(2, 8), 999);
    expect(known.unknown('1/a', keys(12), 999)).toEqual([]);
    expect(known.unknown('1/a', keys(12), 1000)).toEqual(keys(10));
    expect(known.size).toBe(0);
  });

  it('make room by forgetting the oldest database', () => {
    const known = new KnownKeys(LIMITS);
    for (const database of ['1/a', '1/b', '1/c']) known.add(database, keys(10), 0);
    expect(known.size).toBe(20);
    expect(known.unknown('1/a', keys(1), 1)).toEqual(keys(1));
    expect(known.unknown('1/c', keys(1), 1)).toEqual([]);
  });
});
