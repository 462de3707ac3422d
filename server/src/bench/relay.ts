// A way to a server that counts: connections, and round trips, which is how often we had to wait for an answer before
// we said the next thing.
import { once } from 'node:events';
import net from 'node:net';

export interface Relay {
  readonly port: number;
  readonly counts: { connections: number; roundTrips: number; bytesDown: number };
  stop(): void;
}

/** Terminate, which nobody answers. */
const isGoodbye = (data: string | Buffer) => data.length === 5 && data.at(0) === 0x58;

export async function startRelay(port: number): Promise<Relay> {
  const counts = { connections: 0, roundTrips: 0, bytesDown: 0 };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    counts.connections += 1;
    const upstream = net.connect({ host: '127.0.0.1', port, noDelay: true });
    client.setNoDelay(true);
    let isAsking = false;
    client.on('data', (data) => {
      if (!isAsking && !isGoodbye(data)) counts.roundTrips += 1;
      isAsking = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      isAsking = false;
      counts.bytesDown += data.length;
      client.write(data);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.end();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    counts,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
