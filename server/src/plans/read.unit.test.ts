// What plans are pasted with, and what is no plan: psql's frame, logs, broken and hostile texts.
import { describe, expect, it } from 'vitest';
import { readPlans } from './read.ts';
import { verdictOf } from './verdict.ts';
import { nodesOf } from './walk.ts';

const TREE = [
  'Nested Loop Left Join  (cost=0.29..10.00 rows=10 width=8) (actual time=0.100..10.000 rows=1000 loops=1)',
  '  Join Filter: (a.x = 1)',
  '  Something New: 7',
  '  ->  Seq Scan on t a  (cost=0.00..1.00 rows=10 width=4) (actual time=0.010..1.000 rows=10 loops=1)',
  '        a line that no version prints',
  '  ->  Index Scan using "T_i" on public.u b  (cost=0.29..0.50 rows=1 width=4) (actual time=0.001..0.500 rows=100 loops=10)',
  '        Index Cond: (y = a.y)',
  'Planning Time: 0.200 ms',
  'Execution Time: 10.500 ms',
];

const first = (text: string) => readPlans(text)[0] ?? expect.fail('no plan');
const sentence = (text: string) => {
  try {
    readPlans(text);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : '';
  }
  return 'read';
};

describe('a plan as text', () => {
  it('has its tree, figures of all loops, and keeps what is unknown', () => {
    const plan = first(TREE.join('\n'));
    const [top, , inner] = nodesOf(plan.plan);
    expect(plan).toMatchObject({
      nodes: 3,
      planning_ms: 0.2,
      execution_ms: 10.5,
      worst_estimated_node: 3,
      dearest_node: 3,
    });
    expect(plan.unknown).toEqual({ count: 2, names: ['Something New', 'Other Lines'] });
    expect(top).toMatchObject({ node: 'Nested Loop', join_type: 'Left', own_ms: 4, buffers: null });
    expect(top?.details).toContainEqual({ name: 'Something New', text: '7' });
    expect(inner).toMatchObject({
      index: 'T_i',
      schema: 'public',
      relation: 'u',
      alias: 'b',
      total_rows: 1000,
      own_ms: 5,
    });
  });

  it.each([
    ['psql', [' QUERY PLAN', '---------', ...TREE.map((line) => ` ${line}`), '(9 rows)', '']],
    [
      'psql with a frame',
      ['+-----+', '| QUERY PLAN |', '+-----+', ...TREE.map((line) => `| ${line} |`), '+-----+', '(9 rows)'],
    ],
    ['pgAdmin', TREE.map((line) => `"${line.replaceAll('"', '""')}"`)],
    ['CRLF and a statement before', ['explain analyze select 1;', ...TREE].map((line) => `${line}\r`)],
    [
      'a log',
      [
        '2026-01-01 10:00:00.000 UTC [7] app@db LOG:  duration: 12.5 ms  plan:',
        '\tQuery Text: select 1',
        ...TREE.slice(0, 7).map((line) => `\t${line}`),
        '2026-01-01 10:00:01 UTC [7] LOG:  next',
      ],
    ],
    [
      'jsonlog',
      [
        JSON.stringify({
          timestamp: 'x',
          message: `duration: 12.5 ms  plan:\nQuery Text: select 1\n${TREE.slice(0, 7).join('\n')}`,
        }).replace('{"timestamp"', '{"timestamp"'),
      ],
    ],
    [
      'csvlog',
      [
        `2026-01-01,"u","d",LOG,00000,"duration: 12.5 ms  plan:\nQuery Text: select 1\n${TREE.slice(0, 7).join('\n').replaceAll('"', '""')}",,,,`,
      ],
    ],
  ])('is read from %s', (name, lines) => {
    const plan = first(lines.join('\n'));
    expect(nodesOf(plan.plan).map(({ title, relation }) => [title, relation])).toEqual([
      ['Nested Loop Left Join', null],
      ['Seq Scan', 't'],
      ['Index Scan', 'u'],
    ]);
    expect(plan.plan_hash).toBe(first(TREE.join('\n')).plan_hash);
    if (/log/.test(name)) expect(plan).toMatchObject({ duration_ms: 12.5, query_text: 'select 1' });
  });

  it('counts parallel workers, InitPlans and CTEs once', () => {
    const plan = first(
      [
        'Gather  (cost=0..9.0 rows=1 width=4) (actual time=1.000..110.000 rows=3 loops=1)',
        '  Workers Planned: 2',
        '  Workers Launched: 2',
        '  InitPlan 1 (returns $0)',
        '    ->  Seq Scan on s  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..40.000 rows=1 loops=1)',
        '  ->  Parallel Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..100.000 rows=1 loops=3)',
        '        Filter: (a = $0)',
        'Execution Time: 111.000 ms',
      ]
        .join('\n')
        .replace('cost=0..9.0', 'cost=0.00..9.00'),
    );
    const own = nodesOf(plan.plan).map(({ own_ms }) => Math.round(own_ms ?? -1));
    expect(own).toEqual([10, 40, 60]);
  });
});

