// Reading and classifying, line by line, without a server. Guards: every line is counted, and each class knows its own examples.
import { describe, expect, it } from 'vitest';
import { classes } from './classes/catalog.gen.ts';
import { classify } from './classify.ts';
import { LogReader } from './read/reader.ts';
import { Summary } from './summary.ts';
import type { LogEvent } from './types.ts';

function read(bytes: Buffer, prefix?: string) {
  const events: LogEvent[] = [];
  const summary = new Summary();
  const reader = new LogReader({
    emit: (event) => {
      events.push(event);
      summary.add(event);
    },
    prefix,
    year: 2026,
  });
  for (let at = 0; at < bytes.length; at += 7) reader.push(bytes.subarray(at, at + 7));
  reader.end();
  const skipped = [...reader.skipped.values()].reduce((sum, lines) => sum + lines, 0);
  expect(summary.eventLines + skipped).toBe(reader.lines);
  return { events, summary, reader };
}

const AT = '2026-11-27 11:00:00.123 UTC';

describe('log files', () => {
  it.each(classes.map((one) => [one.name, one] as const))('%s knows its examples', (name, one) => {
    for (const { line } of one.examples) {
      const { events } = read(Buffer.from(`${AT} [12] ${line}\n`));
      expect(events.map((event) => classify(event).one?.name)).toEqual([name]);
    }
  });

  it('puts interleaved lines to their processes', () => {
    const text = [
      `${AT} [1] ERROR:  deadlock detected`,
      `${AT} [2] ERROR:  division by zero`,
      `${AT} [1] DETAIL:  Process 1 waits for ShareLock on transaction 5; blocked by process 2.`,
      '\tProcess 1: update a',
      `${AT} [2] STATEMENT:  select 1/0`,
    ].join('\r\n');
    const { events, summary } = read(Buffer.from(text));
    expect(events.map(({ lines }) => lines)).toEqual([3, 2]);
    expect(Object.fromEntries(summary.sqlstates)).toEqual({ '40P01': 1, '22012': 1 });
    expect(summary.deadlocks[0]?.sides[0]).toMatchObject({ pid: 1, statement: 'update a', blocked_by: 2 });
  });

  it('takes the position in the statement, which stderr writes behind the text, for no part of the text', () => {
    const { events, summary } = read(
      Buffer.from(
        [
          `${AT} [1] ERROR:  canceling statement due to lock timeout at character 22`,
          `${AT} [2] LOG:  process 2 still waiting for ShareLock on relation 5 of database 5 after 104.3 ms at character 9`,
          `${AT} [3] ERROR:  stopped at character of the line`,
        ].join('\n'),
      ),
    );
    expect([...summary.classes.keys()]).toEqual(['lock_timeout', 'lock_wait']);
    expect(events.at(-1)?.message).toBe('stopped at character of the line');
  });

  it('reads on where prefix and format change, and counts what is none of PostgreSQL', () => {
    const text = [
      '\tthe end of an event before',
      `${AT} [1] LOG:  checkpoint starting: time`,
      'cp: cannot stat a file',
      `2026-11-27 11:00:01 UTC [1]: [2-1] user=a,db=b,app=c,client=d ERROR:  relation "x" does not exist`,
      `{"timestamp":"${AT}","pid":7,"error_severity":"ERROR","state_code":"40P01","message":"deadlock detected"}`,
      `Nov 27 11:00:02 host postgres[9]: [5-1] ERROR:  syntax error at or near "a`,
      'Nov 27 11:00:02 host postgres[9]: [5-2] "',
      '\u0000\u0001\u0002\u0003',
    ].join('\n');
    const { summary, reader } = read(Buffer.from(text));
    expect([...summary.classes.keys()].toSorted()).toEqual([
      'checkpoint_starting',
      'deadlock',
      'syntax_error',
      'undefined_table',
    ]);
    expect([...reader.skipped.values()]).toEqual([1, 1, 1]);
  });
});
