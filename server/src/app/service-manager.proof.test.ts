// The program as a service of systemd, which is a socket here: what it says of its start, its life, a reload and its end.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../kernel/clock.ts';
import { newKeyFile } from '../testing/api-process.ts';
import { script } from '../testing/app-process.ts';
import { type Child, startChild } from '../testing/child.ts';
import { canNotify, startNotifySocket } from '../testing/notify-socket.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';

const ALIVE = 'READY=1|WATCHDOG=1';

/** Of a service whose watchdog waits for a second. */
async function startService(env: Record<string, string>): Promise<Child> {
  const { url, close } = await testDatabase();
  onTestFinished(close);
  const directory = testDirectory('service');
  const file = path.join(directory, 'matriarch.yaml');
  writeFileSync(file, [`datastore_url: ${url.reveal()}`, `data_dir: ${directory}`, 'port: 0'].join('\n'));
  const args = ['start', '--roles', 'api', '--secret-key-file', newKeyFile(), '--config', file];
  const child = startChild({ script, args, env: { WATCHDOG_USEC: '1000000', ...env } });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  for (let line = await child.line(); !line?.includes('Ctrl-C stops'); line = await child.line())
    if (line === null) throw new Error(child.errors());
  return child;
}

/** Keeps the event loop of the program busy for ever, as a fault of ours would. */
async function block({ process, errors }: Child): Promise<void> {
  const inspector = () => /ws:\/\/\S+/.exec(errors())?.[0];
  process.kill('SIGUSR1');
  await expect.poll(inspector).toBeDefined();
  const socket = new WebSocket(String(inspector()));
  onTestFinished(() => socket.close());
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'for (;;);' } }));
}

describe.skipIf(!canNotify)('a service of systemd (needs systemd-notify and perl)', () => {
  it('says that it starts, is ready, lives, reads its settings again and stops', async () => {
    const { path: socket, messages } = await startNotifySocket();
    const child = await startService({ NOTIFY_SOCKET: socket });
    await expect.poll(() => messages.filter((one) => one === ALIVE).length).toBeGreaterThan(1);
    expect(messages[0]).toMatch(/^EXTEND_TIMEOUT_USEC=\d+$/);
    const ready = messages.findIndex((one) => one.startsWith('READY=1'));
    expect(messages[ready]).toMatch(/^READY=1\|WATCHDOG=1\|STATUS=Version \S+ is ready: http:\S+$/);
    expect(messages.slice(0, ready).filter((one) => !/^(?:STATUS|EXTEND_TIMEOUT_USEC)=/.test(one))).toEqual(
      [],
    );

    child.process.kill('SIGHUP');
    await expect.poll(() => messages).toContain('RELOADING=1');
    const reloading = messages.indexOf('RELOADING=1');
    await expect.poll(() => messages[reloading + 1]).toBe('READY=1');

    expect(await child.kill('SIGTERM')).toBe(0);
    await expect.poll(() => messages.at(-1)).toBe('STOPPING=1|STATUS=Stopping');
    expect(child.errors()).not.toContain('service.not_notified');
  });

  it('gives no sign of life while its event loop is stuck, so that the watchdog ends it', async () => {
    const { path: socket, messages } = await startNotifySocket();
    const child = await startService({ NOTIFY_SOCKET: socket });
    await expect.poll(() => messages.at(-1)).toBe(ALIVE);
    await block(child);
    // One may have been under way.
    await sleep(500);
    const before = messages.length;
    await sleep(2500);
    expect(messages.slice(before)).toEqual([]);
  });

  it('runs all the same where systemd cannot be notified, and says so once', async () => {
    const child = await startService({ NOTIFY_SOCKET: '/nowhere/socket' });
    await sleep(1500);
    child.process.kill('SIGHUP');
    await expect.poll(() => child.errors()).toContain('settings.reread');
    expect(child.errors().match(/service\.not_notified/g)).toHaveLength(1);
    expect(await child.kill('SIGTERM')).toBe(0);
  });
});
