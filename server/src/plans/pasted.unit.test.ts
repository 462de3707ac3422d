// Plans as they reach us: broken at the width of a window, out of logs that something carries, as rows of a driver, several at once.
// Guards: figures are those of the plan itself, or a sentence says what to do.
import { describe, expect, it } from 'vitest';
import { readPlans } from './read.ts';
import { nodesOf } from './walk.ts';

const TREE = [
  'Nested Loop Left Join  (cost=0.29..10.00 rows=10 width=8) (actual time=0.100..10.000 rows=1000 loops=1)',
  '  Join Filter: (a.x = 1)',
  '  ->  Seq Scan on t a  (cost=0.00..1.00 rows=10 width=4) (actual time=0.010..1.000 rows=10 loops=1)',
  '        Filter: ((x > 1) AND (note !~~ (concat(name, other)::text)) AND (y IS NOT NULL))',
  '        Rows Removed by Filter: 7',
  '  ->  Materialize  (cost=0.29..0.50 rows=1 width=4) (actual time=0.001..0.500 rows=100 loops=10)',
  '        Storage: Memory  Maximum Storage: 17kB',
  '        ->  Seq Scan on u b  (cost=0.00..0.40 rows=1 width=4) (never executed)',
  'Planning Time: 0.200 ms',
  'Execution Time: 10.500 ms',
];

const shapeOf = (text: string) =>
  readPlans(text).map((plan) => ({
    planning_ms: plan.planning_ms,
    execution_ms: plan.execution_ms,
    unknown: plan.unknown.count,
    nodes: nodesOf(plan.plan).map((node) => [
      node.title,
      node.relation,
      node.total_cost,
      node.estimated_rows,
      node.total_rows,
      node.inclusive_ms,
      node.rows_removed_by_filter,
    ]),
  }));
const WHOLE = shapeOf(TREE.join('\n'));

function broken(line: string, width: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += width) pieces.push(line.slice(at, at + width));
  return pieces;
}

/** As psql marks what it broke: at the end of a line and at the start of the next. */
const marked = (mark: string, margin: boolean) => (line: string, width: number) => {
  const pieces = broken(line, width);
  return pieces.map((piece, at) => {
    const end = at < pieces.length - 1 ? mark : '';
    return `${margin ? (at > 0 ? mark : ' ') : ''}${piece}${end}`;
  });
};

