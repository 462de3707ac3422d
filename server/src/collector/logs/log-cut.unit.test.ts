import { describe, expect, it } from 'vitest';
import { wholeEvents } from './log-cut.ts';

const first = '2026-11-27 10:00:00.000 UTC [1] ERROR:  one\n';
const second = '2026-11-27 10:00:01.000 UTC [2] ERROR:  two\n';
const more = '2026-11-27 10:00:01.000 UTC [2] STATEMENT:  select\n\t1 as "LOG:  x"\n';

const cut = (text: string, format: 'stderr' | 'csvlog' | 'jsonlog', isQuiet = false) =>
  text.slice(0, wholeEvents(Buffer.from(text), { format, isQuiet }));

describe('what is whole of a piece of a log', () => {
  it.each([
    ['the last event may go on', first + second, false, first],
    ['lines of the last event are part of it', first + second + more, false, first],
    ['a line without its end', `${first}${second}2026-11-27 10`, false, first],
    ['nothing more is written', first + second + more, true, first + second + more],
    ['a line without its end where nothing more is written', `${first}2026`, true, first],
    ['the only event', second + more, false, ''],
    ['no line that is whole', '2026-11-27 10:00', true, ''],
    ['an empty line', '\n', false, '\n'],
    ['lines of another program', 'hello\nworld\n', false, ''],
    ['nothing', '', false, ''],
  ])('stderr: %s', (...[, text, isQuiet, whole]) => {
    expect(cut(text, 'stderr', isQuiet)).toBe(whole);
  });

  it('csvlog: a record may hold line ends', () => {
    expect(cut('a,"b\nc""\n",d\ne,"f\n', 'csvlog', true)).toBe('a,"b\nc""\n",d\n');
    expect(cut('a,b\nc,d\n', 'csvlog')).toBe('a,b\nc,d\n');
  });

  it('jsonlog: a line is an event', () => {
    expect(cut('{"a":1}\n{"b":2}\n{"c"', 'jsonlog')).toBe('{"a":1}\n{"b":2}\n');
  });
});
