// Notifications that are held back: nothing goes out, it is said where people look, and a person decides what becomes of what waited.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli } from '../../cli/cli.ts';
import { silentLog } from '../../kernel/log.ts';
import { failingParts, PartStates } from '../../kernel/part-states.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { channelsOf } from '../../testing/rooms/channels.ts';
import { startDelivery } from '../notification-channels/delivery.ts';

let scene: OutboxScene;
let parts: PartStates;
let stop: () => Promise<void>;
beforeAll(async () => {
  scene = await outboxScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.reset();
  const { api, clock } = scene;
  await api.db.run(sql`/* test.free */ delete from matriarch.notification_holds`);
  parts = new PartStates(api.db, clock, 'held');
  const { vault, sender } = await channelsOf(api.parts);
  const own = { db: api.db, clock, log: silentLog, vault, sender, url: api.database.url, parts };
  const more = { base_url: undefined, group_seconds: 0, random: () => 0, everyMs: 20 };
  const part = startDelivery({ ...own, ...more });
  stop = () => part.stop();
});
afterEach(async () => {
  await stop();
  await parts.leave();
});

async function notifications(...args: string[]) {
  const said: string[] = [];
  const io = {
    out: (line: string) => said.push(line),
    err: (line: string) => said.push(line),
    interactive: false,
    readSecret: () => Promise.resolve(new Secret('')),
    db: () => Promise.resolve(scene.api.database.db),
    migrate: () => Promise.resolve([]),
    clock: scene.clock,
    log: silentLog,
    config: () => expect.fail('asks for settings'),
  };
  return { code: await runCli(io, ['notifications', ...args]), said: said.join('\n') };
}

/** Held, with one notification that waits. */
async function held() {
  expect(await notifications('hold', '--reason', 'A copy to try an upgrade.')).toMatchObject({ code: 0 });
  await scene.channel('one');
  const alert = await scene.alert((await scene.server()).target);
  await scene.queue([scene.fire(alert)]);
  const state = () =>
    scene.api.db.maybe<{ failure: string | null }>(sql`/* test.state */
      select s.failure from matriarch.part_states s where s.part = 'delivery' and s.owner = 'held'`);
  await expect.poll(async () => (await state())?.failure ?? '').toMatch(/^Notifications are held since/);
  expect([scene.arrived(), await scene.states()]).toEqual([[], { queued: 1 }]);
}

it('sends nothing while they are held, and says since when, why, and what lets them go', async () => {
  await held();
  await scene.api.db.run(sql`/* test.minute */
    update matriarch.part_states set failing_since = failing_since - interval '61 seconds'`);
  const failing = (await failingParts(scene.api.db)).find(({ part }) => part === 'delivery');
  expect(failing?.failure).toMatch(
    /^Notifications are held since 2.* UTC: A copy to try an upgrade\. Run .*notifications release to send them\.$/,
  );
});

it('sends what waited when they are released, also after days', async () => {
  await held();
  scene.clock.advance(3 * DAY_MS);
  scene.peer.answer = { status: 500 };
  expect(await notifications('release')).toEqual({ code: 0, said: '1 notification released.' });
  // An answer that fails once does not give up what waited for longer than a delivery is tried.
  await expect.poll(() => scene.peer.requests.length).toBeGreaterThan(0);
  await expect.poll(() => scene.states()).toEqual({ queued: 1 });
  scene.peer.answer = { status: 204 };
  scene.clock.advance(DAY_MS / 24);
  await expect.poll(() => scene.states()).toEqual({ sent: 1 });
});

it('drops what waited where that is asked for, and sends what comes after it', async () => {
  await held();
  expect(await notifications('release', '--drop')).toEqual({ code: 0, said: '1 notification dropped.' });
  await scene.queue([scene.fire(await scene.alert((await scene.server()).target))]);
  await expect.poll(() => scene.states()).toEqual({ skipped: 1, sent: 1 });
  expect(scene.arrived()).toHaveLength(1);
  expect(
    await scene.api.db.rows(sql`/* test.audit */
      select e.action from matriarch.audit_events e
      where e.action like 'notifications.%' order by e.entry desc limit 2`),
  ).toEqual([{ action: 'notifications.release' }, { action: 'notifications.hold' }]);
});

it('refuses to release what is not held, and keeps the first reason', async () => {
  expect(await notifications('release')).toEqual({
    code: 1,
    said: expect.stringContaining('No notifications are held.'),
  });
  await notifications('hold', '--reason', 'first');
  await notifications('hold', '--reason', 'second');
  const { reason } = await scene.api.db.one<{ reason: string }>(sql`/* test.reason */
    select h.reason from matriarch.notification_holds h`);
  expect(reason).toBe('first');
});
