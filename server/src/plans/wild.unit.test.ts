// Plans as people post them: numbered, quoted, escaped, within programs and answers of programs, and those of programs made of PostgreSQL.
// Guards: all of these are the same plan; what is a plan of another database is said.
import { describe, expect, it } from 'vitest';
import { readPlans } from './read.ts';
import { nodesOf } from './walk.ts';

const LINES = [
  'Hash Join  (cost=230.47..713.98 rows=101 width=488) (actual time=0.711..7.427 rows=100 loops=1)',
  '  Hash Cond: (t2.unique2 = "t1".unique2)',
  '  ->  Seq Scan on tenk2 t2  (cost=0.00..445.00 rows=10000 width=244) (actual time=0.007..2.583 rows=10000 loops=1)',
  '  ->  Hash  (cost=229.20..229.20 rows=101 width=244) (actual time=0.659..0.659 rows=100 loops=1)',
  '        Buckets: 1024  Batches: 1  Memory Usage: 28kB',
  '        ->  Bitmap Heap Scan on tenk1 t1  (cost=5.07..229.20 rows=101 width=244) (actual time=0.080..0.526 rows=100 loops=1)',
  '              Recheck Cond: (unique1 < 100)',
  '              ->  Bitmap Index Scan on tenk1_unique1  (cost=0.00..5.04 rows=101 width=0) (actual time=0.049..0.049 rows=100 loops=1)',
  '                    Index Cond: (unique1 < 100)',
  'Planning time: 0.194 ms',
  'Execution time: 8.008 ms',
];
const TEXT = LINES.join('\n');
const PLAIN = LINES.map((line) => line.replaceAll('"', ''));

const seenIn = (text: string) =>
  readPlans(text).map((plan) => ({
    times: [plan.planning_ms, plan.execution_ms],
    nodes: nodesOf(plan.plan).map((node) => [
      ...[node.title, node.relation, node.index, node.total_cost, node.total_rows, node.inclusive_ms],
      node.conditions.length,
    ]),
  }));
const WHOLE = seenIn(TEXT);

const JSON_PLAN = [
  {
    Plan: {
      'Node Type': 'Seq Scan',
      'Parallel Aware': false,
      'Relation Name': 'users',
      'Total Cost': 5.5,
      'Plan Rows': 7,
      Filter: "(\"Name\" = 'it''s'::text)",
    },
    'Planning Time': 0.2,
  },
];
const PRETTY = JSON.stringify(JSON_PLAN, null, 2);
const PYTHON = JSON.stringify(JSON_PLAN)
  .replaceAll(
    /"((?:[^"\\]|\\.)*)"/g,
    (_all, text: string) => `'${text.replaceAll("'", "\\'").replaceAll('\\"', '"')}'`,
  )
  .replace('false', 'False');

const numbered = (mark: (at: number) => string, lines = LINES) =>
  lines.map((line, at) => `${mark(at + 1)}${line}`).join('\n');

