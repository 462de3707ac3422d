// Which tables autovacuum would vacuum: since 19 it says so itself.
import { expect, it } from 'vitest';
import type { Row } from '../../store/layout/types.ts';
import { check } from './autovacuum-starved.ts';
import { Facts } from './facts.ts';

const tables = [1, 2, 3].map((relid) => ({
  ...{ relid, schemaname: 'public', relname: `t${relid}`, autovacuum_enabled: true },
  ...{ n_dead_tup: relid === 3 ? 0 : 1000, vacuum_threshold: 50 },
}));

function judged(scores: readonly Row[] | undefined) {
  const reading = (rows: readonly Row[]) => [{ database_name: 'shop', collected_at: 1, rows }];
  const facts = new Facts({
    now: 1,
    readings: new Map([
      ['pg_stat_all_tables', reading(tables)],
      ['pg_stat_activity', reading([{ backend_type: 'autovacuum worker' }])],
      ['pg_settings', reading([{ name: 'autovacuum_max_workers', setting: '1' }])],
      ...(scores ? [['pg_stat_autovacuum_scores', reading(scores)] as const] : []),
    ]),
  });
  return check.judge(facts).found.map(({ rows }) => rows?.map(({ table }) => table));
}

it('is reckoned where the server does not say it, or not of a table', () => {
  expect(judged(undefined)).toEqual([['public.t1', 'public.t2']]);
  expect(judged([{ relid: 9, do_vacuum: false }])).toEqual([['public.t1', 'public.t2']]);
});

it('is what the server says of a table', () => {
  const says = (...due: readonly number[]) =>
    judged([1, 2, 3].map((relid) => ({ relid, do_vacuum: due.includes(relid) })));
  expect(says(1, 3)).toEqual([['public.t1', 'public.t3']]);
  expect(says(1)).toEqual([]);
});