it('reads JIT, triggers, settings and serialization, and advises on JIT', () => {
  const plan = first(
    [
      'Aggregate  (cost=1.00..2.00 rows=1 width=8) (actual time=98.000..99.000 rows=1.00 loops=1)',
      '  ->  Seq Scan on t  (cost=0.00..1.00 rows=10 width=4) (actual time=0.010..1.000 rows=10.00 loops=1)',
      "Settings: jit_above_cost = '0', search_path = 'a, b'",
      'Planning:',
      '  Buffers: shared hit=3',
      '  Memory: used=8kB  allocated=16kB',
      'Planning Time: 0.100 ms',
      'JIT:',
      '  Functions: 5',
      '  Options: Inlining true, Optimization true, Expressions true, Deforming true',
      '  Timing: Generation 1.000 ms (Deform 0.500 ms), Inlining 20.000 ms, Optimization 30.000 ms, Emission 29.000 ms, Total 80.000 ms',
      'Trigger for constraint t_fkey on t: time=0.500 calls=3',
      'Serialization: time=0.017 ms  output=1kB  format=text',
      'Execution Time: 100.000 ms',
    ].join('\n'),
  );
  expect(plan).toMatchObject({
    jit: { functions: 5, total_ms: 80 },
    triggers: [{ name: 'constraint t_fkey', relation: 't', ms: 0.5, calls: 3 }],
    settings: { jit_above_cost: '0', search_path: 'a, b' },
    serialization_ms: 0.017,
    unknown: { count: 0 },
    advice: [
      {
        advice: 'jit_costly',
        node: 1,
        evidence: 'JIT took 80 ms of 100 ms (80 %).',
        remedy: 'set jit = off;',
      },
    ],
  });
});

describe('text that was pasted with what was around it', () => {
  const lines = [
    'Seq Scan on orders  (cost=0.00..1.10 rows=10 width=4) (actual time=0.01..0.02 rows=10 loops=1)',
    '  Filter: (name = \'a "b"\'::text)',
    'Execution Time: 0.05 ms',
  ];
  const json = [
    {
      Plan: {
        'Node Type': 'Seq Scan',
        'Relation Name': 'orders',
        'Actual Rows': 10,
        'Actual Loops': 1,
        Output: ['id', 'name'],
        Filter: '(name = \'a "b"\'::text)',
      },
      'Execution Time': 0.05,
    },
  ];
  const csv = (line: string) => `"${line.replaceAll('"', '""')}"`;
  it.each([
    ['pgAdmin, all in quotes', ['"QUERY PLAN"', ...lines.map(csv)]],
    ['psql --csv, quotes where they are needed', ['QUERY PLAN', lines[0], csv(lines[1] ?? ''), lines[2]]],
    [
      'a table of Markdown',
      ['| QUERY PLAN |', '| --- |', ...lines.map((line) => `| ${line} |`), '(3 rows) |'],
    ],
    ['ends of lines of Windows', [lines.join('\r\n')]],
    ['pgAdmin, JSON in one field', ['"QUERY PLAN"', csv(JSON.stringify(json, null, 2))]],
    ['JSON with each line of its own', [JSON.stringify(json, null, 2)]],
  ])('%s', (_name, text) => {
    const [plan] = readPlans(text.join('\n'));
    expect(plan).toMatchObject({
      execution_ms: 0.05,
      unknown: { count: 0 },
      plan: { relation: 'orders', total_rows: 10 },
    });
    expect(JSON.stringify(plan)).toContain('a \\"b\\"');
  });
});

