import { describe, expect, it } from 'vitest';
import type { LogPiece, PieceEvents } from '../../estate/server-logs/log-rows.ts';
import { unpackBlock } from '../../estate/server-logs/unpacked-block.ts';
import { inZone } from '../../logs/read/in-zone.ts';
import { eventsOf } from './log-events.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const SOURCE = { prefix: '%m [%p] %q%u@%d ', time_zone: 'Etc/UTC' };
const read = (bytes: Buffer) => eventsOf({ bytes, ...SOURCE, now: NOW, scrub: (text) => text });

describe('times of a log whose zone has an abbreviation that stands for several', () => {
  it.each([
    ['winter', '2026-01-15T12:00:00Z', 'America/Chicago', 'CST', '2026-01-15T18:00:00Z'],
    ['summer', '2026-07-15T12:00:00Z', 'Europe/London', 'BST', '2026-07-15T11:00:00Z'],
    [
      'just before the clock goes on',
      '2026-03-08T01:59:00Z',
      'America/Chicago',
      'CST',
      '2026-03-08T07:59:00Z',
    ],
    ['just after it went on', '2026-03-29T02:01:00Z', 'Europe/London', 'BST', '2026-03-29T01:01:00Z'],
    [
      'the hour that comes twice, the first',
      '2026-10-25T01:30:00Z',
      'Europe/London',
      'BST',
      '2026-10-25T00:30:00Z',
    ],
    ['the second', '2026-11-01T01:30:00Z', 'America/Chicago', 'CST', '2026-11-01T07:30:00Z'],
    [
      'that of the other half of the year',
      '2026-04-05T01:30:00Z',
      'Australia/Lord_Howe',
      '',
      '2026-04-04T15:00:00Z',
    ],
    [
      'where summer has the name of standard time',
      '2026-10-25T01:30:00Z',
      'Europe/Dublin',
      'IST',
      '2026-10-25T00:30:00Z',
    ],
    ['half an hour', '2026-07-15T12:00:00Z', 'Asia/Kolkata', 'IST', '2026-07-15T06:30:00Z'],
    ['a zone that is not known', '2026-07-15T12:00:00Z', 'Nowhere/Else', 'XST', '2026-07-15T12:00:00Z'],
  ])('%s', (...[, local, zone, abbreviation, moment]) => {
    expect(new Date(inZone(Date.parse(local), zone, abbreviation)).toISOString()).toBe(
      new Date(moment).toISOString(),
    );
  });
});

