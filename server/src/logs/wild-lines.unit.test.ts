// Logs as tools and people hand them on: numbered, searched, quoted, carried. Guards: the three events of the file are the same whatever is
// before its lines, also where one goes on over several; rare lines of damage have their class.
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { eventOf } from './read/assembly.ts';
import { LogReader } from './read/reader.ts';
import type { LogEvent } from './types.ts';

const TIME = '2024-05-01 10:00:01.123 UTC';
const STDERR = [
  `${TIME} [4711] ERROR:  deadlock detected`,
  `${TIME} [4711] DETAIL:  Process 11 waits for ShareLock on transaction 5; blocked by process 12.`,
  '\tProcess 12 waits for ShareLock on transaction 6; blocked by process 11.',
  `${TIME} [4711] LOG:  duration: 1500.123 ms  statement: select pg_sleep(1.5)`,
];
const DETAIL =
  'Process 11 waits for ShareLock on transaction 5; blocked by process 12.\nProcess 12 waits for ShareLock on transaction 6; blocked by process 11.';
const csvOf = ([severity, state]: readonly [string, string], message: string, detail: string) =>
  `${TIME},"bob","app",4711,"10.0.0.5:5",66321234.1267,1,"UPDATE",${TIME},3/45,77,${severity},${state},"${message}",${detail},,,,,,,,"psql","client backend",,0`;
const CSV = [
  ...csvOf(['ERROR', '40P01'], 'deadlock detected', `"${DETAIL}"`).split('\n'),
  csvOf(['LOG', '00000'], 'duration: 1500.123 ms  statement: select pg_sleep(1.5)', ''),
];
const CSV_QUOTED = CSV.join('\n')
  .replaceAll(/(^|,)(?!")([^",\n]*)(?=,|$)/gm, '$1"$2"')
  .replaceAll(/^"(Process 12[^"]*)"/gm, '$1')
  .split('\n');
const JSONS = [
  { error_severity: 'ERROR', state_code: '40P01', message: 'deadlock detected', detail: DETAIL },
  { error_severity: 'LOG', message: 'duration: 1500.123 ms  statement: select pg_sleep(1.5)' },
].map((one) => JSON.stringify({ timestamp: TIME, pid: 4711, ...one }));

function eventsOf(lines: readonly string[]): { events: LogEvent[]; counted: number; lines: number } {
  const events: LogEvent[] = [];
  const reader = new LogReader({ emit: (event) => events.push(event), year: 2024 });
  reader.push(Buffer.from(`${lines.join('\n')}\n`));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, count) => sum + count, 0);
  return { events, counted: skipped + events.reduce((sum, one) => sum + one.lines, 0), lines: reader.lines };
}

const numbered = (line: string, at: number) => `${String(at + 1).padStart(6)}\t${line}`;

