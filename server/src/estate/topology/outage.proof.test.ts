// What is said of replication between real servers in an outage, under the real collector: a figure that nobody can know
// any more is unknown, with the reason and since when, on the cluster's page and on the standby's own.

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { follow, replicatingServer, startStandby, stopAtEnd } from '../../testing/servers/server-sets.ts';
import { rename } from '../../testing/store/topology-seen.ts';
import { clustersRoutes } from '../clusters/clusters.routes.ts';
import { syncProbeConfigs } from '../probe-configs/effective.service.ts';
import { startTopology } from './keeping.ts';

const MINUTE = { timeout: 60_000, interval: 100 };
/** As often as the API lets it be set. */
const EVERY_SECONDS = 5;
const SLOT = { primary_slot_name: 'orders_b' };

interface LagReading {
  reason: string | null;
  since: string | null;
}
interface Detail {
  links: ({
    readings: (LagReading & { measured_at: string; lag_bytes: number | null; collected_at: string })[];
  } & LagReading)[];
  slots: ({ is_active: boolean | null; retained_bytes: number | null; collected_at: string } & LagReading)[];
}
interface Lag {
  streams: { lag_bytes: { values: (number | null)[] } }[];
}
interface Membership {
  receiver: (LagReading & { is_receiving: boolean | null }) | null;
}

/** A primary with a standby that uses a slot, both watched, and the API over them with a clock that can be moved. */
async function watched() {
  const house = await newHouse();
  let ahead_ms = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead_ms };
  const api = await startTestApi({ rooms: [clustersRoutes], db: house.db, clock });
  onTestFinished(() => api.close());
  await syncProbeConfigs(house.db, probes);
  await house.db.run(sql`/* test.promote */ update matriarch.users set is_superuser = true where id = 1`);
  const token = await makeSession(house.db, 1);
  const primary = await stopAtEnd(replicatingServer());
  await primary.query(`select pg_create_physical_replication_slot('orders_b', true)`);
  const standby = await stopAtEnd(startStandby(primary, { settings: SLOT }));
  const [a, b] = [await house.connect(primary), await house.connect(standby)];
  await rename(house.db, a, 'orders-a');
  await rename(house.db, b, 'orders-b');
  await house.db.run(sql`/* test.intervals */
    update matriarch.probe_configs set interval_seconds = ${EVERY_SECONDS}
    where probe_name in ('pg_stat_replication', 'pg_replication_slots')`);
  house.start();
  const topology = startTopology({ db: house.db, log: silentLog, url: house.url, everyMs: 1000 });
  onTestFinished(() => topology.stop());
  const get = async (path: string): Promise<string> => (await api.call(`GET ${path}`, { token })).text;
  return {
    primary,
    standby,
    /** The largest lag that is stored of the last hour, in bytes. */
    largestLag: async (): Promise<number | null | undefined> => {
      const lag: Lag = JSON.parse(await get(`/api/v1/clusters/server-${a}/lag?buckets=1`));
      return lag.streams[0]?.lag_bytes.values[0];
    },
    detail: async (): Promise<Detail> => JSON.parse(await get(`/api/v1/clusters/server-${a}/topology`)),
    receiver: async (): Promise<Membership['receiver']> => {
      const membership: Membership = JSON.parse(await get(`/api/v1/connections/${b}/cluster`));
      return membership.receiver;
    },
    move: (seconds: number) => {
      ahead_ms = seconds * 1000;
    },
  };
}

const lags = ({ links }: Detail) =>
  links.flatMap(({ readings }) => readings.map(({ lag_bytes }) => lag_bytes));

/** Polls until the link and the slot are known. */
const wellAgain = ({ detail, receiver }: Awaited<ReturnType<typeof watched>>) =>
  expect
    .poll(async () => ({ ...(await detail()), receiver: await receiver() }), MINUTE)
    .toMatchObject({
      links: [
        { reason: null, since: null, readings: [{ measured_at: 'sender', reason: null }, { reason: null }] },
      ],
      slots: [{ is_active: true, reason: null, since: null }],
      unread: [],
      receiver: { is_receiving: true, reason: null, since: null },
    });

