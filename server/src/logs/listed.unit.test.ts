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
])('reads what %s holds', (_name, text) => {
  expect(read(text ?? '').events).toMatchObject(EXPECTED);
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
