// Statements that are written once, for whatever values.
import { expect, it } from 'vitest';
import { prepared, preparedOnce, sql } from './sql.ts';

it('is written once, and takes each value to wherever it goes', () => {
  let written = 0;
  const statement = preparedOnce(['id', 'word'], ({ id, word }) => {
    written += 1;
    return sql`select ${word}, ${sql`${id} + ${7}`} where ${id} > ${word}`;
  });
  expect(written).toBe(0);
  const first = statement({ id: 1, word: 'a' });
  const second = statement({ word: undefined, id: [2] });
  expect(written).toBe(1);
  expect(first).toEqual({
    text: 'select $1, $2 + $3 where $2 > $1',
    values: ['a', 1, 7],
    name: expect.stringMatching(/^m_[0-9a-f]{32}$/),
  });
  expect(second).toEqual({ ...first, values: [undefined, [2], 7] });
});

it('goes by the same name as the same text that is written each time', () => {
  const once = preparedOnce(['id'], ({ id }) => sql`select ${id}`)({ id: 1 });
  expect(once).toEqual(prepared(sql`select ${1}`));
});