describe('what is no plan, or is hostile', () => {
  const deep = (depth: number) =>
    '{"Plan":'.concat(
      '{"Node Type":"Limit","Plans":['.repeat(depth),
      '{"Node Type":"Result"}',
      ']}'.repeat(depth),
      '}',
    );
  it.each([
    ['nothing', '  \n', /nothing to read/],
    ['prose', 'Dear all,\nthe server is slow.', /no query plan. Paste what EXPLAIN/],
    ['other JSON', '{"a": [1, 2]}', /no query plan/],
    ['a binary file', 'PG\u0000\u0001', /binary file/],
    ['truncated JSON', '[{"Plan": {"Node Type": "Seq Scan",', /ends in the middle of its JSON/],
    ['truncated XML', '<explain><Query><Plan><Node-Type>Seq', /ends in the middle of its XML/],
    ['truncated YAML', '- Plan: \n    Node Type: "Seq', /ends in the middle of its YAML/],
    ['10,000 levels of JSON', deep(10_000), /nested more than 1000 levels/],
    ['5,000 levels within a list', `[${deep(5000).replaceAll(',', ', ')}]`, /nested more than 1000 levels/],
    ['10,000 levels of XML', `<explain>${'<Plan>'.repeat(10_000)}`, /nested more than 1000 levels/],
    [
      '10,000 levels of YAML',
      Array.from({ length: 3000 }, (_none, at) => `${' '.repeat(at)}Plan:`).join('\n'),
      /nested more than 1000 levels/,
    ],
    ['33 million characters', 'x'.repeat(33 * 1024 * 1024 + 1), /more than 32 million characters/],
  ])('%s is one sentence', (_name, text, expected) => {
    expect(sentence(text)).toMatch(/^UsageError: /);
    expect(sentence(text)).toMatch(expected);
  });

  it('reads 10,000 nodes and 900 levels, and refuses 20,001 nodes', () => {
    const wide = (count: number) =>
      JSON.stringify([
        {
          Plan: {
            'Node Type': 'Append',
            Plans: Array.from({ length: count }, () => ({ 'Node Type': 'Seq Scan', 'Relation Name': 'p' })),
          },
        },
      ]);
    expect(first(wide(10_000)).nodes).toBe(10_001);
    expect(first(deep(900)).nodes).toBe(901);
    expect(sentence(wide(20_001))).toMatch(/more than 20000 nodes/);
  });

  it('touches no prototype, and takes a number that is none as unknown', () => {
    const plan = first(
      '[{"Plan": {"Node Type": "Result", "__proto__": {"x": 1}, "constructor": "y", "Plan Rows": 1e999, "Actual Rows": "many"}, "Settings": {"__proto__": "z"}}]',
    );
    expect(Object.getPrototypeOf(plan.settings)).toBe(Object.prototype);
    expect(plan.plan).toMatchObject({ estimated_rows: null, actual_rows: null, loops: null });
    expect(plan.unknown.names).toEqual(['__proto__', 'constructor']);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it('says nothing of a cost or of memory that the plan does not show', () => {
    const bare = first('[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "t"}}]');
    expect(verdictOf(bare)).toBe(
      'Estimated only, without costs: run EXPLAIN (ANALYZE, BUFFERS) to see times and rows. No advice.',
    );
    const spilled = first(
      '[{"Plan": {"Node Type": "Sort", "Actual Total Time": 9, "Actual Loops": 1, "Sort Space Used": 4096, "Sort Space Type": "Disk"}}]',
    );
    expect(spilled.advice).toMatchObject([{ advice: 'spilled_to_disk', remedy: null }]);
    expect(spilled.advice[0]?.evidence).not.toContain('work_mem');
  });
});
