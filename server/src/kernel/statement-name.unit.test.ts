import { expect, it } from 'vitest';
import { withVisibleName } from './statement-name.ts';

it.each([
  ['/* room.list */\n  select 1', 'select /* room.list */ 1'],
  [
    '\n    /* room.flush */\n    with a as (select 1) select 2',
    'with /* room.flush */ a as (select 1) select 2',
  ],
  ['select 1', 'select 1'],
  ['select /* inside */ 1', 'select /* inside */ 1'],
  ['/* alone */', '/* alone */'],
])('%j', (text, sent) => {
  expect(withVisibleName(text)).toBe(sent);
});
