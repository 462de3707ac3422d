// A copy that is killed in the middle and started again, a part of it that fails, and targets that hold something else. What all
// copies hold is in copy.kit.test.ts.
import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { copyTests, emptyTarget } from '../../testing/store/copied.ts';

const { copy, check } = copyTests();

it('goes on where it was interrupted, and writes nothing twice', async () => {
  const target = await emptyTarget();
  const killed = new AbortController();
  const first: string[] = [];
  const onPart = (name: string) => {
    first.push(name);
    if (/^metrics\.test_\w+ \d/.test(name)) killed.abort(new Error('killed'));
  };
  await expect(copy(target, { signal: killed.signal, onPart })).rejects.toThrow('killed');
  await check(target);
  const second: string[] = [];
  const compared = await copy(target, { onPart: (name) => second.push(name) });
  expect(compared.filter(({ is_same }) => !is_same)).toEqual([]);
  expect(first.length).toBeGreaterThan(10);
  expect(second.length).toBeGreaterThan(0);
  expect(second.filter((name) => first.includes(name))).toEqual([]);
  const third: string[] = [];
  await copy(target, { onPart: (name) => third.push(name) });
  expect(third).toEqual([]);
});

it('leaves nothing of a part whose COPY fails, and both sides usable', async () => {
  const target = await emptyTarget();
  await target.db.run(sql`alter table metrics.facts add constraint no_such check (item_key = 'nobody')`);
  await expect(copy(target)).rejects.toThrow('no_such');
  expect(await target.db.rows(sql`select 1 from metrics.facts`)).toEqual([]);
  await target.db.run(sql`alter table metrics.facts drop constraint no_such`);
  expect((await copy(target)).filter(({ is_same }) => !is_same)).toEqual([]);
});

it('refuses a target with accounts of its own, or with a copy of another datastore', async () => {
  const target = await emptyTarget();
  await check(target);
  await target.db.run(sql`insert into matriarch.users (username) values ('somebody')`);
  await expect(check(target)).rejects.toThrow('already holds accounts, connections or metrics of its own');
  const other = await emptyTarget();
  await copy(other);
  await check(other);
  await other.db.run(sql`update matriarch_copy.run set source = 'another'`);
  await expect(check(other)).rejects.toThrow('holds a copy of another datastore');
});
