// Logs of pages, clouds and programs made of PostgreSQL, whose lines differ from those of the server. Guards: they are the same events, and
// lines of programs beside it are not taken for them.
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { LogReader } from './read/reader.ts';
import { Summary } from './summary.ts';
import type { LogEvent } from './types.ts';

function read(lines: readonly string[]) {
  const events: LogEvent[] = [];
  const summary = new Summary();
  const reader = new LogReader({
    emit: (event) => {
      events.push(event);
      summary.add(event);
    },
    year: 2026,
  });
  reader.push(Buffer.from(lines.join('\n')));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, count) => sum + count, 0);
  expect([summary.eventLines + skipped, reader.lines]).toEqual([lines.length, lines.length]);
  return { events, summary, skipped, names: events.map((event) => classify(event).one?.name) };
}

const AT = '2026-11-27 11:00:00.123 UTC';

describe('lines whose two spaces became one', () => {
  it.each<[string, (line: number) => string]>([
    ['with process and user', () => `${AT} [7] app@shop `],
    ['of RDS', () => '2026-11-27 11:00:00 UTC:10.0.0.1(53):app@shop:[7]:'],
    ['of Cloud SQL', (line) => `${AT} [7]: [${line}-1] db=shop,user=app `],
    ['with a session', () => `${AT} 6a180cc0.7 `],
  ])('%s', (_name, prefix) => {
    const { events, summary, skipped } = read([
      `${prefix(1)}ERROR: relation "x" does not exist at character 15`,
      `${prefix(2)}STATEMENT: select 'ERROR:  y' from x`,
      `${prefix(3)}LOG: duration: 5.250 ms execute <unnamed>: select 5`,
      `${prefix(4)}LOG:  duration: 2.500 ms  statement: select 6`,
    ]);
    expect(skipped).toBe(0);
    expect(events).toMatchObject([
      {
        severity: 'ERROR',
        pid: '7',
        message: 'relation "x" does not exist',
        statement: "select 'ERROR:  y' from x",
      },
      { message: 'duration: 5.250 ms  execute <unnamed>: select 5' },
      { message: 'duration: 2.500 ms  statement: select 6' },
    ]);
    expect(summary.slow.total).toBe(7.75);
  });

  it('are none of Patroni, pgBackRest, PgBouncer or others, which have no process in brackets', () => {
    const { skipped } = read([
      '2026-11-27 11:00:00,503 INFO: no action. I am (pg-0), the leader with the lock',
      '2026-11-27 11:00:00,503 WARNING: Postgresql is not running.',
      '2026-11-27 11:00:00.123 P00   INFO: backup command begin',
      `${AT} [7] LOG C-0x55f: shop/app@10.0.0.1:5000 login attempt: db=shop user=app tls=no`,
      '2026-11-27 11:00:00 ERROR: of an application',
    ]);
    expect(skipped).toBe(5);
  });
});

it('has the duration that is logged alone with the statement that the process logged before', () => {
  const line = (pid: number, text: string) => `${AT} [${pid}] ${text}`;
  const { summary } = read([
    line(1, 'LOG:  statement: select pg_sleep(2)'),
    '\tfrom t',
    line(2, 'LOG:  execute S_1: select 1'),
    line(2, 'LOG:  duration: 1.500 ms'),
    line(1, 'LOG:  duration: 2000.500 ms'),
    // Of what is not known: a statement that failed has none, and one that was not logged.
    line(3, 'LOG:  statement: select 1/0'),
    line(3, 'ERROR:  division by zero'),
    line(3, 'LOG:  duration: 0.100 ms'),
    line(1, 'LOG:  duration: 0.200 ms'),
  ]);
  expect(summary.slow.top(9).map(({ statement, count, total }) => [statement, count, total])).toEqual([
    ['select pg_sleep(?) from t', 1, 2000.5],
    ['select ?', 1, 1.5],
  ]);
});

it('takes what a client prints, and a logger of Java, for no line of the server', () => {
  const { skipped } = read([
    'psql:/init.sql:1: ERROR:  syntax error at or near "CREAT"',
    'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  password authentication failed for user "a"',
    'ts=2026-11-27T11:00:00Z level=error msg="scraping" err="pq: ERROR:  relation does not exist"',
    '2026-11-27 11:00:01: pid 12: LOG:  new connection received',
    '2026-11-27 11:00:00.000 ERROR 1 --- [main] o.h.SqlExceptionHelper : ERROR: deadlock detected',
  ]);
  expect(skipped).toBe(5);
});

