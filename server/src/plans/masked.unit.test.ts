// What is kept of a plan: the same tree and identity as the plan that was read, without the values of its statement.
import { expect, it } from 'vitest';
import { loggedPlan, maskedPlan } from './masked.ts';
import { readPlans } from './read.ts';

const text = (statement: string) => statement.replaceAll(/'[^']*'|\d+/g, '[value]');

const LOGGED = [
  'duration: 12.512 ms  plan:',
  'Query Text: select * from orders',
  "  where status = 'hunter2' and total > 4711",
  'Limit  (cost=0.00..1.00 rows=5 width=8) (actual time=3.000..4.000 rows=5 loops=1)',
  '  ->  Seq Scan on "orders 2024" o  (cost=0.00..1.00 rows=5 width=4) (actual time=0.010..2.000 rows=5 loops=1)',
  "        Filter: ((status = 'hunter2'::text) AND (total > 4711))",
  '        Rows Removed by Filter: 90',
].join('\n');

it('has the identity and the figures of the plan, and none of its values', () => {
  const kept = loggedPlan(LOGGED) ?? expect.fail('no plan');
  expect(kept.explain(text)).not.toMatch(/hunter2|4711/);
  expect(kept.statement).toContain('hunter2');
  const [again] = readPlans(kept.explain(text));
  const [asWritten] = readPlans(LOGGED);
  expect(again?.plan_hash).toBe(asWritten?.plan_hash);
  expect(again).toMatchObject({ format: 'json', nodes: 2, analyzed: true });
  expect(again?.query_text).toBe('select * from orders\n  where status = [value] and total > [value]');
  expect(again?.plan.children[0]).toMatchObject({
    relation: 'orders 2024',
    total_rows: 5,
    rows_removed_by_filter: 90,
    conditions: [{ name: 'Filter', text: '((status = ?::text) AND (total > ?))' }],
  });
  expect(kept.plan).toMatchObject({ duration_ms: 12.512, plan_hash: again?.plan_hash });
});

it('has none of a JSON plan either, whatever member holds them, and no parameters', () => {
  const json = JSON.stringify({
    'Query Text': "select 'hunter2'",
    'Query Identifier': '-4312345678901234567',
    'Query Parameters': "$1 = 'hunter2'",
    Plan: {
      ...{ 'Node Type': 'Result', 'Plan Rows': 1, Output: ["'hunter2'::text", '4711'], 'Index Name': 'a-5' },
      ...{ 'New Member': "('hunter2')", 'One-Time Filter': '4711' },
    },
  });
  const kept = maskedPlan(json) ?? expect.fail('no plan');
  expect(kept.explain(text)).not.toMatch(/hunter2|4711/);
  expect(kept.plan).toMatchObject({ query_id: '-4312345678901234567', plan: { index: 'a-5' } });
});

it('is none where a message has no plan', () => {
  expect(loggedPlan('duration: 1.0 ms  statement: select 1')).toBeUndefined();
  expect(loggedPlan('duration: 1.0 ms  plan:\nQuery Text: select 1')).toBeUndefined();
});
