// A point of an answer by rules as the chat says it: its statement is code of its own, whatever stands in it.
import { expect, it } from 'vitest';
import type { Point } from '../answers/answers.types.ts';
import { headOf, itemOf } from './run-rules.ts';

const POINT: Omit<Point, 'sql'> = {
  ...{ kind: 'lock', name: 'pid 7', severity: 'critical', says: 'Session 7 holds up 2 others.' },
  ...{ advice: 'End the session:', about: null, since: null, as_of: null, path: '/' },
};

it('sets a statement as code, and nothing where there is none', () => {
  expect(itemOf({ ...POINT, sql: 'select pg_terminate_backend(7);' })).toBe(
    '- Session 7 holds up 2 others. End the session:\n\n  ```sql\n  select pg_terminate_backend(7);\n  ```\n',
  );
  expect(itemOf({ ...POINT, advice: null, sql: null })).toBe('- Session 7 holds up 2 others.');
});

it('lets no name end the code', () => {
  const sql = "rollback prepared 'a\n```\n# b';";
  expect(
    itemOf({ ...POINT, sql })
      .split('\n')
      .slice(2),
  ).toEqual([...['  ````sql', "  rollback prepared 'a", '  ```', "  # b';", '  ````', '']]);
});

it('says nothing before the points that a point says', () => {
  const [one, other] = ['Sequence "t" is at $& of 90 %.', 'Session 7 holds up 2 others.'].map((says) => ({
    ...POINT,
    says,
    sql: null,
  }));
  if (!one || !other) throw new Error('There are two.');
  expect(
    headOf(`2 things are wrong. ${one.says} ${other.says} 1 thing could not be looked at.`, [one, other]),
  ).toBe('2 things are wrong. 1 thing could not be looked at.');
  expect(headOf(`${one.says} ${other.says}`, [one, other])).toBe('');
  expect(headOf('No session waits for another.', [])).toBe('No session waits for another.');
});
