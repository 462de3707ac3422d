// What collecting costs is measured and kept within the budget, in real seconds of a server. How it is reckoned: budget.unit.test.ts.
import { expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { defineProbe } from '../probes/types.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { EVERY_SECOND } from '../testing/every-second.ts';
import { plainCluster } from '../testing/servers/plain-role.ts';

it('the budget slows a dear probe down, says so, and gives its interval back', async () => {
  const house = await newHouse();
  const server = await plainCluster(18);
  await server.query('create table public.knob (seconds double precision)');
  await server.query('insert into public.knob values (0.5)');
  await server.query('grant select on public.knob to plain');
  const sleeper = defineProbe({
    name: 'sleeper',
    description: 'Sleeps.',
    level: 'S',
    intervalSeconds: 1,
    retentionDays: 1,
    keeps: 'snapshot',
    columns: [{ name: 'slept', type: 'text', kind: 'label', description: 'Nothing.' }],
    sql: () => 'select pg_catalog.pg_sleep(k.seconds)::text as slept from public.knob k',
  });
  const id = await house.connect(server, { username: 'plain', password: 'plain' });
  const config = {
    connect_timeout_seconds: 5,
    connects_per_second: 50,
    concurrency: 8,
    budget_percent: 20,
    masked_parameters: [],
  };
  house.start({ probes: [EVERY_SECOND, sleeper], config, writeDownMs: 200, budgetWindowMs: 1000 });
  const cost = () =>
    house.db.maybe(sql`/* test.cost */
      select interval_seconds, note, runs > 0 as ran, total_ms >= max_ms as adds_up, cost_percent
      from matriarch.probe_costs
      where connection_id = ${id} and probe = 'sleeper'`);
  await expect.poll(cost, SOON).toMatchObject({
    interval_seconds: 4,
    note: 'Slowed down to stay within the budget of 20 % of one core.',
    ran: true,
    adds_up: true,
  });
  await server.query('update public.knob set seconds = 0');
  await expect.poll(cost, SOON).toMatchObject({ interval_seconds: 1, note: null });
  const sessions = await house.db.one(sql`/* test.sessions */
    select sessions from matriarch.probe_costs where connection_id = ${id} and probe = 'collector'`);
  expect(sessions).toEqual({ sessions: 1 });
});
