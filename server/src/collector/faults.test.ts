// What holds when monitored servers hang, refuse or lie, and when probes are poison.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineProbe, type Probe } from '../probes/types.ts';
import type { MonitoredServer } from '../testing/collecting.ts';
import { furtherSamples, newHouse, SOON } from '../testing/collecting-tests.ts';
import { sharedServer, startCluster } from '../testing/postgres.ts';
import { PULSE } from '../testing/pulse.ts';

/** Sockets of this machine that are open to that port, as a client. */
function socketsTo(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1);
  return lines.filter((line) => {
    const [, , to, state] = line.trim().split(/\s+/);
    return to?.endsWith(remote) && state === '01';
  }).length;
}

describe('a server that hangs', () => {
  it('is given up and found again; the others keep their cadence', { timeout: 60_000 }, async () => {
    const house = await newHouse();
    const hanging = await startCluster({ major: 16 });
    onTestFinished(() => hanging.stop());
    const [bad, good] = [await house.connect(hanging), await house.connect(await sharedServer(18))];
    house.start({
      probes: [PULSE],
      config: { connect_timeout_seconds: 2, connects_per_second: 50, concurrency: 1, budget_percent: 100 },
    });
    await furtherSamples(house, bad, 1);
    hanging.pause();
    await furtherSamples(house, good, 4);
    await expect
      .poll(() => house.state(bad), SOON)
      .toMatchObject({
        connection_error: expect.stringMatching(/in time|stopped answering|closed/),
      });
    expect(socketsTo(hanging.port)).toBeLessThanOrEqual(1);
    expect((await house.snapshot(bad, 'pulse'))?.outcome).toBe('failed');
    await furtherSamples(house, good, 2);
    hanging.resume();
    await expect.poll(() => house.state(bad), SOON).toMatchObject({ connection_error: null });
    await furtherSamples(house, bad, 1);
  });
});

describe('servers that cannot be reached', () => {
  it('say why in plain words, are asked ever less often, and delay nobody', { timeout: 40_000 }, async () => {
    const house = await newHouse();
    const sockets = new Set<net.Socket>();
    const silent = net.createServer((socket) => sockets.add(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const nobody: MonitoredServer = { host: '127.0.0.1', port, superuser: 'x', password: 'x' };
    const dead = await Promise.all(Array.from({ length: 30 }, () => house.connect(nobody)));
    const live = await house.connect(await sharedServer(18));
    house.start({
      probes: [PULSE],
      config: { connect_timeout_seconds: 2, connects_per_second: 50, concurrency: 2, budget_percent: 100 },
    });
    await furtherSamples(house, live, 2);
    const failures = async () => (await house.state(dead[0] ?? 0))?.consecutive_failures ?? 0;
    await expect.poll(failures, SOON).toBeGreaterThanOrEqual(2);
    const { connection_error } = (await house.state(dead[29] ?? 0)) ?? {};
    expect(connection_error).toBe('127.0.0.1 accepted the connection but did not finish signing in in time.');
    await furtherSamples(house, live, 2);
  });

  it('a wrong password is said as such, without the server’s words', async () => {
    const house = await newHouse();
    const id = await house.connect(await sharedServer(17), { password: 'wrong' });
    house.start({ probes: [PULSE] });
    await expect
      .poll(() => house.state(id), SOON)
      .toMatchObject({
        connection_error: 'The password for postgres is wrong, or there is no such role on the server.',
      });
  });
});

function poison(name: string, text: string, caps: Partial<Probe['caps']> = {}): Probe {
  return defineProbe({
    name,
    description: 'Poison.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'snapshot',
    columns: [{ name: 'value', type: 'text', kind: 'label', description: 'Anything.' }],
    caps: { timeoutMs: 500, ...caps },
    sql: () => text,
  });
}

describe('a poison probe', () => {
  it('fails alone, with a reason, and is asked less often', { timeout: 40_000 }, async () => {
    const house = await newHouse();
    const id = await house.connect(await sharedServer(18));
    const probes = [
      poison('slow', `select 'x'::text as value from pg_catalog.pg_sleep(30)`),
      poison('error', `select (1 / (random() * 0)::int)::text as value`),
      poison('undefined', 'select value from no_such_table'),
      poison('many', `select 'row'::text as value from pg_catalog.generate_series(1, 1000000)`, {
        maxRows: 10,
      }),
      poison('wide', `select pg_catalog.repeat('x', 100000000) as value`, { maxText: 7, timeoutMs: 5000 }),
      poison(
        'flood',
        `select pg_catalog.repeat('x', 1000) as value from pg_catalog.generate_series(1, 50000)`,
        {
          maxRows: 100_000,
          timeoutMs: 10_000,
        },
      ),
      poison('suicide', `select pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid())::text as value`),
      poison('fine', `select 'well'::text as value`),
      PULSE,
    ];
    house.start({ probes });
    const outcome = async (name: string) => {
      const found = await house.snapshot(id, name);
      return [found?.outcome, found?.reason ?? found?.rows?.[0]?.value];
    };
    await expect.poll(() => outcome('fine'), SOON).toEqual(['ran', 'well']);
    expect(await outcome('slow')).toEqual([
      'failed',
      'The statement ran longer than allowed and was cancelled.',
    ]);
    expect(await outcome('error')).toEqual(['failed', 'The server refused a statement (SQLSTATE 22012).']);
    await expect.poll(() => outcome('undefined'), SOON).toEqual(['failed', expect.stringContaining('42P01')]);
    expect(await outcome('many')).toEqual(['ran', 'There are more than 10 rows; the rest is not kept.']);
    expect(await outcome('wide')).toEqual(['ran', 'xxxxxxx']);
    expect(await outcome('flood')).toEqual(['failed', expect.stringContaining('larger reply')]);
    expect(await outcome('suicide')).toEqual(['failed', expect.stringContaining('closed the session')]);
    const before = (await house.snapshot(id, 'flood'))?.attempted_at;
    await furtherSamples(house, id, 4);
    expect((await house.snapshot(id, 'flood'))?.attempted_at).toBe(before);
    expect(await outcome('fine')).toEqual(['ran', 'well']);
    expect(await house.state(id)).toMatchObject({ connection_error: null });
  });
});