it('reads what pg_ctl and the server wrote into one line, and lines without a prefix and one space', () => {
  expect(
    read([`waiting for server to start....${AT} [4] LOG:  starting PostgreSQL 15.1`]).events,
  ).toMatchObject([{ pid: '4', time: Date.parse('2026-11-27T11:00:00.123Z') }]);
  const { names } = read([
    'LOG: database system was shut down at x',
    'FATAL: sorry, too many clients already',
  ]);
  expect(names).toEqual(['server_stopped', 'too_many_connections']);
});

describe('records', () => {
  it('of Azure whose message is the line, and of the Collector whose attributes are members', () => {
    const properties = { errorLevel: 'ERROR', sqlerrcode: '42P01', detail: 'why', statement: 'select 1' };
    const message = `${AT}-6a180cc0.4d-ERROR:  relation "x" does not exist at character 15`;
    const pair = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const record = {
      ...{
        timeUnixNano: '1795777200123000000',
        severityText: 'ERROR',
        body: { stringValue: 'relation "x" does not exist' },
      },
      attributes: [
        pair('db.response.status_code', '42P01'),
        pair('detail', 'why'),
        pair('statement', 'select 1'),
      ],
    };
    const { events } = read([
      JSON.stringify({ properties: { ...properties, message } }),
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
      JSON.stringify({
        resourceLogs: [
          {
            scopeLogs: [
              { logRecords: [{ severityText: 'ERROR', body: { stringValue: 'of an application' } }] },
            ],
          },
        ],
      }),
    ]);
    const expected = {
      message: 'relation "x" does not exist',
      sqlstate: '42P01',
      detail: 'why',
      statement: 'select 1',
    };
    expect(events).toMatchObject([expected, { ...expected, time: 1795777200123 }]);
  });

  it('of pgaudit that CloudNativePG wrote without a message', () => {
    const record = { log_time: AT, error_severity: 'LOG', sql_state_code: '00000', process_id: '34' };
    const audit = { audit_type: 'SESSION', statement_id: '1', class: 'READ', statement: 'select 1' };
    const { names } = read([JSON.stringify({ logger: 'pgaudit', record: { ...record, audit } })]);
    expect(names).toEqual(['audit']);
  });

  it('of Supabase', () => {
    const parsed = { error_severity: 'ERROR', sql_state_code: '42P01', timestamp: AT, process_id: 12 };
    const { events, names } = read([
      JSON.stringify({
        event_message: 'relation "x" does not exist',
        metadata: [{ parsed: [{ ...parsed, query: 'select * from x' }] }],
      }),
      JSON.stringify({ event_message: 'of another service', metadata: [{ parsed: [{ level: 'info' }] }] }),
    ]);
    expect(names).toEqual(['undefined_table']);
    expect(events).toMatchObject([{ pid: '12', statement: 'select * from x' }]);
  });

  it('of Greenplum, whose csvlog has other columns', () => {
    const start = '2026-11-27 11:00:00.123456 UTC';
    const { events, names, skipped } = read([
      `${start},"app","shop",p1234,th567,"10.0.0.1","5432",2026-11-27 10:00:00 UTC,0,con12,cmd3,seg-1,,dx1,,sx1,"ERROR","42P01","relation ""x"" does not exist",,,,,,"select *`,
      'from x",15,,"parse_relation.c",999,',
      `${start},,,p9,th5,,,,0,,,seg-1,,,,,"LOG","00000","database system is ready to accept connections",,,,,,,0,,"postmaster.c",25,`,
    ]);
    expect(skipped).toBe(0);
    expect(names).toEqual(['undefined_table', 'server_ready']);
    expect(events[0]).toMatchObject({ pid: '1234', user: 'app', statement: 'select *\nfrom x', lines: 2 });
  });
});

it('reads a journal in full, whose fields are no lines of the event', () => {
  const { events, skipped } = read([
    'Fri 2026-11-27 11:00:00.123456 UTC [s=abc;i=5;b=1;m=2;t=3;x=4]',
    '    _TRANSPORT=stdout',
    `    MESSAGE=${AT} [12] ERROR:  deadlock detected`,
    '    _PID=12',
    '    SYSLOG_IDENTIFIER=postgres',
  ]);
  expect([events[0]?.message, skipped]).toEqual(['deadlock detected', 4]);
});

it('takes the place in the source of AlloyDB off', () => {
  const { names } = read([
    `${AT} [3]: [1-1] db=,user= LOG:  [postmaster.c:100]  database system is ready to accept connections`,
  ]);
  expect(names).toEqual(['server_ready']);
});
