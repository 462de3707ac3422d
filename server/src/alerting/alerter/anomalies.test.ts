// Unusual values over histories that a test feeds: usual at one hour and not at another, known only after a day, muted, held back
// by a blackout, and cleared by themselves.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anomalyMetrics } from '../../history/baselines/baselines.service.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { probe as cpu } from '../../probes/pg-sys-cpu-usage-info.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { keptRun } from '../../testing/store/kept-probes.ts';
import { ALERTER_JOB } from './alerter.ts';
import { hourOfWeek } from './anomaly-score.ts';
import { BaselineKeeper, baselinesOf } from './baseline-keeper.ts';

const METRIC = 'pg_sys_cpu_usage_info.processor_time_percent';

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

/** A value every ten minutes until an hour ago. */
async function history(connection_id: number, days: number, of: (at: number) => number): Promise<void> {
  const writer = house.writer({ probes: [cpu] });
  const end = Date.now() - 10 * MINUTE_MS;
  for (let at = end - days * DAY_MS; at < end; at += 10 * MINUTE_MS)
    writer.add(keptRun(cpu, { connection_id, at, rows: [{ processor_time_percent: of(at) }] }));
  await writer.stop();
}

async function learn(connection_id: number): Promise<void> {
  const { epoch } = await house.db.one<{ epoch: number }>(
    sql`/* test.epoch */ select epoch from matriarch.jobs where name = ${ALERTER_JOB}`,
  );
  const keeper = new BaselineKeeper();
  const keeping = { db: house.db, log: silentLog, lease: { name: ALERTER_JOB, epoch }, now: Date.now() };
  for (let n = 0; n < connection_id; n += 1) await keeper.keep(keeping);
}

/** As they are fed one after the other, each judged by a round; they begin so many minutes from now. */
async function judged(ids: readonly number[], values: readonly number[], begin = 0): Promise<void> {
  for (const [n, value] of values.entries()) {
    for (const id of ids)
      await house.feed(id, cpu.name, { rows: [{ processor_time_percent: value }], ago: -60 * (begin + n) });
    await house.round({ now: Date.now() + (begin + n) * MINUTE_MS + 1000 });
  }
}

const anomaliesOf = async (id: number) =>
  house.db.rows<{
    status: string;
    severity: string;
    details: string | null;
    title: string;
    description: string;
  }>(sql`
    /* test.anomalies */
    select a.status, a.severity, a.anomaly_details as details, a.title, a.description
    from matriarch.alerts a
    where a.connection_id = ${id} and a.raised_by = ${`anomaly:${METRIC}`}
    order by a.id`);

const calm = (at: number) => 20 + (Math.floor(at / HOUR_MS) % 3);
/** Whether it is the hour of the day of now, or one beside it. */
const isNow = (at: number) => {
  const away = Math.abs((hourOfWeek(at) % 24) - (hourOfWeek(Date.now()) % 24));
  return Math.min(away, 24 - away) <= 1;
};

it('watches metrics that there are', () => {
  expect(anomalyMetrics.map(({ metric }) => metric.wireName)).toContain(METRIC);
});

