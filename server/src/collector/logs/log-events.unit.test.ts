import { describe, expect, it } from 'vitest';
import { inZone } from './in-zone.ts';
import { eventsOf } from './log-events.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const SOURCE = { prefix: '%m [%p] %q%u@%d ', time_zone: 'Etc/UTC' };
const read = (bytes: Buffer) => eventsOf({ bytes, ...SOURCE, now: NOW, scrub: (text) => text });

describe('times of a log whose zone has an abbreviation only', () => {
  it.each([
    ['winter', '2026-01-15T12:00:00Z', 'Europe/Berlin', '2026-01-15T11:00:00Z'],
    ['summer', '2026-07-15T12:00:00Z', 'Europe/Berlin', '2026-07-15T10:00:00Z'],
    ['just before the clock goes on', '2026-03-29T01:59:00Z', 'Europe/Berlin', '2026-03-29T00:59:00Z'],
    ['just after it went on', '2026-03-29T03:01:00Z', 'Europe/Berlin', '2026-03-29T01:01:00Z'],
    ['half an hour', '2026-07-15T12:00:00Z', 'Asia/Kolkata', '2026-07-15T06:30:00Z'],
    ['a zone that is not known', '2026-07-15T12:00:00Z', 'Nowhere/Else', '2026-07-15T12:00:00Z'],
  ])('%s', (...[, local, zone, moment]) => {
    expect(new Date(inZone(Date.parse(local), zone)).toISOString()).toBe(new Date(moment).toISOString());
  });
});

describe('a piece of a log', () => {
  const line = (time: string, text: string) => `${time} UTC [7] app@shop ${text}\n`;

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
