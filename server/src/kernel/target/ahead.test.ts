// A session that is readied while its first statements are on their way.
import { once } from 'node:events';
import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { sharedServer, startCluster } from '../../testing/servers/postgres.ts';
import { connectTarget } from './connect.ts';
import { versionNumber } from './sign-in.ts';
import { targetFailure as failure, testSettings as settingsOf } from './target-testing.ts';

/** A way to a server that keeps what the server answers to the settings until the statement behind them has passed. */
async function wayThatWaits(port: number, behind: string): Promise<number> {
  const sockets: net.Socket[] = [];
  const way = net.createServer((client) => {
    const upstream = net.connect({ host: '127.0.0.1', port });
    sockets.push(client, upstream);
    const kept: (string | Buffer)[] = [];
    let isKeeping = false;
    client.on('data', (data) => {
      isKeeping ||= data.includes('target.session');
      if (data.includes(behind)) {
        isKeeping = false;
        for (const one of kept.splice(0)) client.write(one);
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isKeeping) kept.push(data);
      else client.write(data);
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    way.close();
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  return typeof address === 'object' && address ? address.port : 0;
}

it('sends what is asked first along with its settings, which are in force by then', async () => {
  const server = await sharedServer(18);
  const port = await wayThatWaits(server.port, 'asked_first');
  const client = await connectTarget(
    settingsOf({ ...server, port }, { pipeline: true, session: { lock_timeout: '123ms' } }),
  );
  expect(Math.floor(client.server_version_num / 10_000)).toBe(18);
  const asked = `select current_setting('lock_timeout') as asked_first, pg_backend_pid() as pid`;
  const [row] = await client.query<{ asked_first: string; pid: number }>(asked);
  expect(row?.asked_first).toBe('123ms');
  expect(client.backend_pid).toBe(row?.pid);
  await client.close();
});

it('ends with what kept it from being readied, and so does what was asked behind', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query('revoke execute on function pg_catalog.pg_backend_pid() from public');
  await server.query(`create role limited login password 'limited'`);
  const limited = settingsOf({ ...server, superuser: 'limited', password: 'limited' }, { pipeline: true });
  const client = await connectTarget(limited);
  const lost = Promise.withResolvers<string>();
  client.onLost(({ code }) => lost.resolve(code));
  expect(await failure(client.query('select 1 as a'))).toMatchObject({ code: '42501' });
  expect(await lost.promise).toBe('42501');
  expect(await failure(client.query('select 1 as a'))).toMatchObject({ code: '42501' });
  // One that waits for it says so at once.
  expect(await failure(connectTarget({ ...limited, pipeline: false }))).toMatchObject({ code: '42501' });
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
