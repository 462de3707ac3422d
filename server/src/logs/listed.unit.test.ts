// Lines of one log in further shapes that others hand on: lists that begin with the newest, records of Fluent Bit, journals, streams of clouds, and prefixes.
import { expect, it } from 'vitest';
import { LogReader } from './read/reader.ts';
import type { LogEvent } from './types.ts';

function read(text: string, prefix?: string): { events: LogEvent[]; skipped: number } {
  const events: LogEvent[] = [];
  const reader = new LogReader({ emit: (event) => events.push(event), prefix, year: 2026 });
  reader.push(Buffer.from(text));
  reader.end();
  return { events, skipped: [...reader.skipped.values()].reduce((sum, lines) => sum + lines, 0) };
}

interface Parts {
  pid: string;
  user: string;
  application: string;
  code: string;
  clock: string;
}
const SESSION: Parts = {
  pid: '4711',
  user: 'app@shop',
  application: 'psql',
  code: '42P01',
  clock: '10:00:01.123',
};

/** Two events, of which one has a statement of two lines. */
function linesBy(head: (parts: Parts) => string): string[] {
  const own = head(SESSION);
  const other = head({ ...SESSION, pid: '77', code: '00000', clock: '10:00:03.123' });
  return [
    `${own}ERROR:  relation "no_such" does not exist at character 15`,
    `${head({ ...SESSION, clock: '10:00:02.123' })}STATEMENT:  select *`,
    '\tfrom no_such',
    `${other}LOG:  checkpoint starting: time`,
  ];
}
const LINES = linesBy(({ pid, user, clock }) => `2026-11-20 ${clock} UTC [${pid}] ${user} `);
const timed = LINES.map((line, at) => ({ line, iso: `2026-11-20T10:00:0${at}.123456Z` }));

const EXPECTED = [
  { message: 'relation "no_such" does not exist', statement: 'select *\nfrom no_such', pid: '4711' },
  { message: 'checkpoint starting: time', statement: '', pid: '77' },
];

const ROWS: Record<string, readonly unknown[]> = {
  'Cloud Logging': timed.map(({ line, iso }) => ({ insertId: 'a', textPayload: line, timestamp: iso })),
  'CloudWatch Insights': timed.map(({ line, iso }) => ({ '@timestamp': iso, '@message': line })),
  logcli: timed.map(({ line, iso }) => ({ labels: { pod: 'db' }, line, timestamp: iso })),
};
const lists = Object.entries(ROWS).flatMap(([name, rows]) => {
  const newest = rows.toReversed();
  return [
    [`${name}, oldest first`, JSON.stringify(rows, null, 2)],
    [`${name}, newest first`, JSON.stringify(newest, null, 2)],
    [`${name}, newest first, a line each`, newest.map((row) => JSON.stringify(row)).join('\n')],
  ];
});

const [failed = '', more = '', end = '', next = ''] = LINES;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
/** A record for each text; one of them has two lines. */
const RECORDS = [failed, `${more}\n${end}`, next].map((text, at) => ({
  text,
  iso: `2026-11-20T10:00:0${at}.123Z`,
}));
const csv = (header: string, row: (text: string, iso: string) => string, isBackward = false) => {
  const rows = RECORDS.map(({ text, iso }) => row(quoted(text), iso));
  return [header, ...(isBackward ? rows.toReversed() : rows)].join('\n');
};
const yaml = (field: (text: string) => string) =>
  RECORDS.map(({ text, iso }) => `---\nseverity: ERROR\n${field(text)}\ntimestamp: '${iso}'`)
    .toReversed()
    .join('\n');