const tex = (line: string) => line.replaceAll('_', '\\_').replaceAll('->', '-$>$');
const FRAMED: [string, string][] = [
  ['a first line that lost its spaces', LINES.join('\n  ')],
  ['AsciiDoc', `[options="header",cols="<l"]\n|====\n^l|QUERY PLAN\n|${LINES.join('\n|')}\n|====`],
  [
    'LaTeX',
    `\\begin{tabular}{l}\n\\textit{QUERY PLAN} \\\\\n\\hline\n${LINES.map((line) => `${tex(line)} \\\\`).join('\n')}\n\\end{tabular}`,
  ],
  [
    'LaTeX over pages',
    LINES.map((line) => `\\raggedright{${line.replaceAll('>', '\\textgreater{}')}}\n\\tabularnewline`).join(
      '\n',
    ),
  ],
  [
    'Markdown with marks of code',
    `| QUERY PLAN |\n|:--|\n${LINES.map((line) => `| \`${line}\` |`).join('\n')}`,
  ],
  ['a frame without a head', LINES.map((line) => `│ ${line.padEnd(140)} │`).join('\n')],
  ['a grid with numbers and bars', LINES.map((line, at) => `${at + 1}|${line.padEnd(140)}|`).join('\n')],
  [
    'records of psql without a border',
    LINES.map((line, at) => `* Record ${at + 1}\nQUERY PLAN ${line}`).join('\n'),
  ],
  ['statements', LINES.map((line) => `INSERT INTO t ("QUERY PLAN") VALUES ('${line}');`).join('\n')],
  ['marks of a tracker', `{code:sql}\n${TEXT}\n{code}`],
  ['marks of a board', `[code]\n${TEXT}\n[/code]`],
  [
    'a page',
    `<!DOCTYPE html><html><body>${LINES.map((line) => `<p>${line.replaceAll('>', '&gt;').replaceAll(' ', '&nbsp;')}</p>`).join('\n')}</body></html>`,
  ],
  ['one space of two', TEXT.replace('1024  Batches: 1  ', '1024 Batches: 1 ')],
  ['signs of no width', LINES.map((line) => `\u200b${line}`).join('\n')],
];

describe('a plan in text', () => {
  it.each<[string, string]>([
    ['numbers', numbered((at) => `${at} `)],
    ['cat -n', numbered((at) => `${String(at).padStart(6)}\t`)],
    ['numbers with colons', numbered((at) => `${String(at).padStart(2)}: `)],
    ['numbers with dots', numbered((at) => `${at}. `)],
    ['numbers with brackets', numbered((at) => `${String(at).padStart(2, '0')}) `)],
    ['numbers with bars', numbered((at) => `${String(at).padStart(3)} | `)],
    ['a grid with numbers', `QUERY PLAN\n${numbered((at) => `${at}\t`)}`],
    ['a grid with numbers and quotes', PLAIN.map((line, at) => `${at + 1}\t"${line}"`).join('\n')],
    [
      'a table with numbers',
      `| # | QUERY PLAN |\n|---|---|\n${LINES.map((line, at) => `| ${at + 1} | ${line} |`).join('\n')}`,
    ],
    ['a grid exported as CSV with numbers', PLAIN.map((line, at) => `${at + 1},"${line}"`).join('\n')],
    ['rows as YAML', PLAIN.map((line) => `- QUERY PLAN: ${JSON.stringify(line)}`).join('\n')],
    ['colors of a terminal', LINES.map((line) => `\u001b[36m${line}\u001b[0m`).join('\n')],
    ['a mail quoted twice', LINES.map((line) => `>> ${line}`).join('\n')],
    ['marks apart', LINES.map((line) => `> > ${line}`).join('\n')],
    [
      'a quoted mail with its answer',
      `Bob wrote:\n${LINES.map((line) => `> ${line}`).join('\n')}\n\nYou need an index.\n`,
    ],
    [
      'an answer below a quoted line',
      `Tom wrote:\n> Show it.\n\nHere it is:\n\n${LINES.map((line) => `   ${line}`).join('\n')}\n\nBob -> me\n\n> thanks\n`,
    ],
    ['a comment of a shell', LINES.map((line) => `# ${line}`).join('\n')],
    ['a comment of a program', LINES.map((line) => `// ${line}`).join('\n')],
    ['a comment with stars', `/*\n${LINES.map((line) => ` * ${line}`).join('\n')}\n */`],
    ['one string', JSON.stringify(TEXT)],
    ['escapes alone', LINES.join('\\n')],
    ['a string of Python', `'${PLAIN.join('\\n')}'`],
    ['rows of Python', `[('${PLAIN.join("',), ('")}',)]`],
    ['rows of Python on lines', PLAIN.map((line) => `('${line}',)`).join('\n')],
    ['strings of Java', PLAIN.map((line) => `    "${line}\\n"`).join(' +\n')],
    ['a member of JSON', JSON.stringify({ id: 5, plan: TEXT })],
    [
      'a member of members',
      JSON.stringify({ data: { rows: LINES.map((line) => ({ 'QUERY PLAN': line })) } }),
    ],
    ['marks of code on the same line', `\`\`\`${TEXT}\`\`\``],
    ['other marks of code', `See:\n~~~\n${TEXT}\n~~~\n`],
    [
      'code that is only the statement',
      `\`\`\`sql\nexplain select 1;\n\`\`\`\n\n    ${LINES.join('\n    ')}`,
    ],
    [
      'records of psql in a frame',
      LINES.map((line, at) => `├─[ RECORD ${at + 1} ]─┼───┤\n│ QUERY PLAN   │ ${line.padEnd(130)} │`).join(
        '\n',
      ),
    ],
    [
      'a count of rows in another language',
      ` QUERY PLAN\n-------\n${LINES.map((line) => ` ${line}`).join('\n')}\n(11 строк)\n`,
    ],
    [
      'costs without decimals',
      TEXT.replace('cost=229.20..229.20', 'cost=229.2..229.2').replace('cost=0.00..445.00', 'cost=0..445'),
    ],
    [
      'rows of a table of a page',
      `<table><tr><th>QUERY PLAN</th></tr>${LINES.map((line) => `<tr><td class="p">${line.replaceAll('->', '-&gt;').replaceAll('  ', '&nbsp;&nbsp;')}</td></tr>`).join('')}</table>`,
    ],
    ...FRAMED,
    ['a list with commas', LINES.map((line) => (line.endsWith(')') ? `${line},` : line)).join('\n')],
    ['notes behind the figures', TEXT.replace('loops=1)\n', 'loops=1)   <-- slow!\n')],
  ])('with or as %s', (_name, text) => {
    expect(seenIn(text)).toEqual(WHOLE);
  });

  it('is read before and below another one that psql printed', () => {
    const text = `Before:\n\n${LINES.map((line) => ` ${line}`).join('\n')}\n(11 rows)\n\napp=# explain analyze select 1;\n   QUERY PLAN\n-------\n${LINES.map((line) => ` ${line}`).join('\n')}\n(11 rows)\n`;
    expect(seenIn(text)).toEqual([...WHOLE, ...WHOLE]);
  });
});

