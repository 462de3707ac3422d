import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { InForceRow, RuleRow } from '../alert-rules/alert-rules.queries.ts';
import { RulesInForce } from '../alert-rules/in-force.service.ts';
import { rules } from '../rules/catalog.gen.ts';
import { Memory, progressIn, type RoundInput } from './memory.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DISK = 'disk_usage_percent';

const rows = rules.map(
  ({ name, operator, threshold, severity }, n): RuleRow => ({
    ...{ id: n + 1, name, operator, threshold, severity },
    is_enabled: true,
    created_at: '2026-01-01T00:00:00Z',
  }),
);
const idOf = (name: string) => rows.find((row) => row.name === name)?.id ?? 0;
const set = (connection_id: number, threshold: number): InForceRow => ({
  ...{ connection_id, threshold, rule_id: idOf(DISK) },
  ...{ operator: '>', severity: 'warning', is_enabled: true, source: 'server' },
});
const inForce = (...changed: InForceRow[]) => new RulesInForce(rows, changed);

const seen = (more: Partial<RoundInput> = {}): RoundInput => ({
  runs: [],
  watched: [1, 2, 3].map((connection_id) => ({ connection_id })),
  waiting: new Set(),
  inForce: inForce(),
  now: NOW,
  ...more,
});
const run = (connection_id: number, at: number) => ({ connection_id, at, probe: 'pg_sys_disk_info' });
/** Which connections are asked for the rule about disks. */
const asked = (memory: Memory, of: RoundInput) =>
  memory.dueRules(of).find(({ rule }) => rule.rule.name === DISK)?.connection_ids ?? [];

function judged(memory: Memory, of: RoundInput): number[] {
  const ids = asked(memory, of);
  memory.commit();
  return ids;
}

it('asks everything at first, and then only what is new', () => {
  const memory = new Memory();
  expect(judged(memory, seen({ runs: [run(1, NOW)] }))).toEqual([1, 2, 3]);
  expect(judged(memory, seen({ runs: [run(1, NOW)], now: NOW + 3000 }))).toEqual([]);
  expect(judged(memory, seen({ runs: [run(1, NOW), run(2, NOW + 1)], now: NOW + 6000 }))).toEqual([2]);
});

it('asks again what a round that was not written has judged', () => {
  const memory = new Memory();
  judged(memory, seen());
  const news = seen({ runs: [run(2, NOW)], now: NOW + 3000 });
  expect(asked(memory, news)).toEqual([2]);
  expect(judged(memory, news)).toEqual([2]);
  expect(judged(memory, news)).toEqual([]);
});

it('asks for those alone for which a rule is set to something else', () => {
  const memory = new Memory();
  judged(memory, seen());
  expect(judged(memory, seen({ inForce: inForce(set(2, 70)), now: NOW + 3000 }))).toEqual([2]);
  expect(judged(memory, seen({ inForce: inForce(set(2, 70), set(3, 80)), now: NOW + 6000 }))).toEqual([]);
  expect(judged(memory, seen({ now: NOW + 9000 }))).toEqual([2]);
});

it('asks again once a minute for what was held back, and never for a server that waits', () => {
  const memory = new Memory();
  memory.dueRules(seen());
  memory.judgeAgain(DISK, 2);
  memory.commit();
  expect(judged(memory, seen({ now: NOW + 3000 }))).toEqual([]);
  expect(asked(memory, seen({ now: NOW + MINUTE_MS, waiting: new Set([2]) }))).toEqual([]);
  expect(judged(memory, seen({ now: NOW + MINUTE_MS }))).toEqual([2]);
  expect(judged(memory, seen({ now: NOW + 2 * MINUTE_MS }))).toEqual([]);
});

it('goes on where another one was, unless the rules are set to something else by now', () => {
  const first = new Memory();
  first.dueRules(seen());
  first.judgeAgain(DISK, 3);
  first.commit();
  const noted = progressIn(JSON.parse(JSON.stringify(first.progressAt(NOW))));
  const later = NOW + 20 * MINUTE_MS;
  const news = { runs: [run(1, NOW + MINUTE_MS)], now: later };
  const second = new Memory(noted);
  expect(second.lookFrom(later)).toBe(NOW - 2 * MINUTE_MS);
  expect(judged(second, seen(news))).toEqual([1, 3]);
  expect(judged(new Memory(noted), seen({ ...news, inForce: inForce(set(2, 70)) }))).toEqual([1, 2, 3]);
  expect(progressIn({ judged_until: 'yesterday' })).toBeUndefined();
  expect(progressIn(null)).toBeUndefined();
});

it('looks no further back than samples can be judged, whatever the clock does', () => {
  const memory = new Memory();
  judged(memory, seen());
  expect(memory.lookFrom(NOW + 3000)).toBe(NOW - 2 * MINUTE_MS);
  expect(memory.lookFrom(NOW + 365 * 24 * 60 * MINUTE_MS)).toBe(NOW + (365 * 24 * 60 - 240) * MINUTE_MS);
  expect(memory.lookFrom(NOW - 60 * MINUTE_MS)).toBe(NOW - 62 * MINUTE_MS);
});
