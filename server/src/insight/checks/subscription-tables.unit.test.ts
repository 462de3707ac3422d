// A subscription that is disabled copies no table, which is what was asked of it.
import { expect, it } from 'vitest';
import { Facts } from './facts.ts';
import { check } from './subscription-tables-not-ready.ts';

it('tables of a disabled subscription wait on purpose', () => {
  const found = (subenabled?: boolean) => {
    const reading = (row: object) => [{ database_name: 'shop', collected_at: 1, rows: [{ ...row }] }];
    const table = { srsubid: 7, subname: 's', schemaname: 'public', relname: 't', srsubstate: 'i' };
    const known =
      subenabled === undefined ? [] : [['pg_stat_subscription', reading({ subid: 7, subenabled })] as const];
    return check.judge(
      new Facts({ now: 1, readings: new Map([['pg_subscription_rel', reading(table)], ...known]) }),
    ).found;
  };
  expect(found(true)).toHaveLength(1);
  expect(found()).toHaveLength(1);
  expect(found(false)).toEqual([]);
});