describe('a plan in JSON', () => {
  const escaped = JSON.stringify(PRETTY);
  it.each<[string, string]>([
    ['a constant of a program', `const plan = ${PRETTY};\nexport default plan;`],
    ['a string', escaped],
    ['a string within a string', JSON.stringify(escaped)],
    ['a member as a string', JSON.stringify({ title: 'x', plan: PRETTY })],
    ['a line of prose', `Here: \`${JSON.stringify(JSON_PLAN)}\` thanks`],
    ['a line of a log', `2024-05-01T10:00:00.123Z app ERROR explain: ${escaped} (slow)`],
    ['escaped quotes', PRETTY.replaceAll('\\', '\\\\').replaceAll('"', '\\"')],
    [
      'the answer of a driver',
      JSON.stringify({
        command: 'EXPLAIN',
        rows: [{ 'QUERY PLAN': JSON_PLAN }],
        fields: [{ name: 'QUERY PLAN' }],
      }),
    ],
    [
      'a member of some answer',
      JSON.stringify({ data: { result: [{ sql: 'select 1', anything: JSON_PLAN[0] }] } }),
    ],
    ['the first of some members', `{"explain_output": ${JSON.stringify(JSON_PLAN)}, "sql": "select 1"}`],
    ['data of Python', PYTHON],
    ['data of Python behind a name', `plan = ${PYTHON}`],
    ['a hash of Ruby', JSON.stringify(JSON_PLAN).replaceAll('":', '"=>').replace('false', 'nil')],
    ['a comma too many', PRETTY.replace('0.2\n', '0.2, // of it\n')],
    [
      'the source of a page',
      `<pre>${PRETTY.replaceAll('"', '&quot;').replaceAll('\\&quot;', '\\&quot;')}</pre>`,
    ],
    [
      'records of psql',
      `-[ RECORD 1 ]---\nQUERY PLAN | [ +\n${PRETTY.split('\n')
        .slice(1)
        .map((line) => `           | ${line.padEnd(60)}+`)
        .join('\n')}`.replace(/\+$/, ''),
    ],
    [
      'numbers of lines',
      PRETTY.split('\n')
        .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
        .join('\n'),
    ],
  ])('as %s', (_name, text) => {
    const [plan] = readPlans(text);
    expect(plan).toMatchObject({ format: 'json', planning_ms: 0.2, unknown: { count: 0 } });
    expect(plan?.plan).toMatchObject({ title: 'Seq Scan', relation: 'users', estimated_rows: 7 });
    expect(plan?.plan.conditions).toEqual([{ name: 'Filter', text: "(\"Name\" = 'it''s'::text)" }]);
  });
});

