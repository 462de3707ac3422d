// Passes a page's traffic on to the product and counts every byte of it, headers and compressed bodies alike. Counted is
// what is on the wire, not what a browser says of it.
import { once } from 'node:events';
import net from 'node:net';

export interface CountedWire {
  /** http://127.0.0.1:port of this way to the product. */
  url: string;
  /** Bytes so far. */
  sent: number;
  received: number;
  stop(): void;
}

export async function startCountedWire(target: string): Promise<CountedWire> {
  const port = Number(new URL(target).port);
  const sockets = new Set<net.Socket>();
  const wire: CountedWire = { url: '', sent: 0, received: 0, stop: () => undefined };
  const server = net.createServer((browser) => {
    const product = net.connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [browser, product],
      [product, browser],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    browser.on('data', (chunk) => {
      wire.sent += chunk.length;
      product.write(chunk);
    });
    product.on('data', (chunk) => {
      wire.received += chunk.length;
      browser.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  wire.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  wire.stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return wire;
}