const nobodyKnows = { reason: expect.any(String), since: expect.any(String) };

it('topology says what it does not know in an outage, why and since when', { timeout: 300_000 }, async () => {
  const scene = await watched();
  const { primary, standby, detail, largestLag, receiver, move } = scene;
  await wellAgain(scene);

  // A standby that replays nothing falls behind by what is written meanwhile.
  await standby.query('select pg_wal_replay_pause()');
  const position = async () => (await primary.query('select pg_current_wal_lsn() as lsn'))[0]?.lsn;
  const before = await position();
  await primary.query(`select pg_logical_emit_message(false, 'test', repeat('x', 5000000))`);
  const [behind] = await primary.query('select pg_wal_lsn_diff($1, $2)::float8 as bytes', [
    await position(),
    before,
  ]);
  expect(Number(behind?.bytes)).toBeGreaterThan(4_000_000);
  await expect.poll(largestLag, MINUTE).toBeGreaterThanOrEqual(Number(behind?.bytes));
  await standby.query('select pg_wal_replay_resume()');
  await wellAgain(scene);

  // Nothing newer comes: by the interval that is set, not by the one it is built with.
  move(2.5 * EVERY_SECONDS + 1);
  const old = await detail();
  expect(lags(old)).toEqual([null, null]);
  expect(old).toMatchObject({
    links: [{ ...nobodyKnows, readings: [nobodyKnows, nobodyKnows] }],
    slots: [{ is_active: null, retained_bytes: null, ...nobodyKnows }],
  });
  expect(old.links[0]?.since).toBe(old.links[0]?.readings[0]?.collected_at);
  expect(await receiver()).toMatchObject({ is_receiving: null, ...nobodyKnows });
  move(0);
  await wellAgain(scene);

  const cut = systemClock.now();
  await standby.query(`alter system set primary_conninfo = ''`);
  await standby.query('select pg_reload_conf()');
  const alone = { reason: 'orders-b has no WAL receiver: nothing reaches it.', since: expect.any(String) };
  await expect.poll(receiver, MINUTE).toMatchObject({ is_receiving: false, ...alone });
  await expect.poll(async () => lags(await detail()), MINUTE).toEqual([null]);
  const since = (await receiver())?.since;
  expect(Date.parse(since ?? '')).toBeGreaterThan(cut);
  await expect.poll(async () => (await detail()).slots[0]?.is_active, MINUTE).toBe(false);
  expect((await receiver())?.since).toBe(since);
  await follow(standby, primary);
  await wellAgain(scene);

  await standby.shutdown();
  const gone = { reason: expect.stringContaining('orders-b cannot be read: '), since: expect.any(String) };
  await expect.poll(detail, MINUTE).toMatchObject({ links: [gone] });
  expect(lags(await detail()).every((lag) => lag === null)).toBe(true);
  expect(await receiver()).toMatchObject({ is_receiving: null, ...gone });
  await standby.start();
  await wellAgain(scene);

  const killed = systemClock.now();
  await primary.kill();
  const dead = { reason: expect.stringContaining('orders-a cannot be read: '), since: expect.any(String) };
  await expect
    .poll(async () => ({ ...(await detail()), receiver: await receiver() }), MINUTE)
    .toMatchObject({
      links: [{ ...dead, readings: [{ measured_at: 'sender', ...dead }, alone] }],
      slots: [{ is_active: null, retained_bytes: null, ...dead }],
      receiver: { is_receiving: false, ...alone },
    });
  const found = await detail();
  expect(lags(found)).toEqual([null, null]);
  for (const known of [...found.links, ...found.slots])
    expect(Date.parse(known.since ?? '')).toBeGreaterThan(killed - 1000);
});
