// A session is readied before anything else is asked in it: until then nobody knows whether it is ours alone.
import { expect, it, onTestFinished } from 'vitest';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';
import { targetFailure as failure, testSettings as settingsOf } from '../testing/servers/target.ts';
import { connectTarget } from './connect.ts';
import { versionNumber } from './sign-in.ts';

it.each([true, false])('has its settings in force when it is there (pipelined: %s)', async (pipeline) => {
  const server = await sharedServer(18);
  const client = await connectTarget(settingsOf(server, { pipeline, session: { lock_timeout: '123ms' } }));
  expect(Math.floor(client.server_version_num / 10_000)).toBe(18);
  expect(client.way).toBe('direct');
  const [row] = await client.query<{ lock: string; pid: number; name: string }>(
    `select current_setting('lock_timeout') as lock, pg_backend_pid() as pid, current_setting('application_name') as name`,
  );
  expect(row).toEqual({ lock: '123ms', pid: client.backend_pid, name: settingsOf(server).application_name });
  await client.close();
});

it.each([true, false])('says what kept it from being readied (pipelined: %s)', async (pipeline) => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('revoke execute on function pg_catalog.pg_backend_pid() from public');
  await server.query(`create role limited login password 'limited'`);
  const limited = settingsOf({ ...server, superuser: 'limited', password: 'limited' }, { pipeline });
  expect(await failure(connectTarget(limited))).toMatchObject({ code: '42501' });
});

it('reads versions as servers and distributions write them', () => {
  expect(versionNumber('18.4')).toBe(180_004);
  expect(versionNumber('15.18 (Debian 15.18-0+deb12u1)')).toBe(150_018);
  expect(versionNumber('19beta1')).toBe(190_000);
  expect(versionNumber('14.22.0')).toBe(140_022);
  expect(versionNumber('9.6.24')).toBeUndefined();
  expect(versionNumber('unknown')).toBeUndefined();
  expect(versionNumber('')).toBeUndefined();
});
