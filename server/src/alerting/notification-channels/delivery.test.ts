// The ledger of notifications: what was queued is what arrives, in order, once, whatever a peer answers. The clock is the test's,
// so days take no time. Outages of peers and deaths of senders are in delivery.proof.test.ts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { expectLedger, queuedAlerts } from '../../testing/channels/delivered.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { channelsOf } from '../../testing/rooms/channels.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { startDelivery } from './delivery.ts';

let scene: OutboxScene;
beforeAll(async () => {
  scene = await outboxScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

describe('the ledger', () => {
  it('what is queued arrives once and in order, by two processes at a time', async () => {
    await scene.channel('one');
    await scene.channel('two');
    const alerts = await queuedAlerts(scene, 20);
    await Promise.all([scene.run(scene.process()), scene.run(scene.process())]);
    await scene.run();
    expectLedger(scene, alerts, ['one', 'two']);
    expect(await scene.states()).toEqual({ sent: 80 });
  });

  it('a stop in the middle of a delivery loses nothing', async () => {
    await scene.channel('one');
    const alerts = await queuedAlerts(scene, 2);
    scene.peer.answer = 'hang';
    const stopping = new AbortController();
    const stopped = scene.process({}, stopping.signal);
    await stopped.round();
    stopping.abort();
    await stopped.settled();
    expect(await scene.states()).toEqual({ queued: 4 });
    scene.peer.requests.length = 0;
    scene.peer.answer = { status: 204 };
    await scene.run();
    expectLedger(scene, alerts, ['one']);
  });
});

it('runs in the background, woken at once by what is queued, and stops', async () => {
  await scene.channel('one');
  const alert = await scene.alert((await scene.server()).target);
  const { vault, sender } = await channelsOf(scene.api.parts);
  const part = startDelivery({
    db: scene.api.db,
    clock: scene.clock,
    log: silentLog,
    vault,
    sender,
    base_url: 'https://matriarch.example',
    group_seconds: 0,
    random: () => 0,
    url: scene.api.database.url,
    // Only a hint can wake it within the test.
    everyMs: 3_600_000,
  });
  await scene.queue([scene.fire(alert)]);
  await expect.poll(() => scene.arrived().length).toBe(1);
  await expect.poll(() => scene.states()).toEqual({ sent: 1 });
  await scene.queue([scene.fire(alert, 2)]);
  await expect.poll(() => scene.states()).toEqual({ sent: 2 });
  await part.stop();
  await scene.queue([scene.clear(alert)]);
  expect(await scene.states()).toEqual({ queued: 1, sent: 2 });
});

it('asks one thing now and then while nothing waits, and often while something does', async () => {
  const { vault, sender } = await channelsOf(scene.api.parts);
  const counted = countedDb(scene.api.db);
  const own = { db: counted, clock: scene.clock, log: silentLog, vault, sender, url: scene.api.database.url };
  const part = startDelivery({ ...own, base_url: undefined, group_seconds: 0, random: () => 0, everyMs: 40 });
  const asked = (name: string) => counted.sent.filter((text) => text.includes(`/* ${name} */`)).length;
  await expect.poll(() => asked('holds.queue_state')).toBeGreaterThan(2);
  counted.reset();
  const since = systemClock.monotonic();
  await expect.poll(() => asked('holds.queue_state')).toBeGreaterThan(2);
  expect(systemClock.monotonic() - since).toBeGreaterThan(2 * 200);
  expect(counted.sent.filter((text) => !text.includes('/* holds.queue_state */'))).toEqual([]);
  await scene.channel('one');
  await scene.queue([scene.fire(await scene.alert((await scene.server()).target))], 3600);
  counted.reset();
  await expect.poll(() => asked('delivery.waiting')).toBeGreaterThan(5);
  await part.stop();
  expect(await scene.states()).toEqual({ queued: 1 });
});

describe('trying again', () => {
  it('waits as long as it was asked to', async () => {
    await scene.channel('one');
    const { target } = await scene.server();
    await scene.queue([scene.fire(await scene.alert(target))]);
    scene.peer.answer = { status: 429, headers: { 'retry-after': '1800' } };
    const deliveries = scene.process();
    await scene.run(deliveries);
    scene.peer.answer = { status: 200 };
    scene.clock.advance(29 * MINUTE_MS);
    await scene.run(deliveries);
    expect(scene.peer.requests).toHaveLength(1);
    scene.clock.advance(MINUTE_MS);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({ sent: 1 });
  });

  it('a message that is not accepted holds up no other', async () => {
    await scene.channel('one', { template_alert_clear: '{"alerts": [{"alert_id": {{.AlertID}}}]}' });
    const { target } = await scene.server();
    const [bad, good] = [await scene.alert(target), await scene.alert(target)];
    await scene.queue([scene.fire(bad)]);
    scene.peer.answer = { status: 400 };
    const deliveries = scene.process();
    await deliveries.round();
    await deliveries.settled();
    scene.peer.answer = { status: 200 };
    await scene.queue([scene.fire(good)]);
    await deliveries.round();
    await deliveries.settled();
    expect(await scene.states()).toEqual({ queued: 1, sent: 1 });
    scene.clock.advance(5000);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({ sent: 2 });
  });

  it('a changed channel is tried at once', async () => {
    const id = await scene.channel('one');
    const { target } = await scene.server();
    await scene.queue([scene.fire(await scene.alert(target))]);
    scene.peer.answer = { status: 401 };
    await scene.run();
    scene.peer.answer = { status: 200 };
    await scene.api.call(`PUT /api/v1/notification-channels/${id}`, {
      token: scene.token,
      body: { auth_type: 'bearer', auth_credentials: 'right' },
    });
    await scene.run();
    expect(await scene.states()).toEqual({ sent: 1 });
    expect(scene.peer.requests[1]?.headers.authorization).toBe('Bearer right');
  });

  it('gives up after a day, says so, and sends again by hand', async () => {
    const id = await scene.channel('one');
    const { target } = await scene.server();
    const alert = await scene.alert(target);
    await scene.queue([scene.fire(alert)]);
    await scene.queue([scene.clear(alert)]);
    scene.peer.answer = { status: 500, body: 'secret-words' };
    const deliveries = scene.process();
    for (let hour = 0; hour <= 24; hour += 1) {
      await scene.run(deliveries);
      scene.clock.advance(HOUR_MS);
    }
    expect(await scene.states()).toEqual({ dead: 1, skipped: 1 });
    const [given] = await scene.api.db.rows<{ details: object }>(sql`/* test.given_up */
      select details from matriarch.audit_events where action = 'notification.give_up' and target_id = ${String(id)}`);
    expect(given?.details).toMatchObject({ alert_id: alert.alert_id, connection_id: target, kind: 'fire' });
    expect(JSON.stringify(given)).not.toContain('secret-words');
    const rows = await scene.api.db.rows<{ id: number }>(
      sql`/* test.dead */ select id from matriarch.notifications where state = 'dead'`,
    );
    scene.peer.requests.length = 0;
    scene.peer.answer = { status: 200 };
    const resent = await scene.api.call(`POST /api/v1/notifications/${rows[0]?.id}/resend`, {
      token: scene.token,
    });
    expect(resent.status).toBe(200);
    await scene.run(deliveries);
    expectLedger(scene, [alert], ['one']);
    scene.clock.advance(31 * 24 * HOUR_MS);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({ sent: 2 });
  });
});

describe('blackouts and reminders', () => {
  const blackout = async (connection: number, hours: number) =>
    scene.api.db.run(sql`/* test.blackout */
      insert into matriarch.blackouts (scope, scope_id, start_time, end_time, created_by, created_at)
      values ('server', ${connection}, ${new Date(scene.clock.now()).toISOString()}::timestamptz,
        ${new Date(scene.clock.now() + hours * HOUR_MS).toISOString()}::timestamptz, 'test', now())`);

  it('what a blackout covers waits for its end, however long, and what was over by then is told to nobody', async () => {
    await scene.channel('one');
    const [quiet, other] = [await scene.server(), await scene.server()];
    await blackout(quiet.target, 72);
    const [stays, goes, elsewhere] = [
      await scene.alert(quiet.target),
      await scene.alert(quiet.target),
      await scene.alert(other.target),
    ];
    await scene.queue([stays, goes, elsewhere].map((alert) => scene.fire(alert)));
    await scene.queue([scene.clear(goes)]);
    const deliveries = scene.process();
    for (let hour = 0; hour < 72; hour += 4) {
      await scene.run(deliveries);
      scene.clock.advance(4 * HOUR_MS);
    }
    expect(scene.arrived().map(({ alert_ids }) => alert_ids)).toEqual([[elsewhere.alert_id]]);
    await scene.run(deliveries);
    expect(scene.arrived().map(({ alert_ids }) => alert_ids)).toEqual([
      [elsewhere.alert_id],
      [stays.alert_id],
    ]);
    expect(await scene.states()).toEqual({ sent: 2, skipped: 2 });
  });

  it('reminds while an alert is active, by the channels that want it', async () => {
    await scene.channel('reminds', { reminder_enabled: true, reminder_interval_hours: 2 });
    await scene.channel('silent');
    const { target } = await scene.server();
    const [open, acknowledged] = [await scene.alert(target), await scene.alert(target)];
    await scene.queue([scene.fire(open), scene.fire(acknowledged)]);
    await scene.api.db.run(sql`/* test.acknowledge */
      update matriarch.alerts set status = 'acknowledged', acknowledged_at = now() where id = ${acknowledged.alert_id}`);
    const deliveries = scene.process();
    for (let minute = 0; minute <= 5 * 60; minute += 10) {
      await scene.run(deliveries);
      scene.clock.advance(10 * MINUTE_MS);
    }
    const reminders = scene.arrived().filter(({ kind }) => kind === 'reminder');
    expect(reminders.map(({ path, alert_ids }) => [path, alert_ids])).toEqual([
      ['reminds', [open.alert_id]],
      ['reminds', [open.alert_id]],
    ]);
    expect(scene.peer.requests.at(-1)?.json()).toMatchObject({ alerts: [{ reminder_count: 2 }] });
  });
});
