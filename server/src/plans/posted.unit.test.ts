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

  it('leave no node as the dearest where it took next to nothing beside them', () => {
    const dearest = (ms: number) =>
      readPlans(`${deleted}\nTrigger audit: time=${ms}.0 calls=10\nExecution Time: 1000.0 ms`)[0]
        ?.dearest_node;
    expect([dearest(9), dearest(900)]).toEqual([1, null]);
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

describe('no wrong advice', () => {
  const of = (estimated: number, actual: number, loops = 1) =>
    `(cost=0.00..9.00 rows=${estimated} width=4) (actual time=1.000..900.000 rows=${actual} loops=${loops})`;
  const adviceOf = (...lines: string[]) =>
    (readPlans([...lines, 'Execution Time: 1000.0 ms'].join('\n'))[0]?.advice ?? []).map(
      ({ advice, remedy }) => `${advice}: ${remedy}`,
    );
  const scan = (filter: string, node = 'Seq Scan on t') =>
    adviceOf(`${node}  ${of(5000, 20)}`, `  Filter: ${filter}`, '  Rows Removed by Filter: 99980');

  it.each<[string, string, string[]]>([
    ['an expression of a column', '((at)::date = 5)', ['seq_scan_selective: null']],
    ['a number of another type', '((id)::numeric = 5.0)', ['seq_scan_selective: null']],
    ['a part of a case', '(CASE WHEN ((a = 1) AND (b = 2)) THEN c ELSE d END)', ['seq_scan_selective: null']],
    ['a column of the system', "(tableoid = '5'::oid)", ['seq_scan_selective: null']],
    ['what a subquery says of each row', '(a = (SubPlan 1))', []],
    [
      'a varchar, which is no expression',
      "((code)::text = 'OR'::text)",
      ['seq_scan_selective: create index on t (code);', 'stale_statistics: analyze t;'],
    ],
  ])('on %s', (_name, filter, advice) => {
    expect(scan(filter)).toEqual(advice);
  });

  it('makes no index for a catalog of the system', () => {
    expect(scan('(attname = 5)', 'Seq Scan on pg_attribute')).toEqual([
      'stale_statistics: analyze pg_attribute;',
    ]);
  });

  it.each<[string, string]>([
    ['groups, which HAVING judges when they are made', 'HashAggregate'],
    ['rows that an extension unpacks', 'Custom Scan (DecompressChunk) on _hyper_1_1_chunk'],
  ])('does not move the filter of %s', (_name, node) => {
    expect(scan('(count(*) > 1)', node)).toEqual([]);
  });

  it('takes a table that was left after its first row for no wrong estimate', () => {
    const join = (rows: number) =>
      adviceOf(
        `Hash Join  ${of(9, 0)}`,
        '  Hash Cond: (a.b = b.id)',
        `  ->  Seq Scan on a  ${of(1000000, 1)}`,
        `  ->  Hash  ${of(1, rows)}`,
        `        ->  Seq Scan on b  ${of(1, rows)}`,
      );
    expect(join(0)).toEqual([]);
    expect(join(1)).toEqual(['stale_statistics: analyze a;']);
  });

  it('names the estimate where rows are compared pair by pair, and no other condition', () => {
    const plan = (filter: string) =>
      adviceOf(
        `Nested Loop  ${of(1, 500)}`,
        `  Join Filter: ${filter}`,
        '  Rows Removed by Join Filter: 4999500',
        `  ->  Index Scan using a_x on a  ${of(1, 500)}`,
        '        Index Cond: (x = 5)',
        `  ->  Index Scan using b_y on b  ${of(9999, 10000, 500)}`,
        '        Index Cond: (y = 5)',
      ).map((one) => one.split(':')[0]);
    expect(plan('(a.id = b.id)')).toEqual(['nested_loop_misestimate']);
    expect(plan('(a.id < b.id)')).toEqual(['nested_loop_misestimate', 'late_filter']);
  });

  it('shares the time of JIT among the processes that compiled', () => {
    const plan = (launched: number) =>
      adviceOf(
        `Gather  ${of(9, 9)}`,
        '  Workers Planned: 4',
        `  Workers Launched: ${launched}`,
        `  ->  Parallel Seq Scan on t  ${of(3, 3, launched + 1)}`,
        'JIT:',
        '  Timing: Generation 1.000 ms, Inlining 0.000 ms, Optimization 1.000 ms, Emission 1.000 ms, Total 900.000 ms',
      );
    expect(plan(4)).toEqual([]);
    expect(plan(2)).toContain('jit_costly: set jit = off;');
  });

  it('sets no work_mem that no session should have', () => {
    const sort = (kb: number) =>
      adviceOf(`Sort  ${of(9, 9)}`, `  Sort Method: external merge  Disk: ${kb}kB`);
    expect(sort(80_000_000)).toEqual(['spilled_to_disk: null']);
    expect(sort(80_000)).toEqual(["spilled_to_disk: set work_mem = '128MB';"]);
  });

  it('takes both conditions of an index in a loop, and none with OR', () => {
    const inner = (condition: string) =>
      adviceOf(
        `Nested Loop  ${of(9, 9)}`,
        `  ->  Seq Scan on a  ${of(9000, 9000)}`,
        `  ->  Index Scan using b_a on b  ${of(1, 0, 9000)}`,
        `        Index Cond: ${condition}`,
        '        Filter: (state = 5)',
        '        Rows Removed by Filter: 1',
      );
    expect(inner('(a_id = a.id)')).toEqual(['index_condition_poor: create index on b (a_id, state);']);
    expect(inner('((x = 1) OR (y = 2))')).toEqual(['index_condition_poor: null']);
  });

  it('misses no index for the foreign key of the updated table itself', () => {
    const update = (constraint: string) =>
      adviceOf(
        `Update on c  ${of(0, 0)}`,
        `  ->  Seq Scan on c  ${of(9, 9)}`,
        `Trigger for constraint ${constraint}: time=800.000 calls=100`,
      );
    expect(update('c_p_fkey')).toEqual([]);
    expect(update('d_c_fkey')).toEqual(['foreign_key_unindexed: null']);
  });
});
