// Parts of messages become whole in whatever order they come; what never becomes whole is said.
import { expect, it } from 'vitest';
import { MessageGroups } from './groups.ts';
import type { SyslogMessage } from './message.ts';

const message = (sequence: string, part: number, more: Partial<SyslogMessage> = {}): SyslogMessage => ({
  ...{ host: 'db1', app: 'postgres', pid: '7', time: 0, sequence, part, text: `text ${sequence}.${part}` },
  ...more,
});
const texts = (lines: readonly string[]) => lines.map((line) => line.replace(/^.*text /, ''));

it('are put in order, once each, after two seconds without another', () => {
  const groups = new MessageGroups();
  groups.add(message('5', 2), 0);
  groups.add(message('5', 1), 100);
  groups.add(message('5', 2), 200);
  groups.add(message('5', 1, { pid: '8' }), 300);
  expect(groups.take(2000)).toEqual({ lines: [], incomplete: 0 });
  groups.add(message('5', 3), 2100);
  expect(texts(groups.take(2400).lines)).toEqual(['5.1']);
  expect(texts(groups.take(4100).lines)).toEqual(['5.1', '5.2', '5.3']);
  expect(groups.size).toBe(0);
});

it('that miss a part are said, and without the first glued to nothing', () => {
  const groups = new MessageGroups();
  groups.add(message('5', 2), 0);
  groups.add(message('6', 1), 0);
  groups.add(message('6', 3), 0);
  const { lines, incomplete } = groups.take(5000);
  expect(texts(lines)).toEqual(['6.1', '6.3']);
  expect(incomplete).toBeGreaterThan(100);
  expect(groups.take(9000)).toEqual({ lines: [], incomplete: 0 });
});

it('without numbers keep their order, and are not held for ever', () => {
  const groups = new MessageGroups();
  for (let n = 1; n <= 30; n += 1) groups.add(message('', 1, { text: `text ${n}` }), n * 400);
  expect(texts(groups.take(30 * 400).lines)).toEqual(Array.from({ length: 30 }, (_none, n) => `${n + 1}`));
});

it('are all taken at the end', () => {
  const groups = new MessageGroups();
  groups.add(message('5', 1), 0);
  expect(texts(groups.take(1, true).lines)).toEqual(['5.1']);
});
