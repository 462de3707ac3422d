// One server that is reached by three addresses is three connections: of what is wrong with it one message is sent, which names them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

const START = '2026-01-01T00:00:00Z';

let house: Alerting;
beforeEach(async () => {
  house = await alerting();
  await house.channel();
});
afterEach(() => house.close());

async function server(postmaster_start_time = START, system_identifier = '7'): Promise<number> {
  const id = await house.leased();
  await house.feed(id, 'pg_server_info', { rows: [{ system_identifier, postmaster_start_time }], ago: 200 });
  return id;
}

const retains = (id: number, ago: number) =>
  house.feed(id, 'pg_replication_slots', {
    rows: [{ slot_name: 'standby', active: true, retained_bytes: 2 * 1024 ** 3 }],
    ago,
  });
const failures = (id: number, count: number, ago: number) =>
  house.db.run(sql`/* test.failures */
    insert into matriarch.connection_states (connection_id, consecutive_failures, connection_error, last_error_at)
    values (${id}, ${count}, 'Nothing listens there.', now() - make_interval(secs => ${ago}))
    on conflict (connection_id) do update
    set consecutive_failures = excluded.consecutive_failures, last_error_at = excluded.last_error_at`);
const alertOf = async (id: number) =>
  (await house.alerts()).find(({ connection_id }) => connection_id === id) ?? expect.fail(`none of ${id}`);

it('sends one message for the server, which names its connections, also for those that see it later', async () => {
  const [one, two, three] = [await server(), await server(), await server()];
  const [restarted, other] = [await server('2026-02-01T00:00:00Z'), await server(START, '8')];
  for (const id of [one, two, restarted, other]) await retains(id, 60);
  expect(await house.round()).toMatchObject({ fired: 4 });
  await retains(three, 30);
  expect(await house.round()).toMatchObject({ fired: 1 });
  const first = await alertOf(one);
  expect(first.description).toMatch(/ 3 connections lead to this server: c1, c2, c3\.$/);
  expect(await alertOf(two)).toMatchObject({ cause_id: first.id });
  expect(await alertOf(three)).toMatchObject({ cause_id: first.id });
  const apart = [await alertOf(restarted), await alertOf(other)];
  expect(apart.map(({ cause_id }) => cause_id)).toEqual([null, null]);
  expect(apart[0]?.description).not.toContain('connections lead');
  expect(await house.notified()).toEqual([first.id, ...apart.map(({ id }) => id)].toSorted((a, b) => a - b));
});

it('sends one message when the server is gone, and that of an address that stays gone', async () => {
  const [one, two] = [await server(), await server()];
  for (const id of [one, two]) await failures(id, 3, 60);
  expect(await house.round()).toMatchObject({ fired: 2 });
  const [first, second] = [await alertOf(one), await alertOf(two)];
  expect(first.description).toMatch(/2 connections lead to this server: c1, c2\.$/);
  expect(second.cause_id).toBe(first.id);
  expect(await house.notified()).toEqual([first.id]);
  await house.db.run(sql`/* test.cleared */
    update matriarch.alerts set status = 'cleared', cleared_at = now() - interval '10 minutes' where id = ${first.id}`);
  await failures(one, 0, 60);
  await failures(two, 9, 5);
  await house.round();
  expect(await house.notified()).toEqual([first.id, second.id]);
});

it('sends each where others are notified, or where something else is set', async () => {
  const [one, two, three] = [await server(), await server(), await server()];
  await house.db.run(sql`/* test.channels */
    insert into matriarch.notification_channels (name, channel_type, config, is_estate_default, enabled)
    select 'other', channel_type, config, false, true from matriarch.notification_channels limit 1`);
  await house.db.run(sql`/* test.channel_of_two */
    insert into matriarch.channel_overrides (scope, scope_id, channel_id, is_enabled)
    select 'server', ${two}, id, true from matriarch.notification_channels where name = 'other'`);
  await house.db.run(sql`/* test.override */
    insert into matriarch.alert_overrides (scope, scope_id, rule_id, operator, threshold, severity, is_enabled)
    select 'server', ${three}, r.id, '>', 70, 'critical', true
    from matriarch.alert_rules r
    where r.name = 'replication_slot_retention_warn'`);
  for (const id of [one, two, three]) await retains(id, 60);
  expect(await house.round()).toMatchObject({ fired: 3 });
  for (const id of [one, two, three]) expect(await alertOf(id)).toMatchObject({ cause_id: null });
});

it('sends each where other people see the connection, so that one that claims to be another server keeps nothing back', async () => {
  const [claims, shared] = [await server(), await server()];
  await house.db.run(
    sql`/* test.shared */ update matriarch.connections set is_shared = true where id = ${shared}`,
  );
  await retains(claims, 90);
  await house.round();
  await retains(shared, 60);
  await house.round();
  expect(await alertOf(shared)).toMatchObject({ cause_id: null });
  expect((await alertOf(shared)).description).not.toContain('connections lead');
});
