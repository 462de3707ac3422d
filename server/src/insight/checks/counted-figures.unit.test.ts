// What is counted for minutes is not called a rate per day: the figure is of a day, or of what there is of it.
import { expect, it } from 'vitest';
import { check as deadlocks } from './deadlocks.ts';
import { check as cancelled } from './standby-cancels-queries.ts';
import { check as evicted } from './statements-evicted.ts';
import { check as tempFiles } from './temp-files-heavy.ts';

it('names what was counted within a day', () => {
  for (const { name, figureName } of [deadlocks, cancelled, evicted, tempFiles])
    expect(figureName, name).toMatch(/ within a day$/);
});