describe('a log with something before each line', () => {
  it.each<[string, string[]]>([
    ['stderr', STDERR],
    ['numbers of cat -n', STDERR.map(numbered)],
    ['numbers of grep -n', STDERR.map((line, at) => `${at + 1}:${line}`)],
    ['marks of a mail', STDERR.map((line) => `> ${line}`)],
    ['an indentation', STDERR.map((line) => `    ${line}`)],
    ['six decimals', STDERR.map((line) => line.replace('.123 UTC', '.123456 UTC'))],
    ['a zone without a name', STDERR.map((line) => line.replace('10:00:01.123 UTC', '07:00:01.123 <-03>'))],
    ['csvlog', CSV],
    [
      'no spaces at the ends of lines',
      STDERR.map((line) => line.replace('DETAIL:  P', 'DETAIL:\n\tP')).flatMap((line) => line.split('\n')),
    ],
    ['spaces at the ends of lines', STDERR.map((line) => `${line}      `)],
    ['tabs that a page took away', STDERR.map((line) => line.replace(/^\t/, ''))],
    ['the time of svlogd', STDERR.map((line) => line.replace(TIME, '2024-05-01_10:00:01.12345'))],
    ['no zone', STDERR.map((line) => line.replace(TIME, '2024-05-01 10:00:01,123'))],
    ['csvlog with quotes around all', CSV_QUOTED],
    ['code of a chat', STDERR.map((line, at) => `${at === 0 ? '```' : ''}${line}${at === 3 ? '```' : ''}`)],
    ['a list of Python', [`[${STDERR.map((line) => `'${line.replaceAll('\t', '\\t')}\\n'`).join(', ')}]`]],
    [
      'a list of Python without ends of lines',
      [`[${STDERR.map((line) => `"${line.replaceAll('\t', '\\t')}"`).join(', ')}]`],
    ],
    ['days first', STDERR.map((line) => line.replace(TIME, '01/05/2024 10:00:01.123 UTC'))],
    [
      'months first, and hours of twice twelve',
      STDERR.map((line) => line.replace(TIME, '05/01/2024 10:00:01.123 AM UTC')),
    ],
    ['csvlog of grep', CSV.map((line) => `postgresql-2024.csv:${line}`)],
    ['csvlog with numbers', CSV.map(numbered)],
    ['csvlog of docker compose', CSV.map((line) => `db-1  | ${line}`)],
    ['csvlog of Kubernetes', CSV.map((line) => `2024-05-01T10:00:01.123456789Z stdout F ${line}`)],
    ['jsonlog with numbers', JSONS.map(numbered)],
    ['jsonlog of grep', JSONS.map((line) => `a.json:${line}`)],
    ['jsonlog of grep -n', JSONS.map((line, at) => `a.json:${at + 1}:${line}`)],
    ['jsonlog of syslog', JSONS.map((line) => `May  1 10:00:01 db1 postgres[4711]: ${line}`)],
    ['jsonlog as texts of JSON', JSONS.map((line) => JSON.stringify(line))],
  ])('%s', (_name, lines) => {
    const read = eventsOf(lines);
    expect(read.events.map(({ severity, detail, time, pid }) => [severity, detail, time, pid])).toEqual([
      ['ERROR', DETAIL, Date.UTC(2024, 4, 1, 10, 0, 1, 123), '4711'],
      ['LOG', '', Date.UTC(2024, 4, 1, 10, 0, 1, 123), '4711'],
    ]);
    expect([read.counted, read.lines]).toEqual([lines.length, lines.length]);
  });

  it('keeps a prefix that begins with the number of the process', () => {
    const { events } = eventsOf([`4711 ${TIME} LOG:  one`, `4712 ${TIME} LOG:  two`]);
    expect(events.map(({ pid }) => pid)).toEqual(['4711', '4712']);
  });
});

const timesOf = (lines: readonly string[]) =>
  eventsOf(lines).events.map(({ time }) => new Date(time).toISOString().slice(0, 16));

describe('dates with the day or the month first', () => {
  it('takes which is first from a date that can be read one way only', () => {
    const lines = (dates: string[]) => dates.map((date) => `${date} LOG:  checkpoint starting: time`);
    expect(timesOf(lines(['17/07/2017 10:00:00', '01/08/2017 10:00:00']))).toEqual([
      '2017-07-17T10:00',
      '2017-08-01T10:00',
    ]);
    expect(timesOf(lines(['07/17/2017 1:00:00 PM', '08/01/2017 12:05:00 AM']))).toEqual([
      '2017-07-17T13:00',
      '2017-08-01T00:05',
    ]);
    expect(timesOf(lines(['17.07.2017 10:00:00 +02']))).toEqual(['2017-07-17T08:00']);
  });

  it('says that none tells, or that they differ', () => {
    const noteOf = (dates: string[]) => {
      const reader = new LogReader({ emit: () => undefined, year: 2024 });
      reader.push(Buffer.from(dates.map((date) => `${date} LOG:  checkpoint starting: time\n`).join('')));
      reader.end();
      return reader.dress.dates.note;
    };
    expect(noteOf(['03/04/2017 10:00:00', '04/04/2017 10:00:00'])).toBe('either');
    expect(noteOf(['17/04/2017 10:00:00', '04/17/2017 10:00:00'])).toBe('both');
    expect(noteOf(['17/04/2017 10:00:00', '04/04/2017 10:00:00'])).toBeNull();
    expect(noteOf(['2017-04-17 10:00:00 UTC'])).toBeNull();
  });
});