describe('a piece of a log', () => {
  const line = (time: string, text: string) => `${time} UTC [7] app@shop ${text}\n`;

  it('is counted by our clock where that of the server is ahead', async () => {
    const bytes = Buffer.from(line('2026-11-27 10:59:01.000', 'ERROR:  deadlock detected'));
    const found = await eventsOf({ bytes, ...SOURCE, now: NOW, ahead_ms: 3_600_000, scrub: (text) => text });
    expect(found.events.map(({ occurred_at }) => occurred_at)).toEqual([Date.parse('2026-11-27T09:59:01Z')]);
    expect(found.newest).toBe(Date.parse('2026-11-27T09:59:01Z'));
  });

  it('around the end of summer has each line at its own time, whichever zone its abbreviation means', async () => {
    const lines = ['00:59:00 CDT', '01:30:00 CDT', '01:30:00 CST', '02:10:00 CST'].map(
      (time) => `2026-11-01 ${time.replace(' ', '.000 ')} [7] app@shop ERROR:  deadlock detected\n`,
    );
    const found = await eventsOf({
      ...{ bytes: Buffer.from(lines.join('')), ...SOURCE, time_zone: 'America/Chicago', now: NOW },
      scrub: (text) => text,
    });
    expect(found.events.map(({ occurred_at }) => new Date(occurred_at).toISOString().slice(11, 16))).toEqual([
      ...['05:59', '06:30', '07:30', '08:10'],
    ]);
  });

  it('in another encoding, with NUL and with names of clients is counted and harmless', async () => {
    const found = await read(
      Buffer.concat([
        Buffer.from(line('2026-11-27 09:59:00.000', 'ERROR:  deadlock detected')),
        Buffer.from(line('2026-11-27 09:59:01.000', 'FATAL:  the database system is shutting down')),
        Buffer.from(
          '2026-11-27 09:59:02.000 UTC [7] app@sh\xf6p ERROR:  deadlock detected \0\xff\n',
          'latin1',
        ),
      ]),
    );
    expect(found.counts.reduce((sum, { events }) => sum + events, 0)).toBe(3);
    expect(JSON.stringify(found)).not.toMatch(/\\u0000/);
  });

  it('whose clock went back or is far off is counted in the minute of its line, or of its reading', async () => {
    const found = await read(
      Buffer.from(
        [
          '2026-11-27 09:59:00.000',
          '2026-11-27 08:00:00.000',
          '1999-01-01 00:00:00.000',
          '2051-01-01 00:00:00.000',
        ]
          .map((time) => line(time, 'ERROR:  deadlock detected'))
          .join(''),
      ),
    );
    expect(
      found.counts.map(({ minute, events }) => [new Date(minute).toISOString().slice(11, 16), events]),
    ).toEqual([
      ['09:59', 1],
      ['08:00', 1],
      ['10:00', 2],
    ]);
  });

  it('with lines of a time that is still to come has them at the time at which they were read', async () => {
    const lines = ['10:00:59.000', '10:01:01.000', '13:00:00.000'].map((time) =>
      line(`2026-11-27 ${time}`, 'ERROR:  deadlock detected'),
    );
    const found = await read(Buffer.from(lines.join('')));
    const told = found.events.map(({ occurred_at }) => new Date(occurred_at).toISOString().slice(11, 19));
    expect(told).toEqual(['10:00:59', '10:00:00', '10:00:00']);
    expect(found.counts.map(({ minute, events }) => [minute - NOW, events])).toEqual([[0, 3]]);
    expect(found.newest).toBe(NOW + 59_000);
  });

  it('of one class alone is kept up to a cap, and counted whole', async () => {
    const found = await read(
      Buffer.from(line('2026-11-27 09:59:00.000', 'ERROR:  deadlock detected').repeat(5000)),
    );
    expect(found.counts).toEqual([expect.objectContaining({ class: 'deadlock', events: 5000, kept: 200 })]);
    expect(found.events).toHaveLength(200);
  });

  it('has secrets and literals masked in all that is kept', async () => {
    const secret = 'hunter2-of-the-log';
    const found = await read(
      Buffer.from(
        line('2026-11-27 09:59:00.000', `ERROR:  deadlock detected`) +
          line(
            '2026-11-27 09:59:00.000',
            `DETAIL:  Process 1: update t set password = '${secret}' where id = 1;`,
          ) +
          line('2026-11-27 09:59:00.000', `CONTEXT:  SQL statement "update t set p = '${secret}'"`) +
          line(
            '2026-11-27 09:59:00.000',
            `STATEMENT:  update t set p = '${secret}' where mail = 'ada@example.com'`,
          ),
      ),
    );
    expect(found.events).toHaveLength(1);
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(JSON.stringify(found)).not.toContain('ada@example.com');
  });
});

/** All lines of all blocks. */
async function linesIn({ blocks }: PieceEvents) {
  const all = await Promise.all(blocks.map(({ body }, at) => unpackBlock(at + 1, body)));
  return all.flatMap((block) => block.at.map((_at, index) => block.row(index)));
}

const ROOM = { bytes: 1024 * 1024 };
const readLines = async (bytes: Buffer, more: Partial<LogPiece> = {}) => {
  const found = await eventsOf({ bytes, ...SOURCE, now: NOW, scrub: (text) => text, room: ROOM, ...more });
  return { found, lines: await linesIn(found) };
};

