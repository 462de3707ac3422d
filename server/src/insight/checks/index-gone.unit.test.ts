// Whether an index is gone, by lists of indexes that are whole, old, cut or missing.
import { expect, it } from 'vitest';
import { Facts } from './facts.ts';
import { sizeWhenGone } from './index-gone.ts';

const gone = { database_name: 'shop', object_name: 'public.a_idx', object_key: '16400' };

function listed(database_name: string, ids: readonly number[]): Facts {
  const rows = ids.map((indexrelid) => ({ indexrelid }));
  return new Facts({
    now: 1,
    readings: new Map([['pg_stat_all_indexes', [{ database_name, collected_at: 1, rows }]]]),
  });
}

it('takes no room once it stands no more among the indexes of its database', () => {
  expect(sizeWhenGone(listed('shop', [16399, 16401]), gone)).toBe(0);
});

it('is not known where it still stands there, where the list is cut, or where none was read', () => {
  expect(sizeWhenGone(listed('shop', [16399, 16400]), gone)).toBeNull();
  const many = Array.from({ length: 10_000 }, (_, index) => index + 20_000);
  expect(sizeWhenGone(listed('shop', many), gone)).toBeNull();
  expect(sizeWhenGone(listed('stock', [16399]), gone)).toBeNull();
  expect(sizeWhenGone(new Facts({ now: 1, readings: new Map() }), gone)).toBeNull();
});
