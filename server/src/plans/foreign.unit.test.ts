// Plans whose lines are not what they look like: SQL of remote servers with operators that are arrows, and constants with line breaks. And plans of
// extensions and of rare nodes: every line of them is known.
import { describe, expect, it } from 'vitest';
import { readPlans } from './read.ts';
import type { Plan } from './types.ts';
import { nodesOf } from './walk.ts';

const figures = (rows = 5) =>
  `(cost=0.00..9.00 rows=${rows} width=8) (actual time=0.10..2.50 rows=${rows} loops=1)`;

function read(lines: readonly string[]): Plan {
  const [plan] = readPlans(lines.join('\n'));
  return plan ?? expect.fail();
}

const titles = (plan: Plan) => nodesOf(plan.plan).map(({ title }) => title);

describe('an arrow that is an operator', () => {
  const REMOTE = [
    `Nested Loop  ${figures()}`,
    `  ->  Foreign Scan on public.f  ${figures()}`,
    '        Output: f.j',
    '        Remote SQL: SELECT j FROM public.t WHERE (((j',
  ];

  it.each([
    ["        ->  'a'::text) = 'x'))"],
    ["  ->> 'a') = 'x'))"],
    ["->  'a') = 'x'))"],
    ['->0) IS NOT NULL))'],
  ])('goes on with the SQL of a remote server: %s', (rest) => {
    const plan = read([...REMOTE, rest, `  ->  Seq Scan on b  ${figures()}`, 'Execution Time: 3 ms']);
    expect(titles(plan)).toEqual(['Nested Loop', 'Foreign Scan', 'Seq Scan']);
    expect(plan.unknown.count).toBe(0);
    expect(plan.execution_ms).toBe(3);
    const sql = plan.plan.children[0]?.details.find(({ name }) => name === 'Remote SQL')?.text;
    expect(sql).toBe(`SELECT j FROM public.t WHERE (((j ${rest.trim()}`);
  });

  it('is none in the plan that auto_explain logged', () => {
    const plan = read([
      '2026-11-27 11:00:00.123 UTC [7] LOG:  duration: 1500.123 ms  plan:',
      ...['Query Text: select 1', ...REMOTE, "->> 'a') = 'x'))", `  ->  Seq Scan on b  ${figures()}`].map(
        (line) => `\t${line}`,
      ),
    ]);
    expect(titles(plan)).toEqual(['Nested Loop', 'Foreign Scan', 'Seq Scan']);
  });
});

describe('a constant with line breaks', () => {
  it('is part of its condition, and ends no node', () => {
    const plan = read([
      `Nested Loop  ${figures()}`,
      `  ->  Seq Scan on a  ${figures()}`,
      "        Filter: (note = 'first",
      "second: it''s",
      "third'::text)",
      `  ->  Seq Scan on b  ${figures()}`,
      'Execution Time: 3 ms',
    ]);
    expect(titles(plan)).toEqual(['Nested Loop', 'Seq Scan', 'Seq Scan']);
    expect(plan.plan.children[0]?.conditions).toEqual([
      { name: 'Filter', text: "(note = 'first second: it''s third'::text)" },
    ]);
    expect(plan.execution_ms).toBe(3);
  });

  it('takes no node in, where a quote has no end', () => {
    const plan = read([
      `Nested Loop  ${figures()}`,
      `  ->  Seq Scan on a  ${figures()}`,
      "        Filter: (note = 'cut",
      `  ->  Seq Scan on b  ${figures()}`,
      "        Filter: (note = 'cut",
    ]);
    expect(titles(plan)).toEqual(['Nested Loop', 'Seq Scan', 'Seq Scan']);
  });
});

describe('advice on memory', () => {
  const sort = (disk: string, settings: string) =>
    read([
      `Sort  ${figures(1000)}`,
      '  Sort Key: a',
      `  Sort Method: external merge  Disk: ${disk}`,
      `  ->  Seq Scan on t  ${figures(1000)}`,
      ...(settings === '' ? [] : [`Settings: work_mem = '${settings}'`]),
      'Execution Time: 10 ms',
    ]).advice[0];

  it.each([
    ['40kB', '', 4, ''],
    ['40kB', '64kB', 4, ' work_mem was 64 kB.'],
    ['40kB', '8MB', 16, ' work_mem was 8 MB.'],
    ['50000kB', '', 64, ''],
  ])('never says less than there was: %s of disk, work_mem %s', (...of) => {
    const [disk, settings, megabytes, was] = of;
    const advice = sort(disk, settings);
    expect(advice?.remedy).toBe(`set work_mem = '${megabytes}MB';`);
    expect(advice?.evidence).toContain(`to disk.${was} It would fit`);
  });
});

