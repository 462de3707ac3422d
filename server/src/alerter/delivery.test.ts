// The ledger of notifications: what was queued is what arrives, in order, once, over outages of peers, deaths of senders
// and several of them. F8, F18, F19. The clock is the test's, so six hours take no time.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { AlertFacts } from '../channels/alert-facts.ts';
import { createSender } from '../channels/sender.ts';
import type { Db } from '../kernel/db.ts';
import { Fault } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import { startHttpPeer } from '../testing/channels/http-peer.ts';
import { type OutboxScene, outboxScene } from '../testing/channels/outbox-scene.ts';
import { channelsOf } from '../testing/rooms/channels.ts';
import { makeTlsFiles, testDirectory } from '../testing/servers/postgres.ts';
import { startDelivery } from './delivery.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let scene: OutboxScene;
beforeAll(async () => {
  scene = await outboxScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

/** So many alerts, fired and cleared. */
async function history(count: number): Promise<AlertFacts[]> {
  const { target } = await scene.server();
  const alerts = await Promise.all(Array.from({ length: count }, () => scene.alert(target)));
  await scene.queue(alerts.map((alert) => scene.fire(alert)));
  await scene.queue(alerts.map((alert) => scene.clear(alert)));
  return alerts;
}

/** Each alert fired, then cleared, on each of these paths, once. */
function expectLedger(alerts: readonly AlertFacts[], paths: readonly string[]): void {
  const wanted = paths.flatMap((path) =>
    alerts.map(({ alert_id }) => `${path} ${alert_id}: alert_fire, alert_clear`),
  );
  const told = new Map<string, string[]>();
  for (const { path, kind, alert_ids } of scene.arrived())
    for (const id of alert_ids) told.set(`${path} ${id}`, [...(told.get(`${path} ${id}`) ?? []), kind]);
  expect([...told].map(([what, kinds]) => `${what}: ${kinds.join(', ')}`).sort()).toEqual(wanted.sort());
}

describe('the ledger', () => {
  it('what is queued arrives once and in order, by two processes at a time', async () => {
    await scene.channel('one');
    await scene.channel('two');
    const alerts = await history(20);
    await Promise.all([scene.run(scene.process()), scene.run(scene.process())]);
    await scene.run();
    expectLedger(alerts, ['one', 'two']);
    expect(await scene.states()).toEqual({ sent: 80 });
  });

  it('a peer that is away for six hours gets all of it when it is back, and is asked rarely meanwhile', async () => {
    await scene.channel('away');
    await scene.channel('here');
    const bad = [
      { status: 500 },
      { status: 429, headers: { 'retry-after': '40' } },
      'cut',
      'hang',
      { status: 302 },
    ] as const;
    const alerts = await history(5);
    const deliveries = scene.process();
    let asked = 0;
    for (let minute = 0; minute < 360; minute += 5) {
      scene.peer.answers.set('/away', bad[(minute / 5) % bad.length] ?? { status: 500 });
      const before = scene.peer.requests.length;
      await scene.run(deliveries);
      asked += scene.peer.requests.slice(before).filter(({ url }) => url === '/away').length;
      scene.clock.advance(5 * MINUTE);
    }
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(100);
    scene.peer.requests.splice(
      0,
      scene.peer.requests.length,
      ...scene.peer.requests.filter(({ url }) => url === '/here'),
    );
    scene.peer.answers.clear();
    scene.clock.advance(15 * MINUTE);
    await scene.run(deliveries);
    expectLedger(alerts, ['away', 'here']);
    expect(await scene.states()).toEqual({ sent: 20 });
  });

  it('a sender that dies between sending and writing it down sends once more, under the same key', async () => {
    await scene.channel('one');
    const alerts = await history(3);
    // What comes after the third message has arrived fails, as if the process were gone.
    const gone = new AbortController();
    const { db } = scene.api;
    const dying: typeof db = Object.assign(Object.create(db), {
      transaction: <T>(work: (tx: typeof db) => Promise<T>): Promise<T> => {
        if (scene.arrived().length === 3) {
          gone.abort();
          throw new Fault('unavailable', 'gone');
        }
        return db.transaction((tx) => work(Object.assign(Object.create(db), tx)));
      },
    });
    const died = scene.process({ db: dying }, gone.signal);
    await scene.run(died).catch(() => undefined);
    const before = scene.arrived();
    expect(before).toHaveLength(3);
    expect((await scene.states()).sending).toBe(1);
    // Nobody else takes it before the lease is over.
    await scene.run();
    expect((await scene.states()).sending).toBe(1);
    scene.clock.advance(61_000);
    await scene.run();
    const counts = new Map<string, number>();
    for (const { key } of scene.arrived()) counts.set(key, (counts.get(key) ?? 0) + 1);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([2]);
    expect(await scene.states()).toEqual({ sent: 6 });
    const once = scene.peer.requests.filter(
      ({ headers }, index, all) =>
        all.findIndex((one) => one.headers['idempotency-key'] === headers['idempotency-key']) === index,
    );
    scene.peer.requests.splice(0, scene.peer.requests.length, ...once);
    expectLedger(alerts, ['one']);
  });

  it('whoever froze before it sent sends nothing when it wakes, since others may be further', async () => {
    await scene.channel('one');
    const [alert] = await history(1);
    const asleep = Promise.withResolvers<void>();
    const awake = Promise.withResolvers<void>();
    const late = scene.process({
      db: Object.assign(Object.create(scene.api.db), {
        transaction: <T>(work: (tx: Db) => Promise<T>) => scene.api.db.transaction(work),
        // The first look at secrets comes between the claim and the sending.
        rows: async <T extends object>(statement: Sql): Promise<T[]> => {
          if (statement.text.includes('channels.secrets')) {
            asleep.resolve();
            await awake.promise;
          }
          return scene.api.db.rows<T>(statement);
        },
      }),
    });
    await late.round();
    await asleep.promise;
    scene.clock.advance(61_000);
    await scene.run();
    expectLedger(alert ? [alert] : [], ['one']);
    awake.resolve();
    await late.settled();
    expectLedger(alert ? [alert] : [], ['one']);
    expect(await scene.states()).toEqual({ sent: 2 });
  });

  it('a datastore that is away for some seconds makes nothing go out twice', async () => {
    await scene.channel('one');
    const alerts = await history(1);
    const { db } = scene.api;
    let failures = 0;
    const away: typeof db = Object.assign(Object.create(db), {
      transaction: <T>(work: (tx: typeof db) => Promise<T>): Promise<T> => {
        if (scene.arrived().length === 1 && failures < 5) {
          failures += 1;
          return Promise.reject(new Fault('unavailable', 'away'));
        }
        return db.transaction((tx) => work(Object.assign(Object.create(db), tx)));
      },
    });
    const deliveries = scene.process({ db: away });
    await deliveries.round().catch(() => undefined);
    await deliveries.settled();
    expect(failures).toBe(5);
    scene.clock.advance(31_000);
    await scene.run();
    expectLedger(alerts, ['one']);
  });

  it('a peer whose certificate is bad for six hours gets all of it when it has a good one', async () => {
    const good = makeTlsFiles(testDirectory('tls'), { host: '127.0.0.1' });
    const bad = makeTlsFiles(testDirectory('tls'), { host: '127.0.0.1', selfSigned: true });
    const peer = await startHttpPeer(bad);
    const sender = createSender({ allow_private_networks: true, ca: readFileSync(good.ca, 'utf8') });
    onTestFinished(async () => {
      await sender.stop();
      await peer.stop();
    });
    await scene.channel('tls', { endpoint_url: `${peer.url}/tls` });
    const alerts = await history(2);
    const deliveries = scene.process({ sender });
    for (let minute = 0; minute < 360; minute += 15) {
      await scene.run(deliveries);
      scene.clock.advance(15 * MINUTE);
    }
    expect(peer.requests).toEqual([]);
    expect(await scene.states()).toEqual({ queued: 4 });
    peer.show(good);
    await scene.run(deliveries);
    const told = peer.requests.map((request) => {
      const { alerts, notification_type } = Object(request.json());
      return `${alerts[0].alert_id} ${notification_type}`;
    });
    for (const { alert_id } of alerts)
      expect(told.filter((one) => one.startsWith(`${alert_id} `))).toEqual([
        `${alert_id} alert_fire`,
        `${alert_id} alert_clear`,
      ]);
    expect(await scene.states()).toEqual({ sent: 4 });
  });

  it('a stop in the middle of a delivery loses nothing', async () => {
    await scene.channel('one');
    const alerts = await history(2);
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
    expectLedger(alerts, ['one']);
  });

  it('a slow peer holds up no other', async () => {
    await scene.channel('slow');
    await scene.channel('quick');
    await history(3);
    scene.peer.answers.set('/slow', 'hang');
    const deliveries = scene.process();
    await deliveries.round();
    await expect
      .poll(async () => {
        await deliveries.round();
        return scene.arrived().filter(({ path }) => path === 'quick').length;
      })
      .toBe(6);
    await deliveries.settled();
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

describe('trying again', () => {
  it('waits as long as it was asked to', async () => {
    await scene.channel('one');
    const { target } = await scene.server();
    await scene.queue([scene.fire(await scene.alert(target))]);
    scene.peer.answer = { status: 429, headers: { 'retry-after': '1800' } };
    const deliveries = scene.process();
    await scene.run(deliveries);
    scene.peer.answer = { status: 200 };
    scene.clock.advance(29 * MINUTE);
    await scene.run(deliveries);
    expect(scene.peer.requests).toHaveLength(1);
    scene.clock.advance(MINUTE);
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
      scene.clock.advance(HOUR);
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
    expectLedger([alert], ['one']);
    scene.clock.advance(31 * 24 * HOUR);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({ sent: 2 });
  });

  it('keeps what was given up for 30 days', async () => {
    await scene.channel('one');
    const { target } = await scene.server();
    await scene.queue([scene.fire(await scene.alert(target))]);
    scene.peer.answer = 'cut';
    const deliveries = scene.process();
    for (let hour = 0; hour <= 24; hour += 1) {
      await scene.run(deliveries);
      scene.clock.advance(HOUR);
    }
    scene.clock.advance(29 * 24 * HOUR);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({ dead: 1 });
    scene.clock.advance(2 * 24 * HOUR);
    await scene.run(deliveries);
    expect(await scene.states()).toEqual({});
  });
});

describe('blackouts and reminders', () => {
  const blackout = async (connection: number, hours: number) =>
    scene.api.db.run(sql`/* test.blackout */
      insert into matriarch.blackouts (scope, scope_id, start_time, end_time, created_by, created_at)
      values ('server', ${connection}, ${new Date(scene.clock.now()).toISOString()}::timestamptz,
        ${new Date(scene.clock.now() + hours * HOUR).toISOString()}::timestamptz, 'test', now())`);

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
      scene.clock.advance(4 * HOUR);
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
      scene.clock.advance(10 * MINUTE);
    }
    const reminders = scene.arrived().filter(({ kind }) => kind === 'reminder');
    expect(reminders.map(({ path, alert_ids }) => [path, alert_ids])).toEqual([
      ['reminds', [open.alert_id]],
      ['reminds', [open.alert_id]],
    ]);
    expect(scene.peer.requests.at(-1)?.json()).toMatchObject({ alerts: [{ reminder_count: 2 }] });
  });
});