describe('a plan of a program made of PostgreSQL, or with an extension', () => {
  it.each<[string, string[]]>([
    [
      'TimescaleDB',
      [
        'Custom Scan (ChunkAppend) on hyper  (cost=0.05..5.00 rows=1000 width=8)',
        '  Hypertables excluded during runtime: 0',
        '  ->  Custom Scan (DecompressChunk) on _hyper_1_1_chunk  (cost=0.05..5.00 rows=1000 width=8)',
        '        Vectorized Filter: (v > 5)',
        '        Batches Removed by Filter: 3',
        '        Bulk Decompression: true',
      ],
    ],
    [
      'Citus',
      [
        'Custom Scan (Citus Adaptive)  (cost=0.00..0.00 rows=100000 width=8)',
        '  Task Count: 32',
        '  Tasks Shown: One of 32',
        '  ->  Task',
        '        Query: SELECT id FROM public.t_102008 t',
        '        Node: host=h port=5432 dbname=app',
        '        ->  Seq Scan on t_102008 t  (cost=0.00..9.00 rows=100 width=0)',
        '            Planning Time: 0.100 ms',
        'Planning Time: 1.000 ms',
      ],
    ],
    [
      'Greenplum',
      [
        'Gather Motion 4:1  (slice2; segments: 4)  (cost=0.00..862.00 rows=1000 width=8)',
        '  Merge Key: a',
        '  ->  Seq Scan on a  (cost=0.00..431.00 rows=250 width=4)',
        '  (slice0)    Executor memory: 10K bytes.',
        '* (slice1)    Executor memory: 40K bytes avg x 4 workers.',
        'Optimizer: GPORCA',
        'Memory used:  128000kB',
      ],
    ],
    [
      'YugabyteDB',
      [
        'Index Scan using t_i on t  (cost=0.00..4.00 rows=1 width=4)',
        '  Storage Table Read Requests: 1',
        'Storage Read Requests: 2',
        'Peak Memory Usage: 24 kB',
      ],
    ],
    [
      'Aurora',
      [
        'Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)',
        '  Storage I/O Timings: read=0.4',
        '  Prefetch: hits=3 misses=1 expired=0 duplicates=0',
        'Note: An Approved plan was used instead of the minimum cost plan.',
      ],
    ],
    [
      'tables with children',
      [
        'Delete on public.live  (cost=0.00..5.00 rows=10 width=6)',
        '  Delete on public.live_1',
        '  Delete on public.live_2',
        '  ->  Seq Scan on public.live_1  (cost=0.00..2.50 rows=5 width=6)',
      ],
    ],
  ])('of %s has no unknown line', (_name, lines) => {
    const [plan] = readPlans(lines.join('\n'));
    expect(plan?.unknown).toEqual({ count: 0, names: [] });
    expect(plan?.plan.title).not.toContain('slice');
  });

  it.each<[string, string]>([
    ['CockroachDB', '  distribution: full\n  vectorized: true\n\n  • sort\n  │ order: -revenue\n'],
    ['Oracle Database', 'Plan hash value: 1234567\n| Id  | Operation         | Name |\n'],
    ['MySQL or MariaDB', '{"query_block": {"select_id": 1}}'],
    ['SQLite', 'QUERY PLAN\n|--SCAN t\n`--USE TEMP B-TREE FOR ORDER BY\n'],
    [
      'Amazon Redshift',
      ' XN Limit  (cost=10.00..20.00 rows=5 width=8)\n   ->  XN Seq Scan on sales  (cost=0.00..10.00 rows=5 width=8)\n',
    ],
    ['TiDB', '| id | estRows | task |\n'],
    ['Trino or Presto', 'Fragment 0 [SINGLE]\n'],
    ['MongoDB', '{"queryPlanner": {"winningPlan": {"stage": "COLLSCAN"}}}'],
  ])('is none where it is of %s', (name, text) => {
    expect(() => readPlans(text)).toThrow(`another database, ${name}.`);
  });

  // Spaces that end a line must not be looked through from each of these lines on: that took a minute.
  it.each(['\n', '\r', '\u2028', '\u2029', '"', '| '])(
    'is refused in a moment where it is all %j',
    (piece) => {
      const since = performance.now();
      expect(() => readPlans(`${piece.repeat(60_000)}!`)).toThrow(/plan|lines/i);
      expect(performance.now() - since).toBeLessThan(10_000);
    },
  );

  it('is none of a utility statement', () => {
    expect(() =>
      readPlans(' QUERY PLAN\n-----\n Utility statements have no plan structure\n(1 row)\n'),
    ).toThrow(/A utility statement has no plan/);
  });
});

