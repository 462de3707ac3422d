// The program is asked to stop at each moment of its start, and while its rounds wait for the datastore. Guards: it ends at once, without
// a warning, and leaves no process and no lock.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { sql } from '../kernel/sql.ts';
import { newKeyFile } from '../testing/api-process.ts';
import { script } from '../testing/app-process.ts';
import { type Child, startChild } from '../testing/child.ts';
import { openClient } from '../testing/servers/client.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';

/** What the rounds of the alerter, findings, blackouts, reports and delivery read. */
const LOCKED = [
  'alerts',
  'finding_runs',
  'findings',
  'notifications',
  'blackouts',
  'blackout_schedules',
  'report_schedules',
];

function start(dataDir: string, ...args: string[]): Child {
  const child = startChild({ script, args: ['start', '--port', '0', '--data-dir', dataDir, ...args] });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  return child;
}

/** Lines of standard error that are no information of the log. What the last second was too short to write is rightly said. */
const complaints = (child: Child) =>
  child
    .errors()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":30,') && !line.includes('store.left_behind'));

/** Processes that were started with this directory. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(dataDir);
    } catch {
      return false;
    }
  });
}

async function demandEnded(child: Child, dataDir: string): Promise<void> {
  // Before it listens for signals, it ends as any program does.
  expect([0, 'SIGTERM']).toContain(await child.kill('SIGTERM'));
  expect(complaints(child)).toEqual([]);
  expect(processesOf(dataDir)).toEqual([]);
  const locks = ['matriarch.pid', 'postgres/postmaster.pid'].map((name) => path.join(dataDir, name));
  expect(locks.filter((file) => readdirSync(path.dirname(file)).includes(path.basename(file)))).toEqual([]);
}

async function untilLine(child: Child, pattern: RegExp): Promise<void> {
  for (let line = await child.line(); line === null || !pattern.test(line); line = await child.line())
    if (line === null) throw new Error(`it ended early: ${child.errors()}`);
}

describe('a start that is asked to stop', () => {
  it('ends without a complaint at each moment', { timeout: 400_000 }, async () => {
    const dataDir = testDirectory('data');
    const first = start(dataDir);
    await untilLine(first, /Ctrl-C stops/);
    await demandEnded(first, dataDir);
    let isReady = false;
    // Once it stands, one moment is more like the next.
    for (let ms = 0; ms <= 3000; ms += isReady ? 250 : 50) {
      const child = start(dataDir);
      let told = '';
      child.process.stdout?.on('data', (chunk: Buffer) => {
        told += chunk.toString();
      });
      await systemClock.sleep(ms);
      isReady = told.includes('Ctrl-C stops');
      await demandEnded(child, dataDir);
    }
  });

  it('takes no further step', async () => {
    const dataDir = testDirectory('data');
    const child = start(dataDir);
    await untilLine(child, /Prepared the datastore/);
    await demandEnded(child, dataDir);
    for (let line = await child.line(); line !== null; line = await child.line())
      expect(line).not.toContain('is ready');
  });
});

describe('a program whose starter is gone', () => {
  it('ends by itself, with its datastore, as after kill -9 of npm start', async () => {
    const dataDir = testDirectory('data');
    const child = fork(script, ['start', '--port', '0', '--data-dir', dataDir], { silent: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    const isRunning = async () => {
      for await (const chunk of child.stdout ?? []) if (String(chunk).includes('Ctrl-C stops')) return;
    };
    await isRunning();
    const began = systemClock.monotonic();
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
    expect(systemClock.monotonic() - began).toBeLessThan(4000);
    await expect.poll(() => processesOf(dataDir)).toEqual([]);
  });
});

describe('rounds that wait for the datastore', () => {
  it('end when the program is asked to stop', async () => {
    const { url, db, close } = await testDatabase();
    onTestFinished(close);
    const blocker = await openClient({ url: url.reveal() }, 'blocker');
    onTestFinished(() => blocker.end());
    const datastore = ['--datastore-url', url.reveal(), '--secret-key-file', newKeyFile()];
    const child = start(testDirectory('data'), '--roles', 'collector,alerter', ...datastore);
    await untilLine(child, /Ctrl-C stops/);
    await blocker.query('begin');
    await blocker.query(
      `lock table ${LOCKED.map((name) => `matriarch.${name}`).join(', ')} in access exclusive mode`,
    );
    const waiting = async () =>
      (
        await db.one<{ n: number }>(sql`/* test.waiting */
          select count(*) as n from pg_catalog.pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
      ).n;
    await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
    const began = systemClock.monotonic();
    expect(await child.kill('SIGTERM')).toBe(0);
    expect(complaints(child)).toEqual([]);
    expect(systemClock.monotonic() - began).toBeLessThan(4000);
  });
});
