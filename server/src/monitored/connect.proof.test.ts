// Replies that are too large, and a server that freezes; everything else of sessions is in connect.kit.test.ts.
import { afterEach, expect, it } from 'vitest';
import { sharedServer, startCluster } from '../testing/servers/postgres.ts';
import {
  targetFailure as failure,
  testSettings as settingsOf,
  TestSessions,
} from '../testing/servers/target.ts';
import { connectTarget, type TargetError } from './connect.ts';

const { connect, end } = new TestSessions();
afterEach(end);

it('closes its socket when a reply is larger than allowed, and only that', async () => {
  const server = await sharedServer(18);
  const small = await connect(
    settingsOf(server, { max_socket_bytes: 1_000_000, statement_timeout_ms: 30_000 }),
  );
  const other = await connect(
    settingsOf(server, { max_socket_bytes: 1_000_000, statement_timeout_ms: 30_000 }),
  );
  for (let round = 0; round < 5; round += 1) {
    await small.query("select repeat('x', 500000) as text");
  }
  const lost: string[] = [];
  small.onLost((error) => lost.push(error.code));
  expect(await failure(small.query("select repeat('x', 200000000) as text"))).toMatchObject({
    step: 'protocol',
    code: 'reply_too_large',
  });
  expect(lost).toEqual(['reply_too_large']);
  expect((await failure(other.query('select g from generate_series(1, 1000000) g'))).code).toBe(
    'reply_too_large',
  );
  expect((await connect(settingsOf(server))).tls).toBe(false);
});
it('stops answering (SIGSTOP): the statement ends, the socket is destroyed, nothing hangs', async () => {
  await using cluster = await startCluster({ major: 14 });
  const client = await connect(settingsOf(cluster, { statement_timeout_ms: 100 }));
  const polite = await connect(settingsOf(cluster, { statement_timeout_ms: 100 }));
  cluster.pause();
  const lost = Promise.withResolvers<TargetError>();
  client.onLost(lost.resolve);
  expect(await failure(client.query('select 1'))).toMatchObject({ step: 'timeout', code: 'no_answer' });
  expect((await lost.promise).code).toBe('no_answer');
  await polite.close();
  expect(await failure(connectTarget(settingsOf(cluster, { connect_timeout_ms: 300 })))).toMatchObject({
    step: 'timeout',
    code: 'tls_timeout',
  });
  cluster.resume();
});
