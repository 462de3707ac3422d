// A cluster of a test's own that is stopped, killed and started again. What else servers of tests do is in postgres.kit.test.ts.
import { existsSync } from 'node:fs';
import pg from 'pg';
import { expect, it } from 'vitest';
import { isRunning } from '../../kernel/file-lock.ts';
import { stopWithChildren } from '../faults/pause.ts';
import { ask, tcp } from './ask.ts';
import { startCluster } from './postgres.ts';

it('a cluster of its own takes settings and leaves neither process nor files', async () => {
  const cluster = await startCluster({ major: 15, settings: { track_io_timing: true, work_mem: '5MB' } });
  const { pid } = cluster;
  expect(await cluster.query('select current_setting($1) as work_mem', ['work_mem'])).toEqual([
    { work_mem: '5MB' },
  ]);
  await cluster.shutdown();
  expect(isRunning(pid)).toBe(false);
  await cluster.start();
  expect(await ask(tcp(cluster), 'show track_io_timing')).toBe('on');
  await cluster.kill();
  await cluster.start();
  expect(await ask(tcp(cluster), 'select 1')).toBe(1);
  const last = cluster.pid;
  await cluster.stop();
  expect(isRunning(last)).toBe(false);
  expect(existsSync(cluster.directory)).toBe(false);
});

it('ends a session that does not end with its server', async () => {
  const cluster = await startCluster();
  const client = new pg.Client({ host: cluster.socketDir, port: cluster.port, user: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  await stopWithChildren(cluster.pid, async () => {
    process.kill(pid, 'SIGSTOP');
    process.kill(cluster.pid, 'SIGKILL');
  });
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
  await client.end();
  await cluster.stop();
});
