// F21: the program is asked to stop while it collects and its datastore answers nothing.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { startChild } from '../testing/child.ts';
import { newFaultScene, proxyTo } from '../testing/faults/fault-scenarios.ts';
import { script } from '../testing/program.ts';
import { openClient } from '../testing/servers/client.ts';
import { sharedServer, testDirectory } from '../testing/servers/postgres.ts';

const folder = (dataDir: string) => path.join(dataDir, 'spool', '1');
const segments = (dataDir: string) => readdirSync(folder(dataDir)).filter((name) => name.endsWith('.spool'));
const spooled = (dataDir: string) =>
  segments(dataDir).reduce((sum, name) => sum + statSync(path.join(folder(dataDir), name)).size, 0);

/** A session at work: of a server that is idle sessions are read every ten seconds only. */
async function keepBusy(server: { url: string }): Promise<void> {
  const [busy, other] = [await openClient(server, 'busy'), await openClient(server, 'other')];
  const working = busy.begin('select pg_sleep(600)');
  onTestFinished(async () => {
    await other.query(`select pg_terminate_backend(${busy.pid})`);
    await working;
    await Promise.all([busy.end(), other.end()]);
  });
}

it.each(['refuse', 'drop'] as const)(
  'F21: stops within ten seconds while the datastore would %s, and what waits is stored by the next start',
  { timeout: 240_000 },
  async (kind) => {
    const { house, id } = await newFaultScene();
    await keepBusy(await sharedServer(18));
    // The test's own user has taken the first number.
    await house.db.run(sql`/* test.users */
      select setval(pg_get_serial_sequence('matriarch.users', 'id'), 100)`);
    const { proxy, url } = await proxyTo(house.url);
    onTestFinished(() => proxy.stop());
    const dataDir = testDirectory('data');
    const start = () => {
      const args = ['start', '--roles', 'collector', '--datastore-url', url.reveal()];
      const more = [
        '--data-dir',
        dataDir,
        '--secret-key-file',
        house.keyFile,
        '--collector-budget-percent',
        '100',
      ];
      const child = startChild({ script, args: [...args, ...more] });
      onTestFinished(async () => {
        await child.kill('SIGKILL');
      });
      return child;
    };
    const ticks = async (from: number) =>
      (
        await house.db.one<{ n: number }>(sql`/* test.ticks */
          select count(*) as n from metrics.pg_active_sessions__ticks
          where connection_id = ${id} and collected_at > ${new Date(from).toISOString()}::timestamptz`)
      ).n;
    const exists = async () =>
      (
        await house.db.one<{ there: boolean }>(
          sql`/* test.exists */ select to_regclass('metrics.pg_active_sessions__ticks') is not null as there`,
        )
      ).there;
    const child = start();
    await expect.poll(exists).toBe(true);
    await expect.poll(() => ticks(0)).toBeGreaterThan(1);
    await proxy.set({ kind });
    const away = systemClock.now();
    const before = spooled(dataDir);
    // Some of it was read after the datastore had gone.
    const isLater = () => systemClock.now() - away > 3000 && spooled(dataDir) > before + 200;
    await expect.poll(isLater, { timeout: 60_000 }).toBe(true);
    const began = systemClock.monotonic();
    expect(await child.kill('SIGTERM')).toBe(0);
    expect(systemClock.monotonic() - began).toBeLessThan(10_000);
    const left = segments(dataDir);
    expect(left).not.toEqual([]);
    await proxy.set({ kind: 'pass' });
    const next = start();
    const still = () => segments(dataDir).filter((name) => left.includes(name));
    await expect
      .poll(still, { timeout: 150_000 })
      .toEqual([])
      .catch((error: unknown) => {
        throw new Error(`${still().join(', ')} is not stored. It says: ${next.errors()}`, { cause: error });
      });
    expect(await ticks(away)).toBeGreaterThan(0);
  },
);
