// What follows from something worse: a standby whose primary cannot be reached says nothing of its own, until its trouble has
// outlived the cause.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ctx } from '../areas/access/principal.ts';
import type { Written } from '../areas/alerts/changes.service.ts';
import { sql } from '../kernel/sql.ts';
import { type Alerting, alerting } from '../testing/store/alerting.ts';

let house: Alerting;
let told: number[];
beforeEach(async () => {
  house = await alerting();
  told = [];
});
afterEach(() => house.close());

/** As the parts of the alerter tell it, within the same transaction: of alerts that follow from nothing. */
async function tell({ db }: Ctx, { fired, worse, released }: Written): Promise<void> {
  const ids = [...fired, ...worse, ...released].map(({ id }) => id);
  const rows = await db.rows<{ id: number }>(sql`/* test.told */
    select id from matriarch.alerts where id = any (${ids}::bigint[]) and cause_id is null order by id`);
  for (const { id } of rows) told.push(id);
}

const failures = (id: number, count: number, ago: number) =>
  house.db.run(sql`/* test.failures */
    insert into matriarch.connection_states (connection_id, consecutive_failures, connection_error, last_error_at)
    values (${id}, ${count}, 'Nothing listens there.', now() - make_interval(secs => ${ago}))
    on conflict (connection_id) do update
    set consecutive_failures = excluded.consecutive_failures, last_error_at = excluded.last_error_at`);

async function replicates(standby: number, primary: number): Promise<void> {
  await house.db.run(sql`/* test.topology */
    insert into matriarch.topology_nodes (connection_id, cluster_key, parent_connection_id, detected_at)
    values (${standby}, 'c', ${primary}, now())`);
}

const disconnected = (id: number, ago: number, pid = 0) =>
  house.feed(id, 'pg_stat_replication', { rows: [{ role: 'standby', pid, lag_bytes: 0 }], ago });

const round = (ago: number) => house.round({ now: Date.now() - ago * 1000, onWritten: tell });

const named = async (raised_by: string) =>
  (await house.alerts()).find((one) => one.raised_by === raised_by) ??
  expect.fail(`no alert by ${raised_by}`);
const STANDBY = 'rule:replication_standby_disconnected';

it('a standby waits while its primary is about to be unreachable, and follows from that then', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(primary, 1, 100);
  await disconnected(standby, 95);
  expect(await round(90)).toMatchObject({ fired: 0 });
  await failures(primary, 3, 60);
  // What waited is asked again once a minute.
  expect(await round(25)).toMatchObject({ fired: 2 });
  const cause = await named('connection');
  expect(cause).toMatchObject({ connection_id: primary, cause_id: null });
  expect(await named(STANDBY)).toMatchObject({ connection_id: standby, cause_id: cause.id });
  expect(told).toEqual([cause.id]);
});

it('a standby whose primary answers speaks for itself, also where others are silent', async () => {
  const [primary, standby, other] = [await house.leased(), await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(other, 3, 60);
  await disconnected(standby, 50);
  expect(await round(40)).toMatchObject({ fired: 2 });
  expect((await named(STANDBY)).cause_id).toBeNull();
  expect(told).toHaveLength(2);
});

it('fires when the primary answers again before it was called unreachable', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(primary, 2, 100);
  await disconnected(standby, 95);
  expect(await round(90)).toMatchObject({ fired: 0 });
  await failures(primary, 0, 100);
  expect(await round(25)).toMatchObject({ fired: 1 });
  expect(told).toHaveLength(1);
});

it('what outlives its cause by five minutes is told after all, once', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(primary, 3, 60);
  await disconnected(standby, 55);
  expect(await round(50)).toMatchObject({ fired: 2 });
  const follower = await named(STANDBY);
  await failures(primary, 0, 60);
  for (const ago of [40, 20]) {
    await house.feed(primary, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago });
    await disconnected(standby, ago);
    await round(ago - 1);
  }
  expect(await named('connection')).toMatchObject({ status: 'cleared' });
  expect(told).not.toContain(follower.id);
  const aged = sql`/* test.aged */
    update matriarch.alerts set cleared_at = now() - interval '301 seconds' where status = 'cleared'`;
  await house.db.run(aged);
  await disconnected(standby, 10);
  await round(5);
  await disconnected(standby, 2);
  await round(0);
  expect(told.filter((id) => id === follower.id)).toEqual([follower.id]);
  expect(await named(STANDBY)).toMatchObject({ status: 'active', cause_id: null });
});

it('what has got better by the time its cause is gone is never told', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(primary, 3, 60);
  await disconnected(standby, 55);
  await round(50);
  await failures(primary, 0, 60);
  for (const ago of [40, 20]) {
    await house.feed(primary, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago });
    await disconnected(standby, ago, 77);
    await round(ago - 1);
  }
  expect(await named(STANDBY)).toMatchObject({ status: 'cleared' });
  expect(told).toEqual([(await named('connection')).id]);
});
