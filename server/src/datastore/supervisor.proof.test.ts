// F26: the embedded PostgreSQL killed with real signals. Guards: it is there again on the same port with its data, the
// collector loses nothing meanwhile, and a server that cannot live is given up with its reason. What its log means:
// supervisor.unit.test.ts.
import { chmodSync, existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../kernel/db.ts';
import { isRunning } from '../kernel/file-lock.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { collecting } from '../testing/collecting.ts';
import { COUNTERS } from '../testing/faults/counters.ts';
import { caughtUp, expectComplete, furtherReadings, newSpool } from '../testing/faults/fault-scenarios.ts';
import { startGenerator } from '../testing/faults/generator.ts';
import { childrenOf } from '../testing/faults/pause.ts';
import { sharedServer, testDirectory } from '../testing/servers/postgres.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';

const SOON = { timeout: 60_000, interval: 20 };

async function start() {
  const parent = testDirectory('supervised');
  chmodSync(parent, 0o711);
  const dataDir = path.join(parent, 'data');
  const embedded = await startEmbedded({ dataDir, log: silentLog, progress: () => undefined });
  onTestFinished(() => embedded.stop());
  const kill = async () => {
    const { pid } = embedded;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(pid), SOON).toBe(false);
    return pid;
  };
  return { embedded, kill, dataDir };
}

it('F26: starts a killed server again; nothing that was read meanwhile is lost', async () => {
  const { embedded, kill } = await start();
  const url = embedded.superuserUrl;
  await migrate(url, silentLog);
  const house = await collecting(url);
  const generator = await startGenerator(await sharedServer(18));
  const id = await house.connect(generator.server, { database: generator.database });
  const spool = await newSpool();
  const collector = house.start({ probes: COUNTERS, spool });
  await furtherReadings(generator, 2);
  for (let death = 1; death <= 2; death += 1) {
    const before = await kill();
    await furtherReadings(generator, 2);
    await expect.poll(() => embedded.pid, SOON).not.toBe(before);
    await expect.poll(() => embedded.outage, SOON).toBeUndefined();
  }
  await caughtUp({ house: { ...house, url }, generator, id, collector }, 60_000);
  await collector.stop();
  await spool.stop();
  await expectComplete({ house: { ...house, url }, generator, id });
  await house.stop();
}, 180_000);

it('says what goes on while it is away, gives up after five deaths with the reason, and leaves nobody behind', async () => {
  const { embedded, kill, dataDir } = await start();
  const db = new Database({
    url: embedded.superuserUrl,
    log: silentLog,
    applicationName: 'supervised',
    whyAway: () => embedded.outage,
  });
  onTestFinished(() => db.stop());
  const ask = () => db.rows(sql`/* test.ask */ select 1 as one`);
  const answer = () => ask().then(String, (error: Error) => error.message);
  await ask();
  for (let death = 1; death <= 4; death += 1) {
    const before = await kill();
    if (death === 3)
      await expect.poll(answer, SOON).toContain('ended for the third time and is being started again');
    await expect.poll(() => embedded.pid, SOON).not.toBe(before);
    await expect
      .poll(
        async () =>
          ask().then(
            ({ length }) => length,
            () => 0,
          ),
        SOON,
      )
      .toBe(1);
  }
  const children = childrenOf(embedded.pid);
  await kill();
  const reason = await embedded.failed;
  expect(reason).toMatch(
    /^The embedded PostgreSQL has ended 5 times within ten minutes and is not started again/,
  );
  expect(reason).toContain('killed by SIGKILL');
  expect(reason).toContain(`The end of its log (${path.join(dataDir, 'postgres.log')}):`);
  expect(await answer()).toContain('is not started again');
  await expect.poll(() => children.filter(isRunning), SOON).toEqual([]);
  expect(existsSync(path.join(dataDir, 'postgres/PG_VERSION'))).toBe(true);
}, 180_000);
