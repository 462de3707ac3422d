// Behind a pooler that hands a session of ours to another one of the server, what was prepared is not there any more:
// the server is asked again without names, and nothing of it is a failure.
import { once } from 'node:events';
import net from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { movedSamples, newHouse } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { sharedServer } from '../testing/servers/postgres.ts';

/** A simple query, which the server answers with CommandComplete and ReadyForQuery. */
function simpleQuery(text: string): Buffer {
  const message = Buffer.alloc(6 + text.length);
  message.write('Q');
  message.writeInt32BE(5 + text.length, 1);
  message.write(text, 5);
  return message;
}

/** A way to a server that can forget what the sessions on it have prepared, as other sessions would not know it. */
async function forgetfulWay(port: number) {
  const ways = new Set<{ forget(): Promise<void> }>();
  let opened = 0;
  const server = net.createServer((client) => {
    opened += 1;
    const upstream = net.connect({ host: '127.0.0.1', port });
    let isAsking = false;
    let forgetting: (() => void) | undefined;
    client.on('data', (data) => {
      isAsking = true;
      upstream.write(data);
    });
    upstream.on('data', (data: Buffer) => {
      if (forgetting) {
        forgetting();
        forgetting = undefined;
        return;
      }
      // The last message of an answer: ReadyForQuery, idle.
      isAsking = data.subarray(-6).toString('latin1') !== 'Z\0\0\0\x05I';
      client.write(data);
    });
    const forget = async () => {
      while (isAsking) await new Promise((resolve) => setTimeout(resolve, 5));
      const { promise, resolve } = Promise.withResolvers<void>();
      forgetting = resolve;
      upstream.write(simpleQuery('deallocate all'));
      await promise;
    };
    const way = { forget };
    ways.add(way);
    client.on('close', () => ways.delete(way));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    opened: () => opened,
    forget: () => Promise.all([...ways].map((way) => way.forget())),
  };
}

it('asks without names where those that were prepared are gone, in the same session', async () => {
  const house = await newHouse();
  const server = await sharedServer(18);
  const way = await forgetfulWay(server.port);
  const id = await house.connect({ ...server, port: way.port });
  const { roundTripColumn: _, ...pulse } = EVERY_SECOND;
  const read = { ...pulse, name: 'read', caps: EVERY_SECOND.caps };
  house.start({ probes: [EVERY_SECOND, read] });
  await movedSamples(house, id, 3);
  const opened = way.opened();
  await way.forget();
  await movedSamples(house, id, 3);
  expect(way.opened()).toBe(opened);
  expect(await house.state(id)).toMatchObject({ connection_error: null, consecutive_failures: 0 });
  expect(await house.snapshot(id, 'read')).toMatchObject({ outcome: 'ran' });
});
