// Messages of syslog as libc, rsyslog and syslog-ng write them, and what is none.
import { expect, it } from 'vitest';
import { LogReader } from '../../logs/read/reader.ts';
import type { LogEvent } from '../../logs/types.ts';
import { lineOf, readMessage, type SyslogMessage } from './message.ts';

const NOW = Date.UTC(2026, 10, 28, 9, 0, 30);
const AT = Date.UTC(2026, 10, 28, 9, 0, 0, 123);
const read = (text: string | Buffer) =>
  readMessage(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, NOW);

const whole: SyslogMessage = {
  ...{ host: 'db1', app: 'postgres', pid: '4711', time: AT },
  ...{ sequence: '5', part: 2, text: 'LOG:  checkpoint' },
};
const arrived = { ...whole, time: NOW };

it.each<[string, string, SyslogMessage]>([
  [
    'RFC 5424 of rsyslog',
    '<134>1 2026-11-28T09:00:00.123456+00:00 DB1 postgres 4711 - -  [5-2] LOG:  checkpoint',
    whole,
  ],
  [
    'RFC 5424 with data and a byte order mark',
    '<134>1 2026-11-28T10:00:00.123+01:00 db1 postgres 4711 ID1 [a@1 b="c\\"]d"][e@2] \ufeff[5-2] LOG:  checkpoint',
    whole,
  ],
  [
    'RFC 5424 that knows little',
    '<134>1 - - postgres - - - [5-2] LOG:  checkpoint',
    { ...arrived, host: '', pid: '' },
  ],
  ['RFC 3164', '<134>Nov 28 09:00:00 db1 postgres[4711]: [5-2] LOG:  checkpoint', arrived],
  [
    'RFC 3164 of libc, without a host',
    '<134>Nov  8 09:00:00 postgres[4711]: [5-2] LOG:  checkpoint',
    { ...arrived, host: '' },
  ],
  [
    'RFC 3164 with a time of ISO 8601',
    '<134>2026-11-28T09:00:00.123456+00:00 db1 postgres[4711]: [5-2] LOG:  checkpoint',
    whole,
  ],
  [
    'a message that was not split',
    '<134>Nov 28 09:00:00 db1 postgres[4711]: [5] LOG:  checkpoint',
    { ...arrived, part: 1 },
  ],
  [
    'no numbers, no host, a colon in the text',
    '<134>Nov 28 09:00:00 postgres[4711]: LOG:  checkpoint: x',
    { ...arrived, host: '', sequence: '', part: 1, text: 'LOG:  checkpoint: x' },
  ],
  [
    'a prefix that begins with the process, without numbers',
    '<134>Nov 28 09:00:00 db1 postgres[4711]: [4711] LOG:  checkpoint',
    { ...arrived, sequence: '', part: 1, text: '[4711] LOG:  checkpoint' },
  ],
  [
    'a clock that is wrong',
    '<134>1 2020-11-28T09:00:00Z db1 postgres 4711 - - [5-2] LOG:  checkpoint',
    arrived,
  ],
])('reads %s', (_form, text, message) => {
  expect(read(text)).toEqual(message);
});

it.each([
  ['nothing', ''],
  ['no priority', 'Nov 28 09:00:00 db1 postgres[4711]: LOG:  x'],
  ['a priority alone', '<134>'],
  ['GELF', '{"version": "1.1", "host": "db1", "short_message": "x"}'],
  ['a request of HTTP', 'GET / HTTP/1.1\r\nhost: db1'],
  ['RFC 5424 with data that has no end', `<134>1 - db1 postgres 1 - [a@1 ${'"'.repeat(5000)}`],
  ['random bytes', Buffer.from(Array.from({ length: 2000 }, (_none, n) => (n * 7919) % 256))],
  ['a huge host', `<134>Nov 28 09:00:00 ${'h'.repeat(60_000)} postgres[1]: x`],
  ['spaces without an end', `<134>Nov 28 09:00:00 ${' '.repeat(60_000)}`],
])('takes %s for no message, at once', (_what, bytes) => {
  const started = performance.now();
  expect(read(bytes)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(100);
});

/** As the reader of logs has it. */
function events(texts: readonly (string | Buffer)[], prefix?: string): LogEvent[] {
  const found: LogEvent[] = [];
  const reader = new LogReader({ emit: (event) => found.push(event), prefix, year: 2026 });
  const lines = texts.flatMap((text) => {
    const message = read(text);
    return message ? [lineOf(message)] : [];
  });
  reader.push(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
  reader.end();
  return found;
}

const HEAD = '<134>1 2026-11-28T09:00:00.123+00:00 db1 postgres 4711 - - ';

it('are lines for the reader of logs: numbered parts, tabs, line ends, bytes that are no UTF-8', () => {
  const prefix = '2026-11-28 09:00:00.123 UTC [4711] app@shop ';
  const half = Buffer.concat([Buffer.from(`${HEAD}[6] ${prefix}ERROR:  caf`), Buffer.from([0xc3])]);
  const found = events([
    `${HEAD}[5-1] ${prefix}ERROR:  deadlock detected`,
    `${HEAD}[5-2] ${prefix}DETAIL:  Process 1 waits`,
    `${HEAD}[5-3] #011for ShareLock.`,
    `${HEAD}[5-4] ${prefix}STATEMENT:  update t`,
    half,
    `${HEAD}[7] ${prefix}LOG:  one\0\n\ttwo`,
  ]);
  expect(found).toMatchObject([
    {
      ...{ message: 'deadlock detected', pid: '4711', user: 'app', database: 'shop', severity: 'ERROR' },
      ...{ detail: 'Process 1 waits\nfor ShareLock.', statement: 'update t', time: AT },
    },
    { message: 'caf\u00c3' },
    { message: 'one\ntwo' },
  ]);
});

it('have the time of the message where the prefix has none', () => {
  const line = `${HEAD}[5] app@shop LOG:  checkpoint starting: time`;
  expect(events([line], '%q%u@%d ')).toMatchObject([
    { time: AT, pid: '4711', message: 'checkpoint starting: time' },
  ]);
});
