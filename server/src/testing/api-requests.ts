// Raw bytes in, raw bytes out: for what a well-behaved client cannot send.
import net from 'node:net';

/** Sends `text` on a fresh connection and answers everything that came until the server closed it or fell silent. */
export async function sendRaw(port: number, text: string | Buffer, silenceMs = 1500): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
  socket.setTimeout(silenceMs, () => socket.destroy());
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  return promise;
}