describe('lines of a piece', () => {
  const line = (time: string, text: string) => `2026-11-27 ${time} UTC [7] app@shop ${text}\n`;
  const SLOW = "LOG:  duration: 12.5 ms  statement: select * from orders where mail = 'ada@example.com'";
  const TWO = Buffer.from(
    line('09:59:00.000', SLOW) + line('09:59:01.000', 'LOG:  something of an extension'),
  );

  it('are kept masked, each with its class, in the counts as well', async () => {
    const { found, lines } = await readLines(TWO);
    expect(lines).toMatchObject([
      {
        class: 'slow_statement',
        message: expect.stringContaining('where mail = '),
        figures: { duration_ms: 12.5 },
      },
      { class: '', message: 'something of an extension', user_name: 'app', process_id: '7' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('ada@');
    expect(found.counts.map(({ events, kept }) => [events, kept])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(found.events).toEqual([]);
  });

  it('keep constants where that is set, and never secrets', async () => {
    const secret = 'hunter2-of-the-log';
    const piece = Buffer.from(
      line('09:59:00.000', SLOW) +
        line('09:59:01.000', `LOG:  statement: alter role app password '${secret}'`),
    );
    const { lines } = await readLines(piece, { keep_literals: true });
    expect(lines[0]?.message).toContain("where mail = 'ada@example.com'");
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('are none where there is no room, and counted all the same', async () => {
    for (const room of [undefined, { bytes: 0 }]) {
      const { found } = await readLines(TWO, { room });
      expect(found.blocks).toEqual([]);
      expect(found.counts.map(({ events, kept }) => [events, kept])).toEqual([
        [1, 0],
        [1, 0],
      ]);
    }
  });

  it('are sampled by class where there is little room, so that a flood leaves the others', async () => {
    const flood = line('09:59:00.000', SLOW).repeat(3000);
    const few = line('09:59:30.000', 'LOG:  something of an extension').repeat(20);
    const { found, lines } = await readLines(Buffer.from(flood + few), { room: { bytes: 20_000 } });
    const of = (name: string) => lines.filter((one) => one.class === name).length;
    expect(of('')).toBe(20);
    expect(of('slow_statement')).toBeGreaterThan(100);
    expect(of('slow_statement')).toBeLessThan(500);
    expect(found.counts.reduce((sum, { events }) => sum + events, 0)).toBe(3020);
    expect(found.counts.reduce((sum, { kept }) => sum + kept, 0)).toBe(lines.length);
  });

  it('beyond the rows of a class are kept as well, each once', async () => {
    const { found } = await readLines(
      Buffer.from(line('09:59:00.000', 'ERROR:  deadlock detected').repeat(300)),
    );
    expect(found.events).toHaveLength(200);
    expect((await linesIn(found)).length).toBe(100);
    expect(found.counts).toEqual([expect.objectContaining({ events: 300, kept: 300 })]);
  });

  it('are in blocks of an hour, and older ones than are kept are in none', async () => {
    const old = `2026-11-19 09:00:00.000 UTC [7] app@shop LOG:  something old\n`;
    const piece = line('07:10:00.000', 'LOG:  first') + line('09:10:00.000', 'LOG:  second') + old;
    const { found, lines } = await readLines(Buffer.from(piece));
    expect(found.blocks).toHaveLength(2);
    expect(lines.map(({ message }) => message)).toEqual(['first', 'second']);
  });

  it('of plans leave the tree out', async () => {
    const plan = `LOG:  duration: 12.5 ms  plan:\n\tQuery Text: select 1\n\tResult  (cost=0.00..0.01 rows=1 width=4)`;
    const { lines } = await readLines(Buffer.from(line('09:59:00.000', plan)));
    expect(lines).toMatchObject([{ class: 'plan', message: 'duration: 12.5 ms  plan:' }]);
  });

  it('that are huge, tiny, empty, with NUL or in another encoding are bounded and whole', async () => {
    const huge = line('09:59:00.000', `LOG:  ${'x y '.repeat(200_000)}`);
    const tiny = line('09:59:01.000', 'LOG:  a').repeat(5000);
    const odd = Buffer.from(line('09:59:02.000', 'LOG:  a\0b \xff\xfe'), 'latin1');
    const { found, lines } = await readLines(Buffer.concat([Buffer.from(huge + tiny), odd]));
    expect(found.counts.reduce((sum, { events }) => sum + events, 0)).toBe(5002);
    expect(lines).toHaveLength(5002);
    expect(lines[0]?.message.length).toBeLessThanOrEqual(8001);
    expect(lines.at(-1)?.message).toMatch(/^a\ufffd?b \ufffd\ufffd$/);
  });
});
