// Links of answers lead to the pages of the navigation, and to none by which people sign in.
import { expect, it } from 'vitest';
import { ownPath } from '../features/assistant/chat/own-path.ts';
import { PAGES } from './pages.ts';

it('opens every page but those for people who are not signed in', () => {
  const example = (path: string) => path.replaceAll(/:\w+/g, '7');
  const wrong = PAGES.filter(
    ({ path, isPublic }) => (ownPath(example(path)) === undefined) !== (isPublic === true),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});
