// What else stands in plans as people post them: triggers, results that were written out, figures with a comma, partitions and subqueries. Guards: an
// advice is given once and only where its figures show it.
import { describe, expect, it } from 'vitest';
import { readPlans } from './read.ts';

describe('advice on triggers', () => {
  const deleted = 'Delete on a  (cost=0.00..1.00 rows=1 width=6) (actual time=1.000..1.000 rows=0 loops=1)';
  const adviceOf = (first: string, trigger: string, total = 1000) =>
    (readPlans(`${first}\n${trigger}\nExecution Time: ${total}.0 ms`)[0]?.advice ?? []).map(
      ({ advice, evidence }) => `${advice}: ${evidence}`,
    );

  it('has an index missing where each check of a foreign key is slow, however its trigger is written', () => {
    const slow = [
      'foreign_key_unindexed: The check of constraint b_a_fkey took 900 ms of 1 s (90 %): 9 ms for each of 100 rows.',
    ];
    expect(adviceOf(deleted, 'Trigger for constraint b_a_fkey on a: time=900.000 calls=100')).toEqual(slow);
    expect(
      adviceOf(deleted, 'Trigger RI_ConstraintTrigger_a_5 for constraint b_a_fkey: time=900.000 calls=100'),
    ).toEqual(slow);
  });

  it('has none missing where the checks are fast and many, and where rows are inserted', () => {
    expect(adviceOf(deleted, 'Trigger for constraint b_a_fkey: time=900.000 calls=90000')).toEqual([]);
    const inserted = deleted.replace('Delete', 'Insert');
    expect(adviceOf(inserted, 'Trigger for constraint b_a_fkey: time=900.000 calls=100')).toEqual([]);
  });

  it('names a trigger of a user that takes a quarter of the time', () => {
    expect(adviceOf(deleted, 'Trigger audit: time=300.000 calls=10')).toEqual([
      'trigger_slow: The trigger audit took 300 ms of 1 s (30 %) in 10 calls, 30 ms each.',
    ]);
    expect(adviceOf(deleted, 'Trigger audit: time=200.000 calls=10')).toEqual([]);
  });
});

it('says that a result took the time to be written out', () => {
  const [plan] = readPlans(
    `${'Seq Scan on a  (cost=0.00..1.00 rows=1 width=6) (actual time=1.000..1.000 rows=1.00 loops=1)'}
Serialization: time=900.500 ms  output=200000kB  format=text
Execution Time: 915.3 ms`,
  );
  expect(plan?.verdict).toMatch(/^Took 915 ms, 98 % of it for writing the rows out/);
});

it('reads figures with a comma', () => {
  const [plan] = readPlans(
    'Seq Scan on a  (cost=0,00..155,50 rows=1000 width=4) (actual time=0,012..1,234 rows=10 loops=2)\nExecution Time: 1,657 ms',
  );
  expect(plan).toMatchObject({
    execution_ms: 1.657,
    plan: { title: 'Seq Scan', relation: 'a', total_cost: 155.5, inclusive_ms: 2.468 },
  });
});

it('advises once on partitions with the same filter, and with the columns of the outer row', () => {
  const part = (name: string) =>
    `  ->  Seq Scan on ${name}  (cost=0.00..9.00 rows=1 width=4) (actual time=1.000..20.000 rows=1 loops=1)\n        Filter: (k = 5)\n        Rows Removed by Filter: 90000`;
  const [parts] = readPlans(
    `Append  (cost=0.00..9.00 rows=2 width=4) (actual time=1.000..41.000 rows=2 loops=1)\n${part('m_1')}\n${part('m_2')}`,
  );
  expect(parts?.advice).toMatchObject([{ advice: 'seq_scan_selective', node: 2, remedy: null }]);
  expect(parts?.advice[0]?.evidence).toContain('So did 1 more beside it');
  const perRow = (filter: string) =>
    readPlans(
      `Seq Scan on c  (cost=0.00..9.00 rows=10 width=4) (actual time=1.000..90.000 rows=10 loops=1)
  SubPlan 1
    ->  Seq Scan on public.orders o  (cost=0.00..9.00 rows=1 width=4) (actual time=1.000..8.000 rows=1 loops=10)
          Filter: ${filter}
          Rows Removed by Filter: 90000`,
    )[0]?.advice.map(({ remedy }) => remedy);
  expect(perRow('(customer_id = c.id)')).toEqual(['create index on public.orders (customer_id);']);
  expect(perRow('(c.id = o.customer_id)')).toEqual(['create index on public.orders (customer_id);']);
  expect(perRow('(o.id = o.customer_id)')).toEqual([null]);
});
