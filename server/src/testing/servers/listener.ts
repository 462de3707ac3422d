// A server on loopback that speaks just enough of PostgreSQL's protocol to be told a password: it asks everybody for it
// in clear text, says that it is wrong, and keeps every byte it was sent. On any address of 127/8 it has the same port.
import { createServer, type Socket } from 'node:net';
import { createServer as createTls, type SecureContextOptions } from 'node:tls';

const SSL_REQUEST = 80_877_103;
const ASK_CLEAR_TEXT = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

function wrongPassword(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed'];
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export interface Listener {
  port: number;
  /** Everything that was sent to one of its addresses, after TLS where it was spoken. */
  heard(address: string): Buffer;
  connections(address: string): number;
  forget(): void;
  stop(): Promise<void>;
}

class Ears {
  readonly #heard = new Map<string, Buffer[]>();
  readonly #connections = new Map<string, number>();

  came(address: string): void {
    this.#connections.set(address, this.connections(address) + 1);
  }

  keep(address: string, bytes: Buffer): void {
    const known = this.#heard.get(address) ?? [];
    known.push(bytes);
    this.#heard.set(address, known);
  }

  heard(address: string): Buffer {
    return Buffer.concat(this.#heard.get(address) ?? []);
  }

  connections(address: string): number {
    return this.#connections.get(address) ?? 0;
  }

  forget(): void {
    this.#heard.clear();
    this.#connections.clear();
  }
}

/** With `tls` it agrees to encryption, without it it declines. */
export async function startListener(tls?: SecureContextOptions): Promise<Listener> {
  const ears = new Ears();
  const sockets = new Set<Socket>();
  const converse = (socket: Socket, address: string) => {
    let asked = false;
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      ears.keep(address, bytes);
      if (bytes.length >= 8 && bytes.readInt32BE(4) === SSL_REQUEST) {
        if (!secured) return void socket.write('N');
        socket.removeAllListeners('data');
        socket.write('S');
        secured.emit('connection', socket);
        return;
      }
      socket.write(asked ? wrongPassword() : ASK_CLEAR_TEXT);
      asked = true;
    });
  };
  const secured = tls && createTls(tls, (socket) => converse(socket, socket.localAddress ?? ''));
  secured?.on('tlsClientError', () => undefined);
  const server = createServer((socket) => {
    const address = socket.localAddress ?? '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    ears.came(address);
    converse(socket, address);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '0.0.0.0', resolve);
  await promise;
  const at = server.address();
  if (typeof at !== 'object' || at === null) throw new Error('no port');
  return {
    port: at.port,
    heard: (address) => ears.heard(address),
    connections: (address) => ears.connections(address),
    forget: () => ears.forget(),
    stop: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const socket of sockets) socket.destroy();
      await closed.promise;
    },
  };
}
