// Questions answered by rules, of a real server under a load that the test makes, read by the real collector: who blocks whom, what
// changed, what is wrong; then, when it is over, and of a time before anybody looked. What needs no server is in answers.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse, SOON } from '../../testing/collecting-tests.ts';
import { openClient } from '../../testing/servers/client.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { answersRoutes } from './answers.routes.ts';
import type { Answer } from './answers.schemas.ts';

type AnswerBody = Static<typeof Answer>;

it('says of a real server who blocks whom, what changed and what is wrong', {
  timeout: 300_000,
}, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [answersRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  await server.query('create table stock (id integer primary key, n integer)');
  await server.query('create index stock_n on stock (n)');
  await server.query('insert into stock select i, 0 from generate_series(1, 100) i');
  const id = await house.connect(server);
  house.start();
  const ask = async (question: string, query = ''): Promise<AnswerBody> => {
    const path = `GET /api/v1/connections/${id}/answers/${question}?${query}` as const;
    const { status, text, body } = await api.call(path, { token });
    expect(status, text).toBe(200);
    return body as AnswerBody;
  };
  const readAnew = () =>
    house.db.run(
      sql`/* test.edit */ update matriarch.connections set revision = revision + 1 where id = ${id}`,
    );
  await expect
    .poll(async () => (await ask('what_is_wrong')).unknown.map(({ about }) => about), SOON)
    .toEqual(['What checks find']);
  // A setting has changed only once it was read as it was before.
  await expect.poll(async () => (await house.snapshot(id, 'pg_settings'))?.outcome, SOON).toBe('ran');
  const before = new Date().toISOString();
  expect((await ask('who_blocks_whom')).summary).toBe('No session waits for another.');

  const [holder, waiter] = [await openClient(server, 'nightly'), await openClient(server, 'checkout')];
  onTestFinished(async () => {
    await holder.end();
    await waiter.end();
  });
  await server.query('drop index stock_n');
  await holder.query('begin');
  await holder.query('update stock set n = 1 where id = 1');
  void waiter.begin('update stock set n = 2 where id = 1');
  await server.query(`alter system set work_mem = '7MB'`);
  await server.query('select pg_reload_conf()');
  // The server follows in its own time, and the collector reads its settings once an hour.
  const inForce = () => server.query(`select from pg_settings where name = 'work_mem' and setting = '7168'`);
  await expect.poll(async () => (await inForce()).length, SOON).toBe(1);
  await readAnew();

  await expect.poll(async () => (await ask('who_blocks_whom')).total_count, SOON).toBe(1);
  const blocking = await ask('who_blocks_whom');
  expect(blocking.points[0]).toMatchObject({
    kind: 'lock',
    name: `pid ${holder.pid}`,
    about: 'postgres',
    severity: 'warning',
    path: expect.stringContaining(`/servers/${id}?tab=locks`),
  });
  expect(blocking.points[0]?.says).toMatch(
    /^Session \d+ \(nightly\) has been idle in a transaction for \d+ s and holds up 1 other session, the longest for \d+ s\.$/,
  );
  expect(blocking.summary).toMatch(/^1 session waits for 1 other\. Session /);

  const changed = async () => {
    const { points } = await ask('what_changed');
    return points.filter(({ kind }) => kind === 'change').map(({ name }) => name);
  };
  await expect.poll(changed, SOON).toEqual(expect.arrayContaining(['config_change', 'index_dropped']));
  const wrong = await ask('what_is_wrong');
  expect(wrong.points[0]).toMatchObject({ kind: 'lock', name: `pid ${holder.pid}` });
  expect(wrong.points.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['config_change', 'index_dropped']),
  );
  expect(wrong.summary).toMatch(/^1 thing is wrong\. Session \d+ \(nightly\)/);
  expect((await ask('what_is_wrong', 'limit=1')).points).toHaveLength(1);

  // The remedy that is shown, in the state that it is shown for.
  const remedy = blocking.points[0]?.sql ?? '';
  expect(remedy).toMatch(/^select pg_terminate_backend\(pid\) .*;$/);
  await server.query(remedy);
  await expect.poll(async () => (await ask('who_blocks_whom')).total_count, SOON).toBe(0);
  const then = blocking.points[0]?.as_of ?? '';
  const past = await ask('who_blocks_whom', `end_time=${then}`);
  expect(past.points[0]?.name).toBe(`pid ${holder.pid}`);
  expect((await ask('who_blocks_whom', `end_time=${before}`)).points).toEqual([]);
  const nobody = await ask('who_blocks_whom', 'end_time=2020-01-01T00:00:00Z');
  expect(nobody.summary).toBe('Who waited for whom at that time is unknown.');
  expect(nobody.unknown).toHaveLength(1);

  const slow = await ask('what_is_slow');
  expect(slow.points.every(({ kind }) => kind === 'statement' || kind === 'wait')).toBe(true);
  const out = await ask('what_runs_out');
  expect(out.unknown.map(({ about }) => about)).toEqual(['All of it']);
});