describe('what others write around and between', () => {
  it('reads the line that pg_ctl or initdb began, also behind the name of a container', () => {
    for (const begun of ['waiting for server to start....', 'running bootstrap script ... '])
      for (const name of ['', 'db-1  | ']) {
        const { events } = eventsOf([`${name}${begun}${TIME} [4] LOG:  one`, `${name}${TIME} [4] LOG:  two`]);
        expect(events.map(({ message, time }) => [message, time])).toEqual([
          ['one', Date.UTC(2024, 4, 1, 10, 0, 1, 123)],
          ['two', Date.UTC(2024, 4, 1, 10, 0, 1, 123)],
        ]);
      }
  });

  it('reads the first line of what was copied without its prefix', () => {
    const { events } = eventsOf([' ERROR:  one', `db_1 | ${TIME} [4] ERROR:  two`]);
    expect(events.map(({ message }) => message)).toEqual(['one', 'two']);
  });

  it('has time and process of a record of Azure that has them in its prefix', () => {
    const properties = {
      prefix: '2024-05-01 10:00:01 UTC-66321234.1267-',
      errorLevel: 'FATAL',
      message: 'x',
      detail: 'y',
    };
    expect(eventsOf([JSON.stringify({ category: 'PostgreSQLLogs', properties })]).events).toMatchObject([
      { time: Date.UTC(2024, 4, 1, 10, 0, 1), pid: '4711', severity: 'FATAL', message: 'x' },
    ]);
  });

  it('takes the cell of a row of Windows without its quotes', () => {
    const row = `Error\t5/1/2024 10:00:01 AM\tPostgreSQL\t0\tNone\t"${TIME} [7] FATAL:  database ""a"" does not exist"`;
    expect(eventsOf([row]).events).toMatchObject([{ pid: '7', message: 'database "a" does not exist' }]);
  });

  it('counts a crash once', () => {
    const lines = [
      'server process (PID 7) was terminated by signal 9: Killed',
      'terminating any other active server processes',
      'all server processes terminated; reinitializing',
      'database system was interrupted; last known up at 2024-05-01 10:00:00 UTC',
      'database system was not properly shut down; automatic recovery in progress',
    ];
    const { events } = eventsOf(lines.map((line) => `${TIME} [4] LOG:  ${line}`));
    const names = events.map((event) => classify(event).one?.name);
    expect(names.filter((name) => name === 'process_crashed' || name === 'crash_recovery')).toEqual([
      'process_crashed',
      'crash_recovery',
    ]);
  });

  it('takes what pgBouncer was answered for no event of a server', () => {
    const line = `${TIME} [12] ERROR S-0x7f1: shop/app@10.0.0.9:5432 got ERROR:  server login has been failing`;
    expect(eventsOf([line, `${TIME} [12] LOG:  one`]).events).toMatchObject([{ message: 'one' }]);
  });

  it('takes no other program whose lines have a DETAIL for a second server', () => {
    const reader = new LogReader({ emit: () => undefined, year: 2024 });
    const lines = [`db-1  | ${TIME} [4] ERROR:  one`, 'api-1 | DETAIL:  Key (id)=(5) already exists.'];
    reader.push(Buffer.from(lines.join('\n')));
    reader.end();
    expect([reader.sources, reader.prefixes]).toEqual([1, ['%m [%p] ']]);
  });
});

