// Names that wait for an id, and are answered by others of the same key.
import { expect, it } from 'vitest';
import { Names, type ObjectRef } from './object-names.ts';

const ref = (key: string, labelsJson: string, more: Partial<ObjectRef> = {}): ObjectRef => ({
  key,
  keyJson: key,
  labelsJson,
  id: undefined,
  dirty: false,
  ...more,
});

it('what a replay has named waits no longer, unless its labels have changed meanwhile', () => {
  const names = new Names(3);
  const [same, renamed, other] = [ref('a', 'x'), ref('b', 'new'), ref('c', 'x')];
  for (const [index, one] of [same, renamed, other].entries()) names.await(one, index);
  names.learn([
    ref('a', 'x', { id: 7 }),
    ref('b', 'old', { id: 8 }),
    ref('d', 'x', { id: 9 }),
    ref('c', 'x'),
  ]);
  expect([names.idOf(0), names.idOf(1), names.idOf(2)]).toEqual([7, undefined, undefined]);
  expect([...names.waiting]).toEqual([
    [1, renamed],
    [2, other],
  ]);
  expect(renamed).toMatchObject({ id: 8, dirty: true });
  expect(other).toMatchObject({ id: undefined, dirty: false });
});
