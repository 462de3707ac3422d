// The alerter in the background: one of several judges, another goes on when it ends or freezes, and nothing fires twice. F8. One that
// is killed is in alerter.proof.test.ts.
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import type { Alerting } from '../../testing/store/alerting.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { judge, judging, unjudged } from '../../testing/store/judges.ts';
import { ALERTER_JOB } from './alerter.ts';

let house: Alerting;
beforeEach(async () => {
  house = await unjudged();
});
afterEach(() => house.close());

const disk = (used: number) => [
  { mount_point: '/data', total_space: 100, used_space: used, free_space: 100 - used },
];
const fed = (id: number, used: number, ago: number) =>
  house.feed(id, 'pg_sys_disk_info', { rows: disk(used), ago });
const job = () => judging(house);
const events = async () => (await house.events()).map(({ event_type }) => event_type);

it('of two one judges, and the other goes on where it was when that ends', async () => {
  const id = await house.leased();
  const [stopOne, stopTwo] = [judge(house, 'one'), judge(house, 'two')];
  await fed(id, 90, 50);
  await expect.poll(events).toEqual(['fired']);
  // The report follows what was judged, in a statement of its own.
  await expect.poll(job).toMatchObject({ report: { judged_until: expect.any(Number) } });
  const first = await job();
  await (first.owner === 'one' ? stopOne() : stopTwo());
  await expect.poll(async () => (await job()).owner).toBe(first.owner === 'one' ? 'two' : 'one');
  await fed(id, 70, 40);
  const well = () => house.db.one(sql`/* test.well */ select well_samples from matriarch.alerts`);
  await expect.poll(well).toEqual({ well_samples: 1 });
  await fed(id, 70, 30);
  await expect.poll(events).toEqual(['fired', 'cleared']);
  expect(await house.alerts()).toHaveLength(1);
});

it('is replaced when it freezes, and writes nothing when it wakes', async () => {
  const id = await house.leased();
  judge(house, 'one');
  await expect.poll(async () => (await job()).owner).toBe('one');
  // As if it had not come round for longer than its lease, nor its session been heard of for as long.
  const other = new pg.Client({ connectionString: house.url.reveal() });
  // The database is dropped while it is open.
  other.on('error', () => undefined);
  await other.connect();
  const turn = other.query('select pg_advisory_lock(7264913, 1)');
  const { epoch } = await job();
  await house.db.run(sql`/* test.taken */
    update matriarch.jobs set owner = 'other', epoch = epoch + 1, expires_at = now() + interval '1 hour'
    where name = ${ALERTER_JOB}`);
  await fed(id, 90, 50);
  await turn;
  await house.db.run(sql`/* test.wait */ select pg_sleep(0.5)`);
  expect(await events()).toEqual([]);
  expect(await job()).toMatchObject({ owner: 'other', epoch: epoch + 1 });
});

it('judges nothing while nothing is new, and at the next look what is: a sample, a rule that is set anew, a server that fails', async () => {
  const id = await house.leased();
  await fed(id, 50, 50);
  const counted = countedDb(house.db);
  judge({ ...house, db: counted }, 'one');
  const asked = (name: string) => counted.sent.filter((text) => text.includes(`/* ${name} */`)).length;
  await expect.poll(() => asked('alerts.watched')).toBeGreaterThan(0);
  // The hints of the beginning may wake it a few times.
  await expect.poll(() => asked('alerter.look')).toBeGreaterThan(6);
  counted.reset();
  await expect.poll(() => asked('alerter.look')).toBeGreaterThan(10);
  expect(asked('alerts.watched')).toBe(0);
  await fed(id, 90, 40);
  await expect.poll(events).toEqual(['fired']);
  await house.db.run(sql`/* test.rule */
    update matriarch.alert_rules set threshold = 95, updated_at = clock_timestamp() where name = 'disk_usage_percent'`);
  await expect.poll(events).toEqual(['fired', 'cleared']);
  await house.db.run(sql`/* test.away */
    insert into matriarch.connection_states (connection_id, consecutive_failures, connection_error, last_error_at, failing_since)
    values (${id}, 5, 'Nothing listens there.', now(), now())
    on conflict (connection_id) do update
    set consecutive_failures = 5, connection_error = excluded.connection_error, last_error_at = now(), failing_since = now()`);
  await expect.poll(events).toEqual(['fired', 'cleared', 'fired']);
});
