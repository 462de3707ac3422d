// A client that receives WAL and replays none, as pg_receivewal does: it reports what it has flushed once, and stops reading then,
// as one that was stopped by a signal.
import net from 'node:net';
import path from 'node:path';
import type { TestServer } from './cluster.ts';

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const lsnBytes = (lsn: string) =>
  Buffer.from(
    lsn
      .split('/')
      .map((half) => half.padStart(8, '0'))
      .join(''),
    'hex',
  );
const framed = (type: string, body: Buffer) =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const texts = (...all: string[]) => Buffer.from(all.map((one) => `${one}\0`).join(''));

/** Written, flushed, and 0/0 for replayed, which PostgreSQL shows as null. */
const statusOf = (lsn: string) =>
  framed(
    'd',
    Buffer.concat([Buffer.from('r'), lsnBytes(lsn), lsnBytes(lsn), Buffer.alloc(8), Buffer.alloc(9)]),
  );

/** Streams from that position on by the slot. */
export async function receiveWal(
  { socketDir, port, superuser }: TestServer,
  { slot, lsn }: { slot: string; lsn: string },
): Promise<Disposable> {
  const socket = net.connect(path.join(socketDir, `.s.PGSQL.${port}`));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let pending = Buffer.alloc(0);
  socket.on('error', reject);
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 5 && pending.length > pending.readInt32BE(1)) {
      const [type, size] = [String.fromCharCode(pending[0] ?? 0), pending.readInt32BE(1) + 1];
      const body = pending.subarray(5, size);
      pending = pending.subarray(size);
      if (type === 'E') reject(new Error(body.toString('utf8')));
      if (type === 'Z') socket.write(framed('Q', texts(`START_REPLICATION SLOT ${slot} PHYSICAL ${lsn}`)));
      if (type === 'W') {
        socket.write(statusOf(lsn), () => resolve());
        socket.pause();
        return;
      }
    }
  });
  const startup = Buffer.concat([
    int32(196_608),
    texts('user', superuser, 'replication', 'true', 'application_name', 'kit receives'),
    Buffer.alloc(1),
  ]);
  socket.write(Buffer.concat([int32(startup.length + 4), startup]));
  await promise;
  return { [Symbol.dispose]: () => socket.destroy() };
}
