// What is kept of the estate between requests never shows: rights are asked anew, changes show at once, and a reply is as
// old as it says. The clock stands still, so that nothing here comes from a reading having grown old.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { compileReply } from '../../kernel/reply-filter.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { getEstate } from './estate.contract.ts';
import { estateRoutes } from './estate.routes.ts';

const clock = manualClock(systemClock.now());
let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [estateRoutes], clock });
});
afterAll(() => test.close());

interface Server {
  connection_id: number;
  name: string;
  may_manage: boolean;
  connection_error: string | null;
  owner_username: string;
}

interface EstateAnswer {
  text: string;
  is_read: boolean;
  /** With what was collected. */
  is_sampled: boolean;
  generated_at: string;
  servers: Server[];
}

async function ask(token: string): Promise<EstateAnswer> {
  test.statements.reset();
  const { status, text } = await test.call('GET /api/v1/estate', { token });
  expect(status, text).toBe(200);
  const isSent = (name: string) => test.statements.sent.some((sent) => sent.includes(name));
  const is_sampled = isSent('estate.samples');
  const is_read = is_sampled || isSent('estate.list');
  const body: { generated_at: string; servers: Server[] } = JSON.parse(text);
  return { ...body, text, is_read, is_sampled };
}

const seen = ({ servers }: EstateAnswer, id: number) =>
  servers.find(({ connection_id }) => connection_id === id);

async function scene() {
  const { user_id, session } = await makeUser(test.db);
  const id = await makeConnection(test.db, { owner_id: user_id, name: 'alpha', is_monitored: true });
  await ask(session);
  expect((await ask(session)).is_read).toBe(false);
  return { user_id, session, id };
}

it('shows what was changed, by whomever, in the next reply', async () => {
  const { user_id, session, id } = await scene();
  await test.db.run(sql`/* test.rename */ update matriarch.connections set name = 'gamma' where id = ${id}`);
  expect(seen(await ask(session), id)?.name).toBe('gamma');
  await reported(test.db, id, 'The password is not right.');
  expect(seen(await ask(session), id)?.connection_error).toBe('The password is not right.');
  await test.db.run(sql`/* test.rename_user */
    update matriarch.users set username = 'renamed' || id where id = ${user_id}`);
  expect(seen(await ask(session), id)?.owner_username).toMatch(/^renamed/);
  await test.db.run(sql`/* test.delete */
    update matriarch.connections set deleted_at = now() where id = ${id}`);
  expect(seen(await ask(session), id)).toBeUndefined();
});

it('says when it was read, and reads anew after two seconds', async () => {
  const { session, id } = await scene();
  await collected(test.db, { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] });
  const first = await ask(session);
  clock.advance(1999);
  const second = await ask(session);
  expect([second.is_read, second.generated_at]).toEqual([false, first.generated_at]);
  clock.advance(1);
  const third = await ask(session);
  expect([third.is_read, Date.parse(third.generated_at)]).toEqual([true, clock.now()]);
  expect(seen(third, id)).toMatchObject({ status: 'online', response_time_ms: 1 });
});

it('shows what people change at once, beside samples that were read before, until one more server has any', async () => {
  const { session, id } = await scene();
  await collected(test.db, { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 7 }] });
  clock.advance(2000);
  expect((await ask(session)).is_sampled).toBe(true);
  await test.db.run(sql`/* test.rename */
    update matriarch.connections set name = 'renamed' where id = ${id}`);
  const renamed = await ask(session);
  expect([renamed.is_read, renamed.is_sampled]).toEqual([true, false]);
  expect(seen(renamed, id)).toMatchObject({ name: 'renamed', status: 'online', response_time_ms: 7 });
  expect((await ask(session)).is_read).toBe(false);
  await reported(test.db, id, 'Nothing listens there.');
  expect(await ask(session)).toMatchObject({ is_sampled: true });
  await makeConnection(test.db, { owner_id: 1 });
  expect(await ask(session)).toMatchObject({ is_sampled: true });
});

it('S12 knows no rights: a grant and its end show at once, and so does what may be done', async () => {
  const { id } = await scene();
  const other = await makeUser(test.db);
  expect(seen(await ask(other.session), id)).toBeUndefined();
  const group = await makeGroup(test.db, {
    users: [other.user_id],
    connections: { [id]: 'read_write' },
  });
  const granted = await ask(other.session);
  expect([granted.is_read, seen(granted, id)?.may_manage]).toEqual([false, false]);
  await test.db.run(sql`/* test.permit */
    insert into matriarch.group_permissions (group_id, permission) values (${group}, 'manage_connections')`);
  expect(seen(await ask(other.session), id)?.may_manage).toBe(true);
  await test.db.run(sql`/* test.revoke */
    delete from matriarch.group_connections where group_id = ${group}`);
  expect(seen(await ask(other.session), id)).toBeUndefined();
});

it('S12 a token that may only read does not manage what its owner does', async () => {
  const { user_id, session, id } = await scene();
  const token = await makeToken(test.db, user_id, {
    scope: { connections: [{ connection_id: id, level: 'read' }] },
  });
  expect(seen(await ask(session), id)?.may_manage).toBe(true);
  const narrow = await ask(token);
  expect([narrow.is_read, narrow.servers.length, seen(narrow, id)?.may_manage]).toEqual([false, 1, false]);
  const nothing = await makeToken(test.db, user_id, { scope: { connections: [] } });
  expect((await ask(nothing)).servers).toEqual([]);
});

it('fits its schema to the letter', async () => {
  const { session, id } = await scene();
  await collected(test.db, { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] });
  for (const token of [session, test.actors.superuser.session]) {
    const { text } = await ask(token);
    expect(compileReply(getEstate.success.schema)(JSON.parse(text))).toBe(text);
  }
});
