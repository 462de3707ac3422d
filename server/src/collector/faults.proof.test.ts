// What holds when monitored servers hang or say nothing, and when probes are poison. A server that refuses us is in faults.test.ts.
import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MonitoredServer } from '../testing/collecting.ts';
import { furtherSamples, newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { hangingServer, poisonProbes } from '../testing/faults/server-faults.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

describe('a server that hangs', () => {
  it('is given up and found again; the others keep their cadence', { timeout: 300_000 }, async () => {
    await hangingServer(1);
  });
});

describe('servers that cannot be reached', () => {
  it('say why in plain words, are asked ever less often, and delay nobody', {
    timeout: 300_000,
  }, async () => {
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
      probes: [EVERY_SECOND],
      config: {
        connect_timeout_seconds: 2,
        connects_per_second: 50,
        concurrency: 2,
        budget_percent: 100,
        masked_parameters: [],
      },
    });
    await furtherSamples(house, live, 2);
    const failures = async () => (await house.state(dead[0] ?? 0))?.consecutive_failures ?? 0;
    await expect.poll(failures, SOON).toBeGreaterThanOrEqual(2);
    const { connection_error } = (await house.state(dead[29] ?? 0)) ?? {};
    expect(connection_error).toBe('127.0.0.1 accepted the connection but did not finish signing in in time.');
    await furtherSamples(house, live, 2);
  });
});

describe('a poison probe', () => {
  it('fails alone, with a reason, and is asked less often', { timeout: 300_000 }, async () => {
    await poisonProbes();
  });
});
