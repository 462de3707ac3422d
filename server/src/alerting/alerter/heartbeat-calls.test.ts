// The heartbeat against a real datastore and a real HTTP server: it calls while work succeeds, calls the other address while work fails, and
// nothing when work has stopped; the address is in no log line, and one that channels may not call is not called.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { PartStates } from '../../kernel/part-states.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { createSender } from '../channels/sender.ts';
import { startHeartbeat } from './heartbeat-calls.ts';

const calls: string[] = [];
const outside = createServer((request, response) => {
  calls.push(`${request.method} ${request.url}`);
  response.statusCode = request.url?.includes('refuses') ? 500 : 200;
  response.end('OK');
});
let base = '';
let test: TestDatabase;
let parts: PartStates;

beforeAll(async () => {
  test = await testDatabase();
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${portOf(outside.address())}`;
});
afterAll(async () => {
  outside.closeAllConnections();
  outside.close();
  await test.close();
});
beforeEach(async () => {
  calls.length = 0;
  await test.db.run(sql`/* test.forget */ delete from matriarch.part_states`);
  parts = new PartStates(test.db, systemClock);
});

const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : expect.fail('no port');

/** Looks every 20 ms, which settings do not allow; answers the lines of the log. */
function beating(name: string, allow_private_networks = true): string[] {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const sender = createSender({ allow_private_networks });
  const settings = {
    url: new Secret(`${base}/${name}`),
    fail_url: new Secret(`${base}/${name}/fail`),
    interval_seconds: 0.02,
  };
  const part = startHeartbeat({ db: test.db, log, sender, settings });
  onTestFinished(async () => {
    await part.stop();
    await sender.stop();
  });
  return lines;
}

async function succeed(): Promise<void> {
  await parts.ran('alerter');
  await parts.ran('delivery');
}

it('calls while alerts are judged and notifications delivered', async () => {
  await succeed();
  beating('well');
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  expect(new Set(calls)).toEqual(new Set(['POST /well']));
});

it.each(['alerter', 'findings', 'delivery', 'maintenance'] as const)(
  'calls the address of failures while %s has failed for a minute',
  async (part) => {
    await succeed();
    await parts.failed(part, new Error('of the test'));
    await test.db.run(sql`/* test.since */
      update matriarch.part_states set failing_since = now() - interval '2 minutes' where failure is not null`);
    beating('ill');
    await expect.poll(() => calls.length).toBeGreaterThan(2);
    expect(new Set(calls)).toEqual(new Set(['POST /ill/fail']));
  },
);

it('calls nothing while notifications are held: the original of a copy has the heartbeat', async () => {
  await succeed();
  const lift = () => test.db.run(sql`/* test.lift */ delete from matriarch.notification_holds`);
  await test.db.run(sql`/* test.hold */
    insert into matriarch.notification_holds (held_at, reason) values (now(), 'a test')`);
  onTestFinished(async () => {
    await lift();
  });
  beating('held');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calls).toEqual([]);
  await lift();
  await expect.poll(() => calls.length).toBeGreaterThan(0);
});

it('calls nothing when the alerter has not succeeded for minutes, and goes on when it does', async () => {
  await succeed();
  await test.db.run(sql`/* test.stopped */
    update matriarch.part_states set succeeded_at = now() - interval '4 minutes' where part = 'alerter'`);
  beating('silent');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(calls).toEqual([]);
  await test.db.run(sql`/* test.again */ update matriarch.part_states set succeeded_at = now()`);
  await expect.poll(() => calls.length).toBeGreaterThan(0);
});

it('says once that a call failed, without its address', async () => {
  await succeed();
  const lines = beating('secret-token-refuses');
  await expect.poll(() => calls.length).toBeGreaterThan(3);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('heartbeat.failed');
  expect(lines.join('')).not.toMatch(/secret-token|127\.0\.0\.1/);
});

it('calls no private address that channels may not call', async () => {
  await succeed();
  const lines = beating('private', false);
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).toContain('heartbeat.failed');
  expect(calls).toEqual([]);
});
