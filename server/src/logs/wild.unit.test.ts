// Lines as tools hand them on: searched, tailed, exported and printed for people. Guards: an event that goes on over several lines is whole,
// whatever is before each of them, and has its process, user and SQLSTATE.
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { LogReader } from './read/reader.ts';
import { Summary } from './summary.ts';
import type { LogEvent } from './types.ts';

function read(text: string) {
  const events: LogEvent[] = [];
  const summary = new Summary();
  const reader = new LogReader({
    emit: (event) => {
      events.push(event);
      summary.add(event);
    },
    year: 2026,
  });
  reader.push(Buffer.from(text));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, lines) => sum + lines, 0);
  expect(summary.eventLines + skipped).toBe(reader.lines);
  return { events, skipped };
}

const AT = '2026-11-27 11:00:00.123 UTC';
const STATEMENT = 'update a\nset b = 1';
/** A deadlock of five lines, one of which has no prefix, and an event after it. */
const deadlock = (prefix: (line: number) => string, carrier = '') =>
  [
    `${prefix(1)}ERROR:  deadlock detected`,
    `${prefix(2)}DETAIL:  Process 77 waits for ShareLock on transaction 500; blocked by process 78.`,
    `${prefix(3)}STATEMENT:  update a`,
    '\tset b = 1',
    `${prefix(4)}LOG:  could not bind socket`,
  ].map((line) => `${carrier}${line}`);

describe('what tools put before lines', () => {
  it.each([
    ['grep', 'postgresql-Fri.log:'],
    ['grep -n', 'pg_log/postgresql.log.1:12:'],
    ['stern', 'orders-db-0 postgres '],
    ['logcli', '2026-11-27T11:00:00Z {app="pg", pod="db-0"} '],
  ])('%s', (_name, carrier) => {
    const { events, skipped } = read(deadlock(() => `${AT} [77] `, carrier).join('\n'));
    expect(skipped).toBe(0);
    expect(events).toMatchObject([{ pid: '77', statement: STATEMENT }, { message: 'could not bind socket' }]);
  });
});

describe('prefixes', () => {
  const heroku = '2026-11-27T11:00:00+00:00 app[postgres.77]: [BLUE]';
  it.each<[string, (line: number) => string, Partial<LogEvent>]>([
    ['a session and a number of lines', (line) => `${AT} 6a180cc0.4d ${line} `, { pid: '77' }],
    ['a session alone, as on Azure', () => `${AT}-6a180cc0.4d-`, { pid: '77' }],
    ['colons between all parts', () => `${AT}:app:shop:77:`, { pid: '77' }],
    [
      'a host of IPv6',
      () => `${AT}:fd00:12::4(53100):app@shop:[77]:`,
      { pid: '77', host: 'fd00:12::4(53100)' },
    ],
    [
      'of Fly.io, which writes the number of the machine as well',
      () => `2026-11-27T11:00:00Z app[91857] ams [info]postgres | ${AT} [77] `,
      { pid: '77' },
    ],
    ['an SQLSTATE with a letter', () => `${AT} [77] 40P01 `, { sqlstate: '40P01' }],
    ['a query', () => `${AT} [77] -1234567890123456789 `, { queryid: '-1234567890123456789' }],
    [
      'of Heroku',
      (line) => `${heroku} [${line}-1]  sql_error_code = 40P01 `,
      { pid: '77', sqlstate: '40P01' },
    ],
    [
      'of Heroku with names',
      (line) => `${heroku} [${line}-1]  sql_error_code = 40P01 pid="77" database="shop" user="app" `,
      { pid: '77', database: 'shop', user: 'app' },
    ],
  ])('%s', (_name, prefix, expected) => {
    const { events, skipped } = read(deadlock(prefix).join('\n'));
    expect(skipped).toBe(0);
    expect(events).toMatchObject([{ ...expected, statement: STATEMENT }, {}]);
  });

  it('puts interleaved lines to the sessions of Azure', () => {
    const { events } = read(
      [
        `${AT}-6a180cc0.4d-ERROR:  deadlock detected`,
        `${AT}-6a180cc1.4e-ERROR:  division by zero`,
        `${AT}-6a180cc0.4d-STATEMENT:  update a`,
        `${AT}-6a180cc1.4e-STATEMENT:  select 1/0`,
      ].join('\n'),
    );
    expect(new Set(events.map(({ statement }) => statement))).toEqual(new Set(['update a', 'select 1/0']));
  });
});

describe('JSON', () => {
  const error = {
    timestamp: AT,
    pid: 77,
    error_severity: 'ERROR',
    state_code: '40P01',
    message: 'deadlock detected',
  };
  const line = `${AT} [77] ERROR:  deadlock detected`;
  const names = (text: string) => read(text).events.map((event) => classify(event).one?.name);

  it.each<[string, unknown]>([
    ['events of jsonlog', [error, error]],
    [
      'records of CloudNativePG',
      [
        { logger: 'postgres', record: error },
        { logger: 'postgres', record: error },
      ],
    ],
    [
      'the answer of CloudWatch',
      {
        events: [
          { message: line, ingestionTime: 3 },
          { message: line, ingestionTime: 4 },
        ],
      },
    ],
    ['exports of a cloud', [{ textPayload: line, severity: 'ERROR' }, { textPayload: line }]],
    [
      'lines of Filebeat',
      [
        { message: line, log: { offset: 0 } },
        { message: line, log: { offset: 9 } },
      ],
    ],
  ])('reads %s, on one line and on many', (_name, value) => {
    expect(names(JSON.stringify(value))).toEqual(['deadlock', 'deadlock']);
    const many = read(JSON.stringify(value, null, 4));
    expect(many.events).toMatchObject([{ message: 'deadlock detected' }, { message: 'deadlock detected' }]);
  });

  it('counts what has brackets on lines of their own and is no record', () => {
    const { events, skipped } = read(['{', '  "a": 1', '}', line, '{', '  "b": 2', '  no JSON'].join('\n'));
    expect(events).toHaveLength(1);
    expect(skipped).toBe(6);
  });

  it('leaves what pgaudit wrote in the class of audit lines', () => {
    const audit = {
      audit_type: 'SESSION',
      statement_id: '1',
      class: 'READ',
      command: 'SELECT',
      statement: 'select 1',
    };
    const record = { ...error, error_severity: 'LOG', state_code: '00000', message: '', audit };
    expect(names(JSON.stringify({ logger: 'pgaudit', msg: 'record', record }))).toEqual(['audit']);
  });
});
