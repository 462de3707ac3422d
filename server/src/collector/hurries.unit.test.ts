import { expect, it } from 'vitest';
import { probes } from '../probes/catalog.gen.ts';
import { isSqlProbe } from '../probes/types.ts';
import { measured } from './hurries.ts';
import { newSlot } from './slots.ts';

const named = (name: string) => {
  const found = probes.filter(isSqlProbe).find((probe) => probe.name === name);
  return found ?? expect.fail(`no probe ${name}`);
};
const NOW = 100_000;
const slot = {
  ...newSlot(named('pg_stat_activity'), '', { due: NOW + 50_000, isNew: false }),
  ranAt: NOW - 10_000,
};
const isHurried = (change: Partial<typeof slot> = {}, factors = new Map<string, number>()) =>
  measured(named('pg_locks_tree'), { now: NOW, factors })({ ...slot, ...change });

it('is what was read some time ago, and nothing that another rests for a reason', () => {
  expect(isHurried()).toBe(true);
  expect(isHurried({ ranAt: NOW - 4000 })).toBe(false);
  expect(isHurried({ due: Number.POSITIVE_INFINITY })).toBe(false);
  expect(isHurried({ failures: 1 })).toBe(false);
  expect(isHurried({}, new Map([['pg_stat_activity', 4]]))).toBe(false);
  expect(isHurried({ probe: named('pg_stat_wal') })).toBe(false);
});

it('names probes of the server that are there', () => {
  const hurried = probes.flatMap(({ hurries }) => (hurries === undefined ? [] : [hurries]));
  expect(hurried).toEqual(['pg_stat_activity']);
  expect(hurried.map((name) => named(name).level)).toEqual(['S']);
});
