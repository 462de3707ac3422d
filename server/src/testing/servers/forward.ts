// A port on loopback that leads to one server at a time, as a virtual IP or a TCP proxy does. Guards: turned to another server, it
// cuts off all who are connected, so that nobody goes on with the one before.
import { once } from 'node:events';
import net from 'node:net';
import { PassThrough, type Transform } from 'node:stream';

export interface Forward {
  readonly host: '127.0.0.1';
  readonly port: number;
  turnTo(server: { host: string; port: number }): void;
  stop(): Promise<void>;
}

/** `answers` changes what the server sends, in each session. */
export async function startForward(
  first: { host: string; port: number },
  answers: () => Transform = () => new PassThrough(),
): Promise<Forward> {
  let to = first;
  const open = new Set<net.Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const server = net.createServer((socket) => {
    const onward = net.connect(to.port, to.host);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    socket.pipe(onward);
    onward.pipe(answers()).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the forward has no port');
  return {
    host: '127.0.0.1',
    port: address.port,
    turnTo: (next) => {
      to = next;
      cut();
    },
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
