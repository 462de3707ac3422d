// The budget of costly reads over HTTP: whoever asks for days again and again is asked to wait, and nobody else is; the same question of
// many is answered once.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { COSTLY_READS } from '../../identity/access/costly-reads.ts';
import { sql } from '../../kernel/sql.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { timelineRoutes } from './timeline.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [connectionsRoom, timelineRoutes] });
});
afterAll(() => test.close());

const dayOf = (n: number) => `start_time=2026-11-0${n}T10:00:00Z&end_time=2026-11-0${n + 1}T10:00:00Z`;

const atWork = async () => {
  const { count } = await test.db.one<{ count: number }>(sql`/* test.at_work */
    select count(*)::integer as count
    from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query like '%store.objects_made%'`);
  return count;
};

/** While nothing can be read of what came. */
async function held(work: () => Promise<void>): Promise<void> {
  await test.db.transaction(async (db) => {
    await db.run({ text: 'lock table metrics.objects in access exclusive mode', values: [] });
    await work();
  });
}

const look = { timeout: 10_000, interval: 20 };

it('more at once than a person has are refused with a time to come back, and another person is served', async () => {
  const { superuser, owner } = test.actors;
  const replies: Promise<{ status: number }>[] = [];
  await held(async () => {
    for (let n = 1; n <= COSTLY_READS.at_once; n += 1)
      replies.push(test.call(`GET /api/v1/changes?${dayOf(n)}`, { token: superuser.session }));
    await vi.waitFor(async () => expect(await atWork()).toBeGreaterThan(0), look);
    const refused = await test.call(`GET /api/v1/timeline/events?${dayOf(7)}`, { token: superuser.session });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.error).toBe(
      `You already have ${COSTLY_READS.at_once} costly reads under way. Try again in 5 seconds.`,
    );
    const other = await test.call('GET /api/v1/connections', { token: owner.session });
    expect(other.status).toBe(200);
  });
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(replies.map(() => 200));
  const after = await test.call(`GET /api/v1/changes?${dayOf(7)}`, { token: superuser.session });
  expect(after.status).toBe(200);
});

it('the same question of many who see the same is read once', async () => {
  const { superuser } = test.actors;
  const replies: Promise<{ text: string }>[] = [];
  await held(async () => {
    for (let n = 0; n < COSTLY_READS.at_once; n += 1)
      replies.push(test.call(`GET /api/v1/changes?${dayOf(8)}`, { token: superuser.session }));
    await vi.waitFor(async () => expect(await atWork()).toBe(1), look);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await atWork()).toBe(1);
  });
  const texts = new Set((await Promise.all(replies)).map(({ text }) => text));
  expect(texts.size).toBe(1);
});
