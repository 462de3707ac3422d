// The ledger of notifications over outages of peers and deaths of senders: what was queued is what arrives, in order, once. F8,
// F18, F19. The clock is the test's, so six hours take no time. What is quick is in delivery.test.ts.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { expectLedger, queuedAlerts } from '../../testing/channels/delivered.ts';
import { startHttpPeer } from '../../testing/channels/http-peer.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { makeTlsFiles, testDirectory } from '../../testing/servers/postgres.ts';
import { createSender } from '../channels/sender.ts';

let scene: OutboxScene;
beforeAll(async () => {
  scene = await outboxScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

describe('the ledger', () => {
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
    const alerts = await queuedAlerts(scene, 5);
    const deliveries = scene.process();
    let asked = 0;
    for (let minute = 0; minute < 360; minute += 5) {
      scene.peer.answers.set('/away', bad[(minute / 5) % bad.length] ?? { status: 500 });
      const before = scene.peer.requests.length;
      await scene.run(deliveries);
      asked += scene.peer.requests.slice(before).filter(({ url }) => url === '/away').length;
      scene.clock.advance(5 * MINUTE_MS);
    }
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(100);
    scene.peer.requests.splice(
      0,
      scene.peer.requests.length,
      ...scene.peer.requests.filter(({ url }) => url === '/here'),
    );
    scene.peer.answers.clear();
    scene.clock.advance(15 * MINUTE_MS);
    await scene.run(deliveries);
    expectLedger(scene, alerts, ['away', 'here']);
    expect(await scene.states()).toEqual({ sent: 20 });
  });

  it('a sender that dies between sending and writing it down sends once more, under the same key', async () => {
    await scene.channel('one');
    const alerts = await queuedAlerts(scene, 3);
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
    expectLedger(scene, alerts, ['one']);
  });

  it('whoever froze before it sent sends nothing when it wakes, since others may be further', async () => {
    await scene.channel('one');
    const [alert] = await queuedAlerts(scene, 1);
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
    expectLedger(scene, alert ? [alert] : [], ['one']);
    awake.resolve();
    await late.settled();
    expectLedger(scene, alert ? [alert] : [], ['one']);
    expect(await scene.states()).toEqual({ sent: 2 });
  });

  it('a datastore that is away for some seconds makes nothing go out twice', async () => {
    await scene.channel('one');
    const alerts = await queuedAlerts(scene, 1);
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
    expectLedger(scene, alerts, ['one']);
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
    const alerts = await queuedAlerts(scene, 2);
    const deliveries = scene.process({ sender });
    for (let minute = 0; minute < 360; minute += 15) {
      await scene.run(deliveries);
      scene.clock.advance(15 * MINUTE_MS);
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

  it('a slow peer holds up no other', async () => {
    await scene.channel('slow');
    await scene.channel('quick');
    await queuedAlerts(scene, 3);
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

it('what was given up is kept for 30 days', async () => {
  await scene.channel('one');
  const { target } = await scene.server();
  await scene.queue([scene.fire(await scene.alert(target))]);
  scene.peer.answer = 'cut';
  const deliveries = scene.process();
  for (let hour = 0; hour <= 24; hour += 1) {
    await scene.run(deliveries);
    scene.clock.advance(HOUR_MS);
  }
  scene.clock.advance(29 * 24 * HOUR_MS);
  await scene.run(deliveries);
  expect(await scene.states()).toEqual({ dead: 1 });
  scene.clock.advance(2 * 24 * HOUR_MS);
  await scene.run(deliveries);
  expect(await scene.states()).toEqual({});
});
