// Blackouts in the timeline over HTTP: when they began and ended, for whom, and never what lies ahead.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import type { TimelineResult } from './timeline.contract.ts';
import { timelineRoutes } from './timeline.routes.ts';

const NOW = Date.parse('2026-05-02T12:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();

let test: TestApi;
let cluster: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [timelineRoutes], clock: manualClock(NOW) });
  const { id } = await test.db.one<{ id: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (name) values ('orders') returning id`);
  cluster = id;
  await test.db.run(sql`/* test.join */
    update matriarch.connections set cluster_id = ${cluster} where id = ${test.actors.own_connection}`);
});
afterAll(() => test.close());

interface Quiet {
  scope: string;
  scope_id?: number;
  database?: string;
  from: number;
  to: number;
  reason?: string;
}

async function quiet({ scope, scope_id, database, from, to, reason = '' }: Quiet): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.quiet */
    insert into matriarch.blackouts (scope, scope_id, database_name, reason, start_time, end_time, created_by, created_at)
    values (${scope}, ${scope_id ?? null}::int, ${database ?? null}::text, ${reason}, ${at(from)}::timestamptz,
      ${at(to)}::timestamptz, 'ada', now())
    returning id`);
  return id;
}

type Result = Static<typeof TimelineResult>;

async function told(more = '', token = test.actors.owner.session): Promise<Result> {
  const types = 'event_types=blackout_started,blackout_ended';
  const window = `start_time=${at(-600)}&end_time=${at(600)}`;
  const { text, error } = await test.call(`GET /api/v1/timeline/events?${window}&${types}${more}`, { token });
  expect(error).toBeUndefined();
  const result: Result = JSON.parse(text);
  return result;
}

const idsOf = ({ events }: Result) => events.map(({ id }) => id);

it('tell when they began and when they were over, for each scope by the name of what it is', async () => {
  const { own_connection, shared_connection } = test.actors;
  const over = await quiet({
    scope: 'server',
    scope_id: own_connection,
    from: -60,
    to: -30,
    reason: 'Upgrade.',
  });
  const running = await quiet({ scope: 'cluster', scope_id: cluster, from: -20, to: 20 });
  const estate = await quiet({ scope: 'estate', from: -10, to: 30 });
  const database = await quiet({
    scope: 'server',
    scope_id: own_connection,
    database: 'shop',
    from: -5,
    to: 5,
  });
  await quiet({ scope: 'estate', from: 10, to: 30 });
  const all = await told();
  expect(idsOf(all)).toEqual([
    `blackout-started-${database}`,
    `blackout-started-${estate}`,
    `blackout-started-${running}`,
    `blackout-ended-${over}`,
    `blackout-started-${over}`,
  ]);
  const server = await test.db.one<{ name: string }>(sql`/* test.name */
    select name from matriarch.connections where id = ${own_connection}`);
  expect(all.total_count).toBe(5);
  expect(all.events[3]).toEqual({
    id: `blackout-ended-${over}`,
    event_type: 'blackout_ended',
    connection_id: own_connection,
    server_name: server.name,
    occurred_at: at(-30),
    severity: 'info',
    title: 'Blackout ended',
    summary: `Alerts of ${server.name} were kept quiet from ${at(-60)} to ${at(-30)}: Upgrade.`,
    details: { blackout_id: over, scope: 'server', reason: 'Upgrade.', created_by: 'ada', end_time: at(-30) },
  });
  expect(
    all.events.slice(0, 3).map(({ connection_id, server_name }) => [connection_id, server_name]),
  ).toEqual([
    [own_connection, server.name],
    [0, 'Estate'],
    [0, 'orders'],
  ]);
  expect(all.events[0]?.summary).toBe(`Alerts of shop on ${server.name} are kept quiet until ${at(5)}.`);

  // Of another server only what holds for it, and so for somebody who sees that one alone.
  expect(idsOf(await told(`&connection_id=${shared_connection}`))).toEqual([`blackout-started-${estate}`]);
  expect(idsOf(await told('', test.actors.other.session))).toEqual([`blackout-started-${estate}`]);
  const cut = await told('&limit=2');
  expect([idsOf(cut).length, cut.total_count]).toEqual([2, 5]);
});
