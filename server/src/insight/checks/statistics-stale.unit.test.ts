// When statistics are called stale: after a day, and much sooner where most rows are new.
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { Facts } from './facts.ts';
import { check } from './statistics-stale.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

/** Of a million rows, `changed` since an analyze so long ago. */
function found(changed: number, ago: number) {
  const row = {
    ...{ relid: 16_400, schemaname: 'public', relname: 'events', relkind: 'r', autovacuum_enabled: true },
    ...{ n_live_tup: 1_000_000, n_mod_since_analyze: changed, analyze_threshold: 1050 },
    last_analyze: new Date(NOW - ago).toISOString(),
  };
  const readings = new Map([
    ['pg_stat_all_tables', [{ database_name: 'shop', collected_at: NOW, rows: [row] }]],
  ]);
  return check.judge(new Facts({ now: NOW, readings })).found;
}

it('finds a table of which most rows are new within the hour', () => {
  expect(found(990_000, HOUR_MS)).toMatchObject([
    { object_name: 'public.events', remedy: 'analyze "public"."events";' },
  ]);
  // Autovacuum may still come.
  expect(found(990_000, 10 * MINUTE_MS)).toEqual([]);
});

it('finds others after a day', () => {
  expect(found(200_000, HOUR_MS)).toEqual([]);
  expect(found(200_000, DAY_MS)).toHaveLength(1);
});