describe('a plan of 19', () => {
  it('names its subplans, whose time is taken off the node that waits for them', () => {
    const [plan] = readPlans(
      [
        'Seq Scan on orders o  (cost=0.00..9.00 rows=5 width=8) (actual time=0.020..10.000 rows=4.00 loops=1)',
        '  Filter: ((price > (minmax_1).col1) AND (ANY (id = (hashed SubPlan any_1).col1)))',
        '  InitPlan minmax_1',
        '    ->  Result  (cost=0.00..0.02 rows=1 width=4) (actual time=2.000..4.000 rows=1.00 loops=1)',
        '          Replaces: MinMaxAggregate',
        '  SubPlan any_1',
        '    ->  Seq Scan on d  (cost=0.00..5.00 rows=5 width=4) (actual time=0.500..1.000 rows=5.00 loops=1)',
      ].join('\n'),
    );
    expect(plan?.unknown.count).toBe(0);
    expect(
      (plan === undefined ? [] : nodesOf(plan.plan)).map(({ subplan, own_ms }) => [subplan, own_ms]),
    ).toEqual([
      [null, 5],
      ['InitPlan minmax_1', 4],
      ['SubPlan any_1', 1],
    ]);
  });
});

it('says where a plan was cut', () => {
  expect(readPlans(LINES.slice(0, 4).join('\n'))[0]?.verdict).toContain(
    'The plan was cut: what is below node 3 (Hash) is missing.',
  );
  expect(readPlans(TEXT)[0]?.verdict).not.toContain('cut');
});

it('finds the plans of auto_explain in the records of operators and clouds', () => {
  const message = (ms: number) => `duration: ${ms}.5 ms  plan:\nQuery Text: select 1\n${TEXT}`;
  const lines = [
    { logger: 'postgres', msg: 'record', record: { error_severity: 'LOG', message: message(1) } },
    { category: 'PostgreSQLLogs', properties: { message: `2026-11-27 11:00:00 UTC-LOG:  ${message(2)}` } },
    { level: 'info', msg: 'of another program' },
  ].map((one) => JSON.stringify(one));
  expect(readPlans(lines.join('\n'))).toMatchObject(
    [1.5, 2.5].map((duration_ms) => ({ duration_ms, query_text: 'select 1', nodes: 5 })),
  );
});