/** As mails and forms do it: between words, without the spaces there. */
function byWords(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  for (const word of line.slice(indent.length).split(/(?<=\S)\s+(?=\()/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width)
      lines.splice(-1, 1, `${last}  ${word}`.replace(')  (', ') ('));
    else lines.push(lines.length === 0 ? indent + word : word);
  }
  return lines;
}

describe('lines that were broken', () => {
  const head = ['QUERY PLAN', '----------'];
  it.each([48, 57, 60, 66, 72, 80, 90])('at a width of %i', (width) => {
    for (const wrap of [
      marked('.', true),
      marked('…', true),
      marked(' ', true),
      marked('.', false),
      marked('', false),
    ])
      expect(
        shapeOf([...head, ...TREE.flatMap((line) => wrap(line, width)), '(10 rows)'].join('\n')),
      ).toEqual(WHOLE);
  });

  it('between the figures', () => {
    expect(shapeOf(TREE.flatMap((line) => byWords(line, 70)).join('\n'))).toEqual(WHOLE);
  });

  it('whose end is missing keep what there is, and say so', () => {
    const [plan] = readPlans(TREE.map((line) => line.slice(0, 72)).join('\n'));
    expect(plan?.plan).toMatchObject({ title: 'Nested Loop Left Join', total_cost: 10, actual_rows: null });
    expect(plan?.unknown.names).toContain('Cut Line');
  });
});

describe('a plan of auto_explain', () => {
  const lines = [
    'LOG:  duration: 10.600 ms  plan:',
    '\tQuery Text: select *',
    '\tLimit of it',
    '\t  from t',
    ...TREE.slice(0, -2).map((line) => `\t${line}`),
  ];
  const other = 'LOG:  another process';
  const iso = '2026-11-27T11:00:00.123456+00:00';
  it.each<[string, (line: string, pid: number, part: number) => string]>([
    ['docker compose', (line, pid) => `db-${pid}  | ${line}`],
    ['kubectl', (line, pid) => `[pod/db-${pid}/postgres] ${line}`],
    ['Kubernetes', (line) => `${iso} stderr F ${line}`],
    [
      'syslog',
      (line, pid, part) => `Nov 27 11:00:02 h postgres[${pid}]: [5-${part}] ${line.replace(/^\t/, '#011')}`,
    ],
    ['RFC 5424', (line, pid, part) => `<134>1 ${iso} h postgres ${pid} - - [5-${part}] ${line}`],
    ['docker', (line) => JSON.stringify({ log: `${line}\n`, stream: 'stderr' })],
    ['docker logs --timestamps', (line) => `${iso} ${line}`],
  ])('in the log of %s', (_name, carry) => {
    const text = lines.flatMap((line, at) =>
      at === 6 && carry('', 1, 0) !== carry('', 2, 0)
        ? [carry(other, 2, 1), carry(line, 1, at + 1)]
        : [carry(line, 1, at + 1)],
    );
    const [plan] = readPlans([...text, carry(other, 1, 1)].join('\n'));
    expect(plan).toMatchObject({ duration_ms: 10.6, query_text: 'select *\nLimit of it\n  from t' });
    expect(shapeOf(text.join('\n'))[0]?.nodes).toEqual(WHOLE[0]?.nodes);
  });
});

describe('what people paste', () => {
  const rows = TREE.map((line) => ({ 'QUERY PLAN': line }));
  it.each<[string, string]>([
    ['rows of a driver', JSON.stringify(rows)],
    ['a result of a driver', JSON.stringify({ rows, rowCount: 10 })],
    ['a list of lines', JSON.stringify(TREE)],
    [
      'the source of a page',
      TREE.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ],
    [
      'the source of a page with its tags',
      `<pre><code class="plan">${TREE.join('\n').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code></pre>`,
    ],
    ['arrows of a chat', TREE.join('\n').replaceAll('->', '–>')],
    ['a mail', TREE.map((line) => `> ${line}`).join('\n')],
    ['a comment of SQL', TREE.map((line) => `-- ${line}`).join('\n')],
    ['code of a chat', ['Why is it slow?', '```sql', ...TREE, '```', 'Thanks: all'].join('\n')],
    ['lines in single quotes', TREE.map((line) => `'${line}'`).join('\n')],
    ['lines in quotes of a word processor', TREE.map((line) => `\u201c${line}\u201d`).join('\n')],
    ['hard spaces', TREE.join('\n').replaceAll(' ', '\u00a0')],
    ['arrows of a word processor', TREE.join('\n').replaceAll('->', '\u2192')],
    ['lines of an old Macintosh', TREE.join('\r')],
    [
      'a grid of DBeaver',
      ['QUERY PLAN|', '----------+', ...TREE.map((line) => `${line.padEnd(120)}|`)].join('\n'),
    ],
    ['tabs for spaces', TREE.map((line) => line.replace(/^ {8}/, '\t')).join('\n')],
    [
      'a frame of lines',
      [
        '┌──┐',
        '│ QUERY PLAN │',
        '├──┤',
        ...TREE.map((line) => `│ ${line.padEnd(120)} │`),
        '└──┘',
        '(10 rows)',
      ].join('\n'),
    ],
    [
      'a double frame',
      ['╔══╗', '║ QUERY PLAN ║', '╠══╣', ...TREE.map((line) => `║ ${line.padEnd(120)} ║`), '╚══╝'].join('\n'),
    ],
  ])('as %s', (_name, text) => {
    expect(shapeOf(text)).toEqual(WHOLE);
  });

  it('below the statement that it is the plan of, as JSON on one line', () => {
    const json =
      '[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "t", "Plan Rows": 5, "Total Cost": 1.5}}]';
    const nodes = (text: string) => shapeOf(text).map((plan) => plan.nodes);
    expect(nodes(`explain (format json) select * from t;\n${json}`)).toEqual(nodes(json));
  });

  it('reads JSON with text below it, JSON below JSON, and quotes of a word processor', () => {
    const own = "(name = '\u201cx\u201d')";
    const one = JSON.stringify(
      [{ Plan: { 'Node Type': 'Seq Scan', 'Relation Name': 't', Filter: own } }],
      null,
      2,
    );
    const relations = (text: string) => readPlans(text).map(({ plan }) => plan.relation);
    expect(relations(`${one}\n(1 row)\n\nTime: 1.0 ms`)).toEqual(['t']);
    expect(relations(`${one}\n${one};\n${one}`)).toEqual(['t', 't', 't']);
    expect(relations(one.replace(/,\s*"Filter.*/, '').replaceAll(/"([^"]*)"/g, '\u201c$1\u201d'))).toEqual([
      't',
    ]);
    expect(readPlans(one)[0]?.plan.conditions[0]?.text).toBe(own);
  });

  it('has all of several plans', () => {
    expect(shapeOf([...TREE, '', ...TREE].join('\n'))).toEqual([...WHOLE, ...WHOLE]);
  });

  it('reads figures that were shortened by hand, and takes what they lack for unknown', () => {
    const [plan] = readPlans(
      'Sort (cost=12.75..13.14 rows=155) (actual time=0.148..0.155 rows=155)\n  -> Seq Scan on t (actual time=0.010..0.046 rows=155 loops=1)',
    );
    expect(plan?.plan).toMatchObject({
      title: 'Sort',
      total_cost: 13.14,
      width: null,
      loops: null,
      inclusive_ms: null,
    });
    expect(plan?.plan.children).toMatchObject([{ relation: 't', inclusive_ms: 0.046 }]);
  });

  it('reads times as versions before 10 wrote them', () => {
    const text = [...TREE.slice(0, -2), 'Planning time: 0.200 ms', 'Total runtime: 10.500 ms'].join('\n');
    expect(shapeOf(text)).toEqual(WHOLE);
  });

  it.each<[string, string, RegExp]>([
    ['no indentation', TREE.map((line) => line.trim()).join('\n'), /lost their indentation/],
    [
      'MySQL',
      '-> Limit: 10 row(s)  (cost=0.35 rows=1) (actual time=0.02..0.03 rows=1 loops=1)',
      /another database/,
    ],
  ])('says what is wrong: %s', (_name, text, sentence) => {
    expect(() => readPlans(text)).toThrow(sentence);
  });

  it('takes figures that no server writes for unknown', () => {
    const node = {
      'Node Type': 'Seq Scan',
      'Actual Rows': 1e300,
      'Actual Loops': 1e300,
      'Actual Total Time': 1e300,
    };
    const [plan] = readPlans(JSON.stringify([{ Plan: { ...node, 'Actual Rows': -5, Plans: [node] } }]));
    expect(plan?.plan).toMatchObject({ actual_rows: null, inclusive_ms: null });
    expect(plan?.plan.children).toMatchObject([{ total_rows: null, inclusive_ms: null }]);
  });
});