const SHAPES: readonly (readonly [name: string, nodes: number, lines: readonly string[]])[] = [
  [
    'Citus, of one task of many',
    3,
    [
      'Custom Scan (Citus Adaptive)  (cost=0.00..0.00 rows=100000 width=40) (actual time=10.0..25.3 rows=5 loops=1)',
      '  Task Count: 32',
      '  Tuple data received from nodes: 120 bytes',
      '  Tasks Shown: One of 32',
      '  ->  Task',
      '        Tuple data received from node: 40 bytes',
      '        Node: host=w1 port=5432 dbname=shop',
      `        ->  Seq Scan on orders_102008 orders  ${figures()}`,
      '              Filter: (id < 5)',
      '            Planning Time: 0.05 ms',
      '            Execution Time: 0.31 ms',
      'Planning Time: 1.2 ms',
      'Execution Time: 26.1 ms',
    ],
  ],
  [
    'TimescaleDB, of compressed chunks',
    4,
    [
      `Custom Scan (ChunkAppend) on metrics  ${figures()}`,
      '  Order: metrics."time" DESC',
      '  Chunks excluded during startup: 2',
      `  ->  Custom Scan (DecompressChunk) on _hyper_1_1_chunk  ${figures()}`,
      '        Vectorized Filter: (device = 5)',
      '        Rows Removed by Filter: 900',
      '        Batches Removed by Filter: 3',
      `        ->  Seq Scan on compress_hyper_2_3_chunk  ${figures()}`,
      '  ->  Index Scan using x on _hyper_1_2_chunk  (cost=0.1..2 rows=100 width=16) (never executed)',
    ],
  ],
  [
    'MERGE with WAL, memory and serialization',
    4,
    [
      `Merge on t  ${figures(0)}`,
      '  Tuples: inserted=10 updated=5 deleted=2 skipped=3',
      '  Buffers: shared hit=50 dirtied=4',
      '  WAL: records=30 fpi=2 bytes=12000 buffers full=1',
      `  ->  Hash Left Join  ${figures()}`,
      '        Hash Cond: (s.id = t.id)',
      `        ->  Seq Scan on s  ${figures()}`,
      `        ->  Hash  ${figures()}`,
      '              Buckets: 1024  Batches: 1  Memory Usage: 9kB',
      'Planning:',
      '  Buffers: shared hit=12',
      '  Memory: used=20kB  allocated=32kB',
      'Planning Time: 0.3 ms',
      'Serialization: time=0.002 ms  output=1kB  format=text',
      'Execution Time: 5.4 ms',
    ],
  ],
  [
    'async foreign scans, incremental sort, memoize and windows of 18',
    6,
    [
      `WindowAgg  ${figures()}`,
      '  Window: w1 AS (PARTITION BY t.a ORDER BY t.b)',
      '  Run Condition: (row_number() OVER w1 <= 3)',
      '  Storage: Memory  Maximum Storage: 17kB',
      `  ->  Incremental Sort  ${figures()}`,
      '        Sort Key: a, b',
      '        Presorted Key: a',
      '        Full-sort Groups: 32  Sort Method: quicksort  Average Memory: 28kB  Peak Memory: 28kB',
      `        ->  Nested Loop  ${figures()}`,
      `              ->  Async Foreign Scan on public.f1  ${figures()}`,
      '                    Remote SQL: SELECT a FROM public.t1 WHERE ((a > 5)) ORDER BY a ASC NULLS LAST LIMIT 5::bigint',
      `              ->  Memoize  ${figures()}`,
      '                    Cache Key: a.b',
      '                    Cache Mode: logical',
      '                    Hits: 990  Misses: 10  Evictions: 0  Overflows: 0  Memory Usage: 2kB',
      `                    ->  Index Only Scan using b_pkey on b  ${figures()}`,
      '                          Index Cond: (id = a.b)',
      '                          Heap Fetches: 10',
      '                          Index Searches: 10',
    ],
  ],
  [
    'Greenplum',
    2,
    [
      `Gather Motion 4:1  (slice1; segments: 4)  ${figures()}`,
      `  ->  Seq Scan on t  ${figures()}`,
      'Planning Time: 2.1 ms',
      '  (slice0)    Executor memory: 100K bytes.',
      'Memory used:  128000kB',
      'Optimizer: Pivotal Optimizer (GPORCA)',
      'Execution Time: 8.1 ms',
    ],
  ],
];

it.each(SHAPES)('every line is known of %s', (_name, nodes, lines) => {
  const plan = read(lines);
  expect([plan.nodes, plan.unknown]).toEqual([nodes, { count: 0, names: [] }]);
});

it('figures of PostgreSQL 19 are read apart: WAL with its full pages, reads with their waits', () => {
  const plan = read([
    `Update on t  ${figures(0)}`,
    '  WAL: records=302 fpi=4 bytes=46444 fpi bytes=23272',
    `  ->  Seq Scan on t  ${figures()}`,
    '        Prefetch: avg=80.51 max=89 capacity=94',
    '        I/O: count=424 waits=37 size=15.85 in-progress=4.92',
  ]);
  expect(plan.unknown.count).toBe(0);
  expect(plan.plan.details.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'WAL Records: 302',
    'WAL FPI: 4',
    'WAL Bytes: 46444',
    'WAL FPI Bytes: 23272',
  ]);
  expect(plan.plan.children[0]?.details).toEqual([
    { name: 'Prefetch', text: 'avg=80.51 max=89 capacity=94' },
    { name: 'I/O', text: 'count=424 waits=37 size=15.85 in-progress=4.92' },
  ]);
});