describe('a rare line', () => {
  it.each<[LogEvent['severity'], string, string]>([
    ['ERROR', 'unexpected chunk number 1 (expected 0) for toast value 5 in pg_toast_5', 'data_corruption'],
    ['ERROR', 'could not access status of transaction 5', 'data_corruption'],
    ['ERROR', 'found xmin 5 from before relfrozenxid 6', 'data_corruption'],
    ['ERROR', 'MultiXactId 5 has not been created yet -- apparent wraparound', 'data_corruption'],
    ['ERROR', 'could not read blocks 5..6 in file "base/5/1": Input/output error', 'io_error'],
    ['ERROR', 'invalid memory alloc request size 18446744073709551613', 'internal_error'],
    ['ERROR', 'temporary file size exceeds "temp_file_limit" (5kB)', 'resources_exhausted'],
    ['FATAL', 'connection requires a valid client certificate', 'authentication_failed'],
    ['FATAL', 'expected password response, got message type 88', 'protocol_violation'],
    ['FATAL', 'lock file "postmaster.pid" already exists', 'start_failed'],
    ['FATAL', 'could not map anonymous shared memory: Cannot allocate memory', 'start_failed'],
    ['LOG', 'could not bind IPv4 address "0.0.0.0": Address already in use', 'start_failed'],
    [
      'LOG',
      'recovery stopping before commit of transaction 5, time 2024-05-01 10:00:00+00',
      'recovery_progress',
    ],
    ['LOG', 'slot sync worker started', 'subscription_worker'],
    ['LOG', 'PID 5 in cancel request did not match any process', 'user_cancel'],
    ['LOG', 'abnormal database system shutdown', 'server_stopping'],
    ['FATAL', 'terminating connection due to unexpected postmaster exit', 'session_ended_by_crash'],
    ['LOG', 'contrecord is requested by 0/3000028', 'recovery_progress'],
    ['LOG', 'primary server contains no more WAL on requested timeline 1', 'streaming_ended'],
    [
      'FATAL',
      'could not start WAL streaming: ERROR:  replication slot "s" does not exist',
      'streaming_ended',
    ],
    ['FATAL', 'private key file "server.key" has group or world access', 'configuration_error'],
    ['FATAL', 'lock file "postmaster.pid" is empty', 'start_failed'],
    ['FATAL', "requested timeline 2 is not a child of this server's history", 'start_failed'],
    ['LOG', 'SSL error: unexpected eof while reading', 'tls_failed'],
    ['ERROR', 'compressed data is corrupt', 'data_corruption'],
    ['ERROR', 'source database "template1" is being accessed by other users', 'object_in_use'],
    ['ERROR', 'query has no destination for result data', 'syntax_error'],
    ['ERROR', 'COPY from stdin failed: aborted', 'user_cancel'],
    ['ERROR', 'more than one row returned by a subquery used as an expression', 'invalid_input'],
    ['ERROR', 'extension "x" is not available', 'feature_not_supported'],
    ['WARNING', 'there is already a transaction in progress', 'transaction_state'],
    ['FATAL', 'could not create lock file "/x.lock": No such file or directory', 'start_failed'],
    ['FATAL', 'could not access file "pg_cron": No such file or directory', 'start_failed'],
    [
      'LOG',
      'performing immediate shutdown because data directory lock file is invalid',
      'server_immediate_shutdown',
    ],
    [
      'ERROR',
      'requested starting point 0/1B000000 is ahead of the WAL flush position of this server 0/1A0010B8',
      'streaming_ended',
    ],
    ['WARNING', 'out of logical replication worker slots', 'resources_exhausted'],
    ['ERROR', 'could not open relation with OID 5', 'internal_error'],
    ['ERROR', 'index row size 2720 exceeds maximum 2712 for index "i"', 'limit_exceeded'],
    ['ERROR', 'invalid input syntax for integer: "abc"', 'invalid_input'],
    ['ERROR', 'query returned no rows', 'routine_error'],
    ['ERROR', 'table name "x" specified more than once', 'duplicate_object'],
    ['LOG', 'invalid resource manager ID in primary checkpoint record', 'start_failed'],
    ['FATAL', 'could not open shared memory segment "/PostgreSQL.5": Permission denied', 'io_error'],
    ['ERROR', 'nextval: reached maximum value of sequence "s" (2147483647)', 'limit_exceeded'],
    [
      'ERROR',
      'there is no unique constraint matching given keys for referenced table "p"',
      'ambiguous_or_invalid_statement',
    ],
    ['ERROR', 'parallel worker failed to initialize', 'background_worker_ended'],
    ['WARNING', 'canceling wait for synchronous replication due to user request', 'user_cancel'],
    ['ERROR', 'multixact "members" limit exceeded', 'wraparound_warning'],
    ['ERROR', 'logical replication target relation "public.t" does not exist', 'subscription_failed'],
    [
      'ERROR',
      'could not start initial contents copy for table "public.t": ERROR:  permission denied',
      'subscription_failed',
    ],
    ['ERROR', 'maximum number of prepared transactions reached', 'resources_exhausted'],
    ['ERROR', 'could not read file "global/pg_control": Input/output error', 'io_error'],
    ['FATAL', 'incorrect checksum in control file', 'data_corruption'],
    ['FATAL', 'could not load server certificate file "s.crt": No such file', 'configuration_error'],
    ['FATAL', 'recovery ended before configured recovery target was reached', 'start_failed'],
  ])('%s: %s', (severity, message, name) => {
    const event = eventOf({
      time: 0,
      severity,
      sqlstate: '',
      pid: '1',
      user: '',
      database: '',
      application: '',
      host: '',
      message,
    });
    expect(classify(event).one?.name).toBe(name);
  });
});
