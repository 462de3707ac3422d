// A server with more sessions than are listed one by one: what is counted is what the server has.

import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ofRow } from '../probes/formula.ts';
import { metricOf } from '../probes/metrics.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { directly, probeNamed, rowsOf, sessionOn } from '../testing/servers/probing.ts';

const IDLE = 1450;
const PROTOCOL = 196_608;

/** A session that says nothing after it has signed in; the server trusts it. */
function idle(port: number): Promise<net.Socket> {
  const body = Buffer.from('user\0postgres\0database\0postgres\0application_name\0idle\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + head.length, 0);
  head.writeInt32BE(PROTOCOL, 4);
  const socket = net.connect(port, '127.0.0.1');
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write(Buffer.concat([head, body]));
  });
}

it('counts 1,450 idle sessions, of which 1,000 are listed', { timeout: 300_000 }, async () => {
  const cluster = await startCluster({
    settings: { max_connections: 1600 },
    hba: ['host all all 127.0.0.1/32 trust'],
  });
  onTestFinished(() => cluster.stop());
  const sockets: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let n = 0; n < IDLE; n += 50)
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => idle(cluster.port)))));
  const counted = async () =>
    (await directly(cluster, `select count(*)::int4 as n from pg_stat_activity where state = 'idle'`))[0]?.n;
  await expect.poll(counted, { timeout: 60_000 }).toBe(IDLE);
  const session = await sessionOn(cluster);
  onTestFinished(() => session.client.close());
  const probe = probeNamed('pg_stat_activity');
  const rows = await rowsOf(session, probe.name);
  expect(rows.length).toBeLessThanOrEqual(1100);
  const count = (name: string) => {
    const metric = metricOf(probe, name) ?? expect.fail();
    return rows.reduce((sum, row) => sum + Number(ofRow(metric.value, (column) => row[column], 0)), 0);
  };
  expect(count('client_count')).toBe(IDLE);
  expect(count('count')).toBeGreaterThan(IDLE);
  expect(count('blocked_count')).toBe(0);
});
