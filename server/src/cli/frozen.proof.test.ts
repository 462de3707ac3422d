// The command line while the datastore does not answer: every process of a real server stopped, or its packets swallowed
// on the way, before a command begins and in the middle of it. Guards: a clear sentence and an exit status, no hanging.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../datastore/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { startChild } from '../testing/child.ts';
import { startFaultProxy } from '../testing/faults/fault-proxy.ts';
import { script } from '../testing/program.ts';
import { startCluster, type TestCluster, testDirectory } from '../testing/servers/postgres.ts';

const WITHIN_MS = 15_000;
/** Starting the program takes as long as a busy machine lets it; that is not what is promised here. */
const BUSY_MS = 60_000;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster();
  await migrate(new Secret(cluster.url), silentLog);
}, 120_000);
afterAll(() => cluster.stop());

function begin(argv: string[], url = cluster.url) {
  const directory = testDirectory('frozen');
  const child = startChild({ script, args: [...argv, '--datastore-url', url, '--data-dir', directory] });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  const began = systemClock.monotonic();
  const ended = async () => {
    const code = await Promise.race([
      child.ended,
      new Promise<string>((resolve) => setTimeout(() => resolve('still running'), WITHIN_MS + BUSY_MS)),
    ]);
    return { code, said: child.errors().trim(), ms: systemClock.monotonic() - began };
  };
  return { child, ended };
}

const COMMANDS: [string, number][] = [
  ['migrate', 1],
  ['doctor', 2],
  ['store status', 1],
  ['store verify', 1],
];

const expectSentences = async (url?: string) => {
  const ended = await Promise.all(COMMANDS.map(([line]) => begin(line.split(' '), url).ended()));
  expect(ended.map(({ code, said }, n) => [COMMANDS[n]?.[0], code, said])).toEqual(
    COMMANDS.map(([line, code]) => [
      line,
      code,
      expect.stringMatching(/^The datastore [^{]*does not answer\.[^{]*$/),
    ]),
  );
};

it('ends with a sentence when the datastore is frozen', { timeout: 200_000 }, async () => {
  cluster.pause();
  onTestFinished(() => cluster.resume());
  await expectSentences();
});

it('ends with a sentence when the network swallows everything', { timeout: 200_000 }, async () => {
  const proxy = await startFaultProxy(cluster.port);
  onTestFinished(() => proxy.stop());
  await proxy.set({ kind: 'drop' });
  const url = new URL(cluster.url);
  url.port = String(proxy.port);
  await expectSentences(url.toString());
});

it('waits for another migration as long as that takes, but not for a server that freezes meanwhile', {
  timeout: 300_000,
}, async () => {
  const waiting = async () =>
    (
      await cluster.query(`select from pg_stat_activity where application_name = 'matriarch migrate'
      and wait_event = 'advisory'`)
    ).length;
  const locked = new Promise<void>((resolve, reject) => {
    cluster
      .query(`select pg_advisory_lock(7264901), pg_notify('held', ''); select pg_sleep(8)`)
      .then(() => resolve(), reject);
  });
  await expect
    .poll(async () => (await cluster.query(`select from pg_locks where locktype = 'advisory'`)).length)
    .toBeGreaterThan(0);
  const patient = begin(['migrate']);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  await locked;
  expect((await patient.ended()).code).toBe(0);

  const holding = cluster.query('select pg_advisory_lock(7264901), pg_sleep(200)').catch(() => undefined);
  const stuck = begin(['migrate']);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  cluster.pause();
  onTestFinished(() => cluster.resume());
  const ended = await stuck.ended();
  expect(ended).toMatchObject({ code: 1, said: expect.stringMatching(/does not answer\./) });
  cluster.resume();
  await cluster.query(`select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(200)%'
    and pid <> pg_backend_pid()`);
  await holding;
});
