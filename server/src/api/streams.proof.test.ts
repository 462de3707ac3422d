// Streams of events that live while nothing happens, and end with the session or the rights of who reads them, within seconds. What
// stands on the wire is in streams.test.ts.
import { expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { endless, never, one, streamTests } from '../testing/streams.ts';

const { test, ended, make, open } = streamTests();

it('a stream says that it lives while nothing happens, also before the first event', async () => {
  make(async function* (ctx) {
    yield await never(ctx.signal);
  });
  const stream = await open(test().actors.owner.session);
  await stream.until(/^:keepalive\n\n:keepalive\n\n/);
  stream.leave();
});

it('a stream ends when the session ends, and tells whoever works who the caller is now', async () => {
  const names: (string | undefined)[] = [];
  make(async function* (ctx) {
    yield one(1);
    await expect.poll(() => ctx.principal?.username).toBe('renamed-meanwhile');
    names.push(ctx.principal?.username);
    yield one(2);
    await never(ctx.signal);
  });
  const user = await makeUser(test().db, { is_superuser: true });
  const stream = await open(user.session);
  await stream.until('id: 1');
  await test().db.run(sql`/* test.rename */
    update matriarch.users set username = 'renamed-meanwhile' where id = ${user.user_id}`);
  await stream.until('id: 2');
  expect(names).toEqual(['renamed-meanwhile']);
  await test().db.run(
    sql`/* test.sign_out */ delete from matriarch.sessions where user_id = ${user.user_id}`,
  );
  expect(await stream.all()).not.toContain('error');
}, 60_000);

it('a stream ends when access to the connection ends', async () => {
  make(endless(ended));
  const stream = await open(test().actors.other.session, { connection: test().actors.shared_connection });
  await stream.until('tick');
  await test().db.run(sql`/* test.unshare */
    update matriarch.connections set is_shared = false where id = ${test().actors.shared_connection}`);
  await stream.all();
  await expect.poll(() => ended).toEqual(['over']);
}, 60_000);