it.each<[string, (lines: string[]) => string]>([
  [
    'a text of the Collector',
    (lines) =>
      JSON.stringify({ resourceLogs: [{ logRecords: [{ body: { stringValue: lines.join('\n') } }] }] }),
  ],
  [
    'records of the Collector',
    (lines) =>
      lines.map((line) => JSON.stringify({ body: { stringValue: line }, severityText: 'x' })).join('\n'),
  ],
  [
    'a list of Cloud Logging',
    (lines) =>
      JSON.stringify(
        lines.map((textPayload) => ({ textPayload, timestamp: 'x' })),
        null,
        2,
      ),
  ],
  ['stern', (lines) => lines.map((line) => `db-0 postgres ${line}`).join('\n')],
  [
    'Heroku',
    (lines) =>
      lines
        .map((line, at) => `2026-11-27T11:00:00.1+00:00 app[postgres.7]: [DB] [5-${at + 1}]  ${line}`)
        .join('\n'),
  ],
  [
    'a run of GitHub',
    (lines) => lines.map((line) => `build\tStop\t2026-11-27T11:00:00.1234567Z ${line}`).join('\n'),
  ],
])('finds the plan of auto_explain in %s', (_name, carry) => {
  const head = '2026-11-27 11:00:00.123 UTC [7] LOG:  duration: 8.100 ms  plan:';
  const [plan] = readPlans(
    carry([head, '\tQuery Text: select 1', ...LINES.slice(0, -2).map((line) => `\t${line}`)]),
  );
  expect(plan).toMatchObject({ duration_ms: 8.1, query_text: 'select 1', nodes: 5, unknown: { count: 0 } });
});

it('says that a trigger or the planning took the time, and that the start of a plan is missing', () => {
  const verdict = (text: string) => readPlans(text)[0]?.verdict;
  const scan = 'Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual time=0.010..0.020 rows=1 loops=1)';
  expect(
    verdict(`${scan}\nTrigger for constraint a_fkey: time=900.0 calls=1\nExecution Time: 901.0 ms`),
  ).toMatch(/^Took 901 ms, 100 % of it in the trigger of the constraint a_fkey\./);
  expect(verdict(`${scan}\nPlanning Time: 4507.1 ms\nExecution Time: 0.03 ms`)).toContain(
    'Planning took 4.51 s.',
  );
  expect(verdict(`  ->  ${scan}`)).toContain('what is above node 1 is missing');
});

it('advises no index where a filter only confirms what an index of shapes found, and none on a chunk', () => {
  const scan = (head: string, more: string[]) =>
    readPlans(
      [
        `${head}  (cost=0.00..9.00 rows=1 width=4) (actual time=0.010..900.0 rows=1 loops=1)`,
        ...more.map((line) => `  ${line}`),
      ].join('\n'),
    )[0]?.advice.map(({ advice, remedy, evidence }) => [advice, remedy, evidence]);
  const removed = 'Rows Removed by Filter: 900000';
  expect(
    scan('Index Scan using g on polys', [
      'Index Cond: (geom ~ p.geom)',
      'Filter: st_contains(geom, p.geom)',
      removed,
    ]),
  ).toEqual([]);
  expect(scan('Seq Scan on _hyper_1_2_chunk', ['Filter: (job = 5)', removed])).toEqual([
    ['seq_scan_selective', null, expect.stringContaining('on its hypertable')],
  ]);
  expect(scan('Seq Scan on d', ["Filter: (title ~~* '%foo%'::text)", removed])).toEqual([
    ['seq_scan_selective', null, expect.stringContaining('trigram index')],
  ]);
});

it('does not advise to move a condition into a CTE that compares it with the rows of a loop', () => {
  const scan = (loops: number, removed: number) =>
    `CTE Scan on big b  (cost=0.00..20.00 rows=1 width=8) (actual time=0.010..0.300 rows=1 loops=${loops})\n  Filter: (id = a.id)\n  Rows Removed by Filter: ${removed}`;
  const adviceOf = (text: string) => readPlans(text)[0]?.advice.map(({ advice }) => advice);
  expect([adviceOf(scan(10, 999)), adviceOf(scan(1, 9990))]).toEqual([[], ['filter_discards_rows']]);
});
