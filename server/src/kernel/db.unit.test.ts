// Sessions of the datastore that end in odd moments.
import { once } from 'node:events';
import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from './db.ts';
import { silentLog } from './log.ts';
import { Secret } from './secret.ts';
import { sql } from './sql.ts';

const message = (type: string, body: string) => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body, 'latin1')]);
};

it('survives a server that takes leave in the packet in which it lets us in', async () => {
  const welcomeAndGoodbye = Buffer.concat([
    message('R', '\0\0\0\0'),
    message('Z', 'I'),
    message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
  ]);
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(welcomeAndGoodbye));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = new Secret(`postgres://nobody@127.0.0.1:${port}/nothing`);
  const db = new Database({ url, log: silentLog, applicationName: 'test' });
  onTestFinished(async () => {
    await db.stop();
    server.close();
  });
  await expect(db.rows(sql`/* test.any */ select 1`)).rejects.toMatchObject({ code: 'unavailable' });
});