const tables: string[][] = [
  ['CloudWatch Insights as CSV', csv('@timestamp,@message', (text, iso) => `${iso},${text}`)],
  [
    'CloudWatch Insights as CSV, newest first',
    csv('@timestamp,@message,@log', (text, iso) => `${iso},${text},db`, true),
  ],
  ['Splunk as CSV', csv('"_raw","_time",source', (text, iso) => `${text},"${iso}",pg.log`)],
  [
    'Kibana as CSV, newest first',
    csv('"@timestamp",message', (text, iso) => `"Nov 20, 2026 @ ${iso.slice(11, 23)}",${text}`, true),
  ],
  ['a table with tabs', csv('time\tcontent', (text, iso) => `${iso}\t${text}`)],
  ['gcloud', yaml((text) => `textPayload: |-\n${text.replaceAll(/^/gm, '  ')}`)],
  ['gcloud, in quotes', yaml((text) => `textPayload: ${JSON.stringify(text)}`)],
  [
    'gcloud, broken at a width',
    yaml((text) => `textPayload: '${text.replaceAll('\n', '\n\n  ').replace(' at ', '\n  at ')}'`),
  ],
];

const bodies = RECORDS.map(({ text }, at) => ({
  timeUnixNano: `179515440${at}000000000`,
  severityText: 'INFO',
  body: { stringValue: text },
}));
const request = (logRecords: readonly unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const LF = String.raw`\n`;
const texts: string[][] = [
  ['the Collector, a request a record', bodies.map((one) => JSON.stringify(request([one]))).join('\n')],
  ['the Collector, one request, for people', JSON.stringify(request(bodies), null, 2)],
  [
    'the Collector, a record a line',
    LINES.map((line) => JSON.stringify(request([{ body: { stringValue: line } }]))).join('\n'),
  ],
  ['logfmt', LINES.map((line) => `level=info msg=${JSON.stringify(line)} pod=db-0`).join('\n')],
  [
    'Fluent Bit on a terminal',
    LINES.map((line) => `[0] pg: [1.5, {"log"=>${JSON.stringify(line)}}]`).join('\n'),
  ],
  ['one text of JSON', JSON.stringify(LINES.join('\n'))],
  ['a list of texts', JSON.stringify(LINES)],
  ['a list of texts, for people', JSON.stringify({ stdout_lines: LINES }, null, 2)],
  ['a list of YAML', LINES.map((line) => `- ${JSON.stringify(line)}`).join('\n')],
  ['line ends as text', LINES.join(LF)],
  ['line ends and tabs as text', `'${LINES.join(LF).replaceAll('\t', String.raw`\t`)}'`],
  ['line ends with two CR', LINES.join('\r\r\n')],
  ['a table of Markdown', ['| line |', '|---|', ...LINES.map((line) => `| ${line}   |`)].join('\n')],
  ['a result of psql', [' message', '-----', ...LINES.map((line) => ` ${line}`), '(4 rows)'].join('\n')],
  [
    'a mail quoted twice, after prose',
    `${'Prose.\n'.repeat(30)}${LINES.map((line) => `>> ${line}`).join('\n')}`,
  ],
  [
    'the command line of CloudWatch',
    LINES.map((line) => `EVENTS\t1795154400000\t${line}\t1795154400000`).join('\n'),
  ],
  [
    'CloudWatch Insights, for people',
    JSON.stringify({ results: LINES.map((value) => [{ field: '@message', value }]) }, null, 4),
  ],
  [
    'Elasticsearch',
    JSON.stringify({ hits: { hits: RECORDS.map(({ text }) => ({ _source: { message: text } })) } }),
  ],
  ['Datadog', JSON.stringify({ data: RECORDS.map(({ text }) => ({ attributes: { message: text } })) })],
  [
    'journalctl -o verbose',
    LINES.map((line) => `Fri 2026-11-20 10:00:01 UTC [s=1]\n    _PID=9\n    MESSAGE=${line}`).join('\n'),
  ],
  ['an indentation by tabs', LINES.map((line) => `\t${line}`).join('\n')],
  ['hard spaces', LINES.map((line) => line.replace(':  ', ':\u00a0 ')).join('\n')],
  [
    'quotes of a word processor',
    LINES.map((line) => line.replaceAll(/"(\w+)"/g, '\u201c$1\u201d')).join('\n'),
  ],
  [
    'a journal with a message of two lines',
    LINES.map((line, at) =>
      at === 2 ? `${' '.repeat(30)}${line.trim()}` : `Nov 20 10:00:01 db1 postgres[9]: ${line}`,
    ).join('\n'),
  ],
];

it.each([
  ...lists,
  [
    'Loki as it is asked',
    JSON.stringify({
      data: { result: [{ values: timed.map(({ line, iso }) => [iso, line]).toReversed() }] },
    }),
  ],
  ['a stream of CloudWatch', timed.map(({ line, iso }) => `${iso} db-1.0 ${line}`).join('\n')],
  ['docker stack', LINES.map((line) => `pg_db.1.abc12@node1    | ${line}`).join('\n')],
  [
    'Fluent Bit',
    timed
      .map(({ line, iso }) => JSON.stringify({ time: iso, stream: 'stderr', logtag: 'F', log: line }))
      .join('\n'),
  ],
  [
    'Fluent Bit, in pieces',
    timed
      .flatMap(({ line }) => [
        { stream: 'stderr', logtag: 'P', log: line.slice(0, 9) },
        { stream: 'stderr', logtag: 'F', log: line.slice(9) },
      ])
      .map((one) => JSON.stringify(one))
      .join('\n'),
  ],
  ['Datadog', timed.map(({ line }) => JSON.stringify({ id: 'x', content: { message: line } })).join('\n')],
  ['Splunk', timed.map(({ line }) => JSON.stringify({ result: { _raw: line } })).join('\n')],
  ['Amazon RDS', JSON.stringify({ LogFileData: `${LINES.join('\n')}\n`, AdditionalDataPending: false })],
  ['journalctl -o json-seq', LINES.map((line) => `\u001e${JSON.stringify({ MESSAGE: line })}`).join('\n')],
  ['journalctl -o json-sse', LINES.map((line) => `data: ${JSON.stringify({ MESSAGE: line })}\n`).join('\n')],
  [
    'journalctl -o short-precise',
    LINES.map((line) => `Nov 20 10:00:01.123456 db1 postgres[9]: ${line}`).join('\n'),
  ],
  [
    'journalctl -o short-full',
    LINES.map((line) => `Fri 2026-11-20 10:00:01 UTC db1 postgres[9]: ${line}`).join('\n'),
  ],
  [
    'journalctl -o export',
    LINES.map((line) => `__CURSOR=s\n_PID=9\nMESSAGE=${line}\nPRIORITY=6\n`).join('\n'),
  ],
  ...tables,
  ...texts,
  ['journalctl -o short-unix', LINES.map((line) => `1795777201.123456 db1 postgres[9]: ${line}`).join('\n')],
  ['the source of a page', LINES.map((line) => line.replaceAll('"', '&quot;')).join('\n')],
  ['Fly.io', timed.map(({ line, iso }) => `${iso} app[d891] mia [info]postgres | ${line}`).join('\n')],
  ['Grafana as text', timed.map(({ line, iso }) => `${iso}\t${line}`).join('\n')],
  [
    'Grafana, newest first',
    JSON.stringify(
      LINES.map((line, at) => ({ line, timestamp: `179577720100${at}000000` })).toReversed(),
      null,
      2,
    ),
  ],
  ['Aiven', JSON.stringify({ logs: timed.map(({ line, iso }) => ({ msg: line, time: iso })) })],
  ['a program of Rust', timed.map(({ line }) => JSON.stringify({ fields: { message: line } })).join('\n')],
  ['a container behind syslog', LINES.map((line) => `2026-11-20T10:00:01Z postgres[1]: ${line}`).join('\n')],
  ['a journal with seconds since the start', LINES.map((line) => `[12.345678] db1 pg: ${line}`).join('\n')],
  ['a table of one column', LINES.map(quoted).join('\n')],
  ['an old editor', LINES.join('\r')],
  ['zgrep', LINES.map((line) => `postgresql.log.2.gz:${line}`).join('\n')],
])('reads what %s holds', (_name, text) => {
  expect(read(text ?? '').events).toMatchObject(EXPECTED);
});

it('reads a table of events by the names of its columns, and counts its lines', () => {
  const { events, skipped } = read(
    [
      'log_time,user_name,process_id,error_severity,sql_state_code,message,query',
      '2026-11-20 10:00:01.123 UTC,app,4711,ERROR,42P01,"relation ""x"" does not exist","select *',
      'from x"',
      'no row of it',
    ].join('\n'),
  );
  expect(skipped).toBe(2);
  expect(events).toMatchObject([
    { user: 'app', pid: '4711', sqlstate: '42P01', statement: 'select *\nfrom x', lines: 2 },
  ]);
});

it('puts lines of Heroku that go on to their process', () => {
  const at = '2026-11-27T11:00:00+00:00 app[postgres';
  const { events, skipped } = read(
    [
      `${at}.77]: [BLUE] [1-1]  sql_error_code = 42P01 ERROR:  a`,
      `${at}.77]: [BLUE] [2-1]  sql_error_code = 42P01 STATEMENT:  select *`,
      `${at}.78]: [BLUE] [9-1]  sql_error_code = 00000 LOG:  b`,
      `${at}.77]: [BLUE] [2-2]  #011from x`,
    ].join('\n'),
  );
  expect(skipped).toBe(0);
  expect(events).toMatchObject([{ statement: 'select *\nfrom x' }, { message: 'b', statement: '' }]);
});

it('counts each line of a list once, also of other programs', () => {
  const rows = [...timed, { line: 'no line of a server', iso: '2026-11-20T10:00:09Z' }];
  const text = rows.map(({ line, iso }) => JSON.stringify({ textPayload: line, timestamp: iso })).join('\n');
  const { events, skipped } = read(text);
  expect(events.reduce((sum, { lines }) => sum + lines, skipped)).toBe(5);
  expect(skipped).toBe(1);
});

it.each<[string, (parts: Parts) => string, Partial<LogEvent>]>([
  [
    'app=%a [%e] ',
    ({ application, code }) => `app=${application} [${code}] `,
    { pid: '', sqlstate: '42P01', application: 'psql' },
  ],
  [
    '%m [%p] app=%a [%e] ',
    ({ pid, application, code, clock }) => `2026-11-20 ${clock} UTC [${pid}] app=${application} [${code}] `,
    { sqlstate: '42P01', application: 'psql' },
  ],
  [
    '%m [%p] (%u@%d) (%r) ',
    ({ pid, user, clock }) => `2026-11-20 ${clock} UTC [${pid}] (${user}) (10.0.0.5(51234)) `,
    { user: 'app', host: '10.0.0.5(51234)' },
  ],
  [
    '%m %h(%p) ',
    ({ pid, clock }) => `2026-11-20 ${clock} UTC 10.0.0.5(${pid}) `,
    { pid: '4711', host: '10.0.0.5' },
  ],
  [
    '%m [%p] %u@%d/%a ',
    ({ pid, user, application, clock }) => `2026-11-20 ${clock} UTC [${pid}] ${user}/${application} `,
    { user: 'app', database: 'shop' },
  ],
  [
    '%s %m [%p] ',
    ({ pid, clock }) => `2026-11-20 09:00:00 UTC 2026-11-20 ${clock} UTC [${pid}] `,
    { time: Date.UTC(2026, 10, 20, 10, 0, 1, 123) },
  ],
  [
    '[%m] [%p] [%u@%d] ',
    ({ pid, clock }) => `[2026-11-20 ${clock} UTC] [${pid}] [[unknown]@[unknown]] `,
    { user: '[unknown]', pid: '4711' },
  ],
])('finds out the prefix %s', (_prefix, head, found) => {
  const { events, skipped } = read(linesBy(head).join('\n'));
  expect(skipped).toBe(0);
  expect(events.find(({ message }) => message.startsWith('relation'))).toMatchObject(found);
  expect(events).toHaveLength(2);
});
