// What is wrong with a machine is one alert, however many of the monitored servers run on it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

const SERVERS = 40;
const BOOT = '2026-01-01T00:00:00Z';
const OTHER_BOOT = '2026-02-01T00:00:00Z';

let house: Alerting;
beforeEach(async () => {
  house = await alerting();
});
afterEach(() => house.close());

async function onMachine(booted_at: string, host_name = 'db1'): Promise<number> {
  const id = await house.leased();
  await house.feed(id, 'pg_sys_os_info', { rows: [{ host_name, last_bootup_time: booted_at }], ago: 100 });
  await house.feed(id, 'pg_sys_memory_info', { rows: [{ total_memory: 1000, used_memory: 100 }], ago: 100 });
  return id;
}

const busy = (id: number, ago: number, processor_time_percent = 99) =>
  house.feed(id, 'pg_sys_cpu_usage_info', { rows: [{ processor_time_percent }], ago });

const alertsOf = async () =>
  (await house.alerts()).map(({ connection_id, status }) => [connection_id, status]);

it('forty servers on a busy machine are one alert, which every one of them goes on with and ends', async () => {
  const ids: number[] = [];
  while (ids.length < SERVERS) ids.push(await onMachine(BOOT));
  const [first = 0, second = 0] = ids;
  // A machine of the same name, and one that nothing is known of.
  const apart = await onMachine(OTHER_BOOT);
  const unknown = await house.leased();
  for (const id of [...ids, apart, unknown]) await busy(id, 60);
  expect(await house.round()).toMatchObject({ fired: 3 });
  expect(await alertsOf()).toEqual(
    expect.arrayContaining([
      [first, 'active'],
      [apart, 'active'],
      [unknown, 'active'],
    ]),
  );
  const [alert] = (await house.alerts()).filter(({ connection_id }) => connection_id === first);
  expect(alert?.description).toMatch(
    /40 monitored servers share host "db1": c1, c2, c3, c4, c5 and 35 more\.$/,
  );
  // One that did not read it first goes on with it, and no other one fires.
  for (const id of ids.slice(1, 4)) await busy(id, 50, 97);
  expect(await house.round()).toMatchObject({ fired: 0, cleared: 0 });
  expect((await house.alerts()).find(({ connection_id }) => connection_id === first)?.metric_value).toBe(97);
  await busy(second, 40, 10);
  await house.round();
  await busy(second, 30, 10);
  expect(await house.round()).toMatchObject({ cleared: 1 });
  // The machine is silent for a while as a server would be.
  await busy(ids.at(-1) ?? 0, 20);
  expect(await house.round()).toMatchObject({ fired: 0 });
});

it('a server that is added on a busy machine has no alert of its own', async () => {
  const first = await onMachine(BOOT);
  await busy(first, 60);
  expect(await house.round()).toMatchObject({ fired: 1 });
  const added = await onMachine(BOOT);
  for (const id of [first, added]) await busy(id, 50);
  expect(await house.round()).toMatchObject({ fired: 0, cleared: 0 });
  expect(await alertsOf()).toEqual([[first, 'active']]);
});

it('a server for which something else is set has an alert of its own, and a blackout of one keeps no machine quiet', async () => {
  const [one, two, three] = [await onMachine(BOOT), await onMachine(BOOT), await onMachine(BOOT)];
  await house.db.run(sql`/* test.override */
    insert into matriarch.alert_overrides (scope, scope_id, rule_id, operator, threshold, severity, is_enabled)
    select 'server', ${three}, r.id, '>', 50, 'critical', true
    from matriarch.alert_rules r
    where r.name = 'cpu_usage_high'`);
  for (const id of [one, two, three]) await busy(id, 60);
  const blackouts = { covers: (id: number) => (id === one ? {} : undefined) };
  expect(await house.round({ blackouts })).toMatchObject({ fired: 2 });
  expect((await alertsOf()).toSorted()).toEqual([
    [two, 'active'],
    [three, 'active'],
  ]);
});

it('alerts of one machine from before become one', async () => {
  const ids = [await house.leased(), await house.leased(), await house.leased()];
  for (const id of ids) await busy(id, 60);
  expect(await house.round()).toMatchObject({ fired: 3 });
  for (const id of ids) {
    const rows = [{ host_name: 'db1', last_bootup_time: BOOT }];
    await house.feed(id, 'pg_sys_os_info', { rows, ago: 50 });
    await house.feed(id, 'pg_sys_memory_info', { rows: [{ total_memory: 1000, used_memory: 100 }], ago: 50 });
    await busy(id, 40);
  }
  expect(await house.round()).toMatchObject({ fired: 0, cleared: 2 });
  expect((await alertsOf()).filter(([, status]) => status === 'active')).toHaveLength(1);
});

it('high CPU and a high load of one machine are of one server, and the load follows from the CPU', async () => {
  const [one, two] = [await onMachine(BOOT), await onMachine(BOOT)];
  for (const id of [one, two]) await busy(id, 60);
  const blackouts = { covers: (id: number) => (id === one ? {} : undefined) };
  expect(await house.round({ blackouts })).toMatchObject({ fired: 1 });
  const rows = [{ load_avg_fifteen_minutes: 64 }];
  for (const id of [one, two]) {
    await house.feed(id, 'pg_sys_cpu_info', { rows: [{ logical_processor: 4 }], ago: 55 });
    await house.feed(id, 'pg_sys_load_avg_info', { rows, ago: 50 });
  }
  expect(await house.round()).toMatchObject({ fired: 1 });
  const [cpu, load] = await house.alerts();
  expect(cpu).toMatchObject({ raised_by: 'rule:cpu_usage_high', connection_id: two, cause_id: null });
  expect(load).toMatchObject({ raised_by: 'rule:load_average_high', connection_id: two, cause_id: cpu?.id });
});

it('a server that notifies other channels, or that other people see, has an alert of its own and names none that they do not see', async () => {
  const [own, shared, told, mate] = [
    await onMachine(BOOT),
    await onMachine(BOOT),
    await onMachine(BOOT),
    await onMachine(BOOT),
  ];
  await house.db.run(sql`/* test.shared */
    update matriarch.connections set is_shared = true where id = any (${[shared, told, mate]}::int[])`);
  await house.channel();
  await house.db.run(sql`/* test.told */
    insert into matriarch.channel_overrides (scope, scope_id, channel_id, is_enabled)
    select 'server', ${told}::int, id, false from matriarch.notification_channels`);
  for (const id of [own, shared, told, mate]) await busy(id, 60);
  // One that claims to be the same host says that it is idle, and later than the others.
  await busy(own, 50, 1);
  expect(await house.round()).toMatchObject({ fired: 2 });
  const alerts = await house.alerts();
  expect(alerts.map(({ connection_id }) => connection_id).toSorted()).toEqual([shared, told]);
  expect(alerts[0]?.description).toMatch(/ 2 monitored servers share host "db1": c2, c4\.$/);
  expect(alerts[1]?.description).not.toContain('share host');
});