it('raises an alert of what is not usual at that hour, none of what is, and clears by itself', async () => {
  const [usual, unusual] = [await house.leased(), await house.leased()];
  await history(usual, 6, (at) => (isNow(at) ? 70 : calm(at)));
  await history(unusual, 6, (at) => (isNow(at + 12 * HOUR_MS) ? 70 : calm(at)));
  await learn(unusual);
  await judged([usual, unusual], [70, 70]);
  expect(await anomaliesOf(unusual)).toEqual([]);
  await judged([usual, unusual], [70], 2);
  expect(await anomaliesOf(usual)).toEqual([]);
  const [one] = await anomaliesOf(unusual);
  expect(one).toMatchObject({ status: 'active', severity: 'critical' });
  expect(one?.title).toBe('Unusual CPU usage');
  expect(one?.description).toMatch(/^CPU usage is 70 % \(usual at this hour: 2[012](?:\.\d)? % ± 1/);
  expect(JSON.parse(one?.details ?? '{}')).toMatchObject({
    method: 'median and median absolute deviation',
    score: 10,
    samples: '3 of 5',
  });
  // Three of the last five are high as long as two low ones came.
  await judged([unusual], [21, 21, 21], 3);
  expect((await anomaliesOf(unusual)).map(({ status }) => status)).toEqual(['active']);
  await judged([unusual], [21], 6);
  expect((await anomaliesOf(unusual)).map(({ status }) => status)).toEqual(['cleared']);
});

it('learns for a day before it raises any, and tells since when it does', async () => {
  const id = await house.leased();
  await history(id, 0.5, calm);
  await learn(id);
  const [baseline] = await baselinesOf(house.db, { connection_id: id, now: Date.now() });
  expect(baseline?.metric).toBe(METRIC);
  expect(Date.now() - Date.parse(baseline?.known_since ?? '')).toBeLessThan(DAY_MS);
  expect(baseline?.medians.every((one) => one === null)).toBe(true);
  await judged([id], [95, 95, 95, 95]);
  expect(await anomaliesOf(id)).toEqual([]);
});

it('judges a sample with the next round where what is usual could not be read', async () => {
  const id = await house.leased();
  await history(id, 3, calm);
  await learn(id);
  await judged([id], [90, 90]);
  await house.db.run(sql`/* test.away */ alter table matriarch.metric_baselines rename to away`);
  await judged([id], [90], 2);
  await house.db.run(sql`/* test.back */ alter table matriarch.away rename to metric_baselines`);
  expect(await anomaliesOf(id)).toEqual([]);
  await house.round({ now: Date.now() + 2 * MINUTE_MS + 2000 });
  expect((await anomaliesOf(id)).map(({ status }) => status)).toEqual(['active']);
});

it('waits while the server cannot be reached', async () => {
  const id = await house.leased();
  await history(id, 3, calm);
  await learn(id);
  const state = (failures: number) =>
    house.db.run(sql`/* test.state */
      insert into matriarch.connection_states (connection_id, consecutive_failures, failing_since, last_error_at, connection_error)
      values (${id}, ${failures}, now(), now(), 'It is away.')
      on conflict (connection_id) do update set consecutive_failures = excluded.consecutive_failures`);
  await state(3);
  await judged([id], [90, 90, 90, 90]);
  expect(await anomaliesOf(id)).toEqual([]);
  expect(
    (await house.alerts()).filter((one) => one.connection_id === id).map(({ raised_by }) => raised_by),
  ).toEqual(['connection']);
});

it('raises none of what is muted after a false positive, nor within a blackout', async () => {
  const [muted, quiet] = [await house.leased(), await house.leased()];
  for (const id of [muted, quiet]) await history(id, 3, calm);
  await learn(quiet);
  await judged([muted], [90, 90, 90]);
  expect(await anomaliesOf(muted)).toHaveLength(1);
  await house.db.run(sql`/* test.mute */
    insert into matriarch.alert_mutes (connection_id, raised_by, alert_id, until_time)
    select a.connection_id, a.raised_by, a.id, now() + interval '1 day' from matriarch.alerts a where a.connection_id = ${muted}`);
  await judged([muted], [20, 20, 20, 20], 3);
  expect((await anomaliesOf(muted)).map(({ status }) => status)).toEqual(['cleared']);
  // Beyond the silence after it has cleared.
  await house.db.run(sql`/* test.long_ago */
    update matriarch.alerts set cleared_at = cleared_at - interval '1 hour' where connection_id = ${muted}`);
  await judged([muted], [90, 90, 90, 90], 7);
  expect(await anomaliesOf(muted)).toHaveLength(1);
  const blackouts = { covers: (id: number) => (id === quiet ? {} : undefined) };
  for (const n of [0, 1, 2, 3]) {
    await house.feed(quiet, cpu.name, { rows: [{ processor_time_percent: 90 }], ago: -60 * n });
    await house.round({ blackouts, now: Date.now() + n * MINUTE_MS + 1000 });
  }
  expect(await anomaliesOf(quiet)).toEqual([]);
});

it('ends with the database that it is of, once that is dropped', async () => {
  const id = await house.leased();
  const metric = anomalyMetrics.find(({ probe }) => probe.name === 'pg_stat_database')?.metric.wireName;
  const raised_by = `anomaly:${metric}`;
  await house.db.run(sql`/* test.open */
    insert into matriarch.alerts (
      alert_type, raised_by, connection_id, database_name, severity, title, description, triggered_at, last_updated
    )
    select 'anomaly', ${raised_by}, ${id}, name, 'warning', 'Unusual', 'x', now(), now()
    from unnest(array['shop', 'dropped']) as databases (name)`);
  await house.feed(id, 'pg_database', { rows: [{ oid: 1, datname: 'shop' }], ago: 20 });
  await house.feed(id, 'pg_stat_database', { rows: [{ datname: 'shop', numbackends: 1 }], ago: 10 });
  await house.round();
  const alerts = (await house.alerts()).filter((one) => one.connection_id === id);
  expect(alerts.map(({ database_name, status }) => [database_name, status])).toEqual([
    ['shop', 'active'],
    ['dropped', 'cleared'],
  ]);
});
