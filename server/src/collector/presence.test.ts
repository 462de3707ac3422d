// What becomes of what a dead collector held, as its survivors see it in the datastore.
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../kernel/db.ts';
import { claimJob } from '../kernel/jobs.queries.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { movedClock } from '../testing/moved-clock.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { evict, others } from './presence.queries.ts';
import { type Presence, showThatWeLive } from './presence.ts';

const SOON = { timeout: 90_000, interval: 50 };

async function presenceScene() {
  const store = await testDatabase();
  const db = new Database({ url: store.url, log: silentLog, applicationName: 'matriarch test', max: 3 });
  const shown: Presence[] = [];
  const clock = movedClock();
  onTestFinished(async () => {
    for (const one of shown) await one.stop();
    await db.stop();
    await store.close();
  });
  const show = (owner: string, before?: string) => {
    let changes = 0;
    const onChange = () => {
      changes += 1;
    };
    const one = showThatWeLive({
      url: store.url,
      owner,
      before,
      clock,
      log: silentLog,
      onChange,
    });
    shown.push(one);
    return { one, changes: () => changes };
  };
  /** A collector with two servers and a job, and a lease that lasts. */
  const holds = async (owner: string, ids: readonly number[]) => {
    await db.run(sql`
      insert into matriarch.collectors (owner, expires_at) values (${owner}, now() + interval '1 hour')`);
    await db.run(sql`
      insert into matriarch.connection_leases (connection_id, owner, expires_at)
      select i, ${owner}, now() + interval '1 hour' from unnest(${ids}::integer[]) as i`);
    await db.run(claimJob({ name: `job of ${owner}`, owner, every_seconds: 60 }));
  };
  const held = async () => ({
    leases: await db.rows(sql`
      select connection_id, owner, expires_at > now() as in_force
      from matriarch.connection_leases order by connection_id`),
    jobs: await db.rows(sql`
      select name, owner, expires_at > now() as in_force from matriarch.jobs where name like 'job of %' order by name`),
    collectors: (
      await db.rows<{ owner: string }>(sql`select owner from matriarch.collectors order by owner`)
    ).map(({ owner }) => owner),
  });
  /** As `expect.poll`, while half a second passes at each look. */
  const moved = <T>(look: () => Promise<T>) =>
    expect.poll(() => {
      clock.advance(500);
      return look();
    }, SOON);
  return { db, show, holds, held, moved };
}

it('servers and jobs of a collector that has ended are free, and nobody else’s', async () => {
  const { db, show, holds, held, moved } = await presenceScene();
  await holds('host/1/dead', [1, 2]);
  await holds('host/2/alive', [3]);
  const dead = show('host/1/dead');
  const survivors = [show('host/2/alive'), show('host/3/survivor')];
  const changes = () => survivors.reduce((sum, one) => sum + one.changes(), 0);
  const seen = async () =>
    (await db.rows<{ owner: string; is_held: boolean }>(others('host/3/survivor'))).map((one) => one.is_held);
  await moved(seen).toEqual([true, true]);
  // Who died before the others have seen it alive is free only at the end of its lease.
  const { now } = await db.one<{ now: string }>(sql`select clock_timestamp()::text as now`);
  const looks = () =>
    db.one(sql`
      select count(*)::integer as ended from pg_stat_activity
      where application_name = 'matriarch presence' and state = 'idle' and query_start > ${now}::timestamptz
        and datname = current_database() and query like '%store.others%'`);
  await moved(looks).toEqual({ ended: 3 });
  const before = changes();
  await dead.one.stop();
  await moved(async () => (await held()).collectors).toEqual(['host/2/alive']);
  expect(await held()).toEqual({
    leases: [
      { connection_id: 1, owner: '', in_force: false },
      { connection_id: 2, owner: '', in_force: false },
      { connection_id: 3, owner: 'host/2/alive', in_force: true },
    ],
    jobs: [
      { name: 'job of host/1/dead', owner: '', in_force: false },
      { name: 'job of host/2/alive', owner: 'host/2/alive', in_force: true },
    ],
    collectors: ['host/2/alive'],
  });
  // Whoever freed it looks for work at once.
  await expect.poll(changes, SOON).toBeGreaterThan(before);
});

it('whoever takes the place of one that has ended frees what that held at once', async () => {
  const { show, holds, held, moved } = await presenceScene();
  await holds('host/1/before', [1]);
  show('host/2/successor', 'host/1/before');
  await moved(async () => (await held()).collectors).toEqual([]);
  expect((await held()).leases).toEqual([{ connection_id: 1, owner: '', in_force: false }]);
});

it('nothing is taken from one that has a session again when it is to be evicted', async () => {
  const { db, show, holds, held } = await presenceScene();
  await holds('host/1/back', [1]);
  const { one } = show('host/1/back');
  await expect.poll(() => one.isShown, SOON).toBe(true);
  expect(await db.run(evict(['host/1/back']))).toBe(0);
  expect(await held()).toMatchObject({
    leases: [{ owner: 'host/1/back', in_force: true }],
    jobs: [{ owner: 'host/1/back', in_force: true }],
    collectors: ['host/1/back'],
  });
});
