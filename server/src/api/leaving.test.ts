// A client that leaves before its answer leaves no statement behind, whatever it asked of what is stored.
import net from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sql } from '../kernel/sql.ts';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';

let test: TestApi;
let url: URL;
beforeAll(async () => {
  test = await startWholeApi();
  url = new URL((await test.api.listen()).url);
});
afterAll(() => test.close());

const waiting = async () => {
  const { names } = await test.db.one<{ names: string[] }>(sql`/* test.waiting */
    select coalesce(array_agg(substring(query from '/\\* (\\S+)')), '{}') as names
    from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`);
  return names;
};

const day = 'start_time=2026-11-19T10:00:00Z&end_time=2026-11-20T10:00:00Z';
const ASKED: readonly [path: string, locked: string, statement: string][] = [
  [`/api/v1/changes?${day}&limit=1`, 'metrics.objects', 'store.objects_made'],
  [`/api/v1/timeline/events?${day}`, 'metrics.facts', 'store.fact_events'],
  ['/api/v1/findings', 'matriarch.findings', 'findings.'],
  ['/api/v1/alerts', 'matriarch.alerts', 'alerts.'],
];

it.each(ASKED)('%s', async (path, locked, statement) => {
  const { session } = test.actors.superuser;
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = test.db.transaction(async (db) => {
    await db.run({ text: `lock table ${locked} in access exclusive mode`, values: [] });
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const client = net.connect(Number(url.port), url.hostname);
  client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session}\r\n\r\n`);
  const look = { timeout: 10_000, interval: 20 };
  await vi.waitFor(async () => expect((await waiting()).join()).toContain(statement), look);
  client.destroy();
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), look);
  released.resolve();
  await holding;
});
