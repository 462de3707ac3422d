// What follows from something worse: a standby whose primary cannot be reached says nothing of its own, until its trouble has
// outlived the cause.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting();
  await house.channel();
});
afterEach(() => house.close());

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

/** It has been so for as long as its rule asks. */
async function disconnected(id: number, ago: number, pid = 0): Promise<void> {
  await house.feed(id, 'pg_stat_replication', { rows: [{ role: 'standby', pid, lag_bytes: 0 }], ago });
  if (pid === 0)
    await house.db.run(sql`/* test.pending */
      insert into matriarch.pending_alerts (connection_id, raised_by, database_name, object_name, since, sampled_at)
      select ${id}, ${STANDBY}, '', '', t.at, t.at
      from (select now() - make_interval(secs => ${ago + 40}) as at) t
      on conflict do nothing`);
}

const round = (ago: number) => house.round({ now: Date.now() - ago * 1000 });

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
  expect(await house.notified()).toEqual([cause.id]);
});

it('a standby speaks for itself to those who are not told of its primary', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await house.db.run(sql`/* test.team */
    with team as (
      insert into matriarch.notification_channels (name, channel_type, config, is_estate_default, enabled)
      select 'team', channel_type, config, false, true from matriarch.notification_channels limit 1
      returning id
    )
    insert into matriarch.channel_overrides (scope, scope_id, channel_id, is_enabled)
    select 'server', ${standby}::int, id, true from team`);
  await replicates(standby, primary);
  await failures(primary, 3, 60);
  await disconnected(standby, 50);
  expect(await round(40)).toMatchObject({ fired: 2 });
  expect((await named(STANDBY)).cause_id).toBeNull();
  const ids = await house.notified();
  expect(ids.filter((id) => id === ids.at(-1))).toHaveLength(2);
});

it('a standby whose primary answers speaks for itself, also where others are silent', async () => {
  const [primary, standby, other] = [await house.leased(), await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(other, 3, 60);
  await disconnected(standby, 50);
  expect(await round(40)).toMatchObject({ fired: 2 });
  expect((await named(STANDBY)).cause_id).toBeNull();
  expect(await house.notified()).toHaveLength(2);
});

it('fires when the primary answers again before it was called unreachable', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await replicates(standby, primary);
  await failures(primary, 2, 100);
  await disconnected(standby, 95);
  expect(await round(90)).toMatchObject({ fired: 0 });
  await failures(primary, 0, 100);
  expect(await round(25)).toMatchObject({ fired: 1 });
  expect(await house.notified()).toHaveLength(1);
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
  expect(await house.notified()).not.toContain(follower.id);
  const aged = sql`/* test.aged */
    update matriarch.alerts set cleared_at = now() - interval '301 seconds' where status = 'cleared'`;
  await house.db.run(aged);
  await disconnected(standby, 10);
  await round(5);
  await disconnected(standby, 2);
  await round(0);
  expect((await house.notified()).filter((id) => id === follower.id)).toEqual([follower.id]);
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
  expect(await house.notified()).toEqual([(await named('connection')).id]);
});

const table = { relid: 1, schemaname: 'public', relname: 'orders', n_live_tup: 10_000, n_dead_tup: 9000 };
const idle = (id: number, ago: number) =>
  house.feed(id, 'pg_stat_activity', {
    rows: [
      {
        pid: 1,
        backend_type: 'client backend',
        state: 'idle in transaction',
        state_change: new Date(Date.now() - 900_000),
        xact_start: new Date(Date.now() - 900_000),
      },
    ],
    ago,
  });

it('what follows from an idle transaction is kept and not sent', async () => {
  await house.close();
  house = await alerting({ hasTables: true });
  await house.channel();
  const id = await house.leased();
  await idle(id, 50);
  expect(await round(45)).toMatchObject({ fired: 1 });
  const cause = await named('rule:idle_in_transaction');
  await house.feed(id, 'pg_stat_all_tables', { rows: [table], ago: 40, database_name: 'shop' });
  expect(await round(35)).toMatchObject({ fired: 2 });
  const bloat = await named('rule:table_bloat_ratio');
  expect(bloat).toMatchObject({ object_name: 'public.orders', cause_id: cause.id });
  expect(await named('rule:dead_tuple_ratio')).toMatchObject({
    object_name: 'public.orders',
    cause_id: bloat.id,
  });
  expect(await house.notified()).toEqual([cause.id]);
});

/** Ten wait for a session that is idle in its transaction; both began so many seconds before the sample. */
const convoy = (id: number, { ago, waiting, idling }: { ago: number; waiting: number; idling: number }) => {
  const since = (seconds: number) => new Date(Date.now() - (ago + seconds) * 1000);
  const waiter = { backend_type: 'client backend', state: 'active', wait_event_type: 'Lock' };
  return house.feed(id, 'pg_stat_activity', {
    rows: [
      { pid: 1, backend_type: 'client backend', state: 'idle in transaction', state_change: since(idling) },
      ...Array.from({ length: 10 }, (_none, n) => ({
        ...waiter,
        pid: 2 + n,
        query_start: since(waiting),
        waitstart: since(waiting),
      })),
    ],
    ago,
  });
};

it('one convoy is one message, in whatever order its alerts fire', async () => {
  const [late, early] = [await house.leased(), await house.leased()];
  await convoy(late, { ago: 360, waiting: 5, idling: 6 });
  await convoy(early, { ago: 360, waiting: 5, idling: 600 });
  expect(await round(355)).toMatchObject({ fired: 3 });
  await convoy(late, { ago: 330, waiting: 35, idling: 36 });
  await convoy(early, { ago: 330, waiting: 35, idling: 630 });
  expect(await round(325)).toMatchObject({ fired: 2 });
  await convoy(late, { ago: 20, waiting: 345, idling: 346 });
  await convoy(early, { ago: 20, waiting: 345, idling: 940 });
  expect(await round(15)).toMatchObject({ fired: 1 });
  const alerts = await house.alerts();
  const sent = alerts.filter(({ cause_id }) => cause_id === null);
  expect(sent.map(({ connection_id, raised_by }) => [connection_id, raised_by]).toSorted()).toEqual([
    [late, 'rule:blocked_queries'],
    [early, 'rule:idle_in_transaction'],
  ]);
  expect((await house.notified()).toSorted()).toEqual(sent.map(({ id }) => id).toSorted());
});

it('one table with too many dead tuples is one message, although two rules find it', async () => {
  await house.close();
  house = await alerting({ hasTables: true });
  await house.channel();
  const id = await house.leased();
  await house.feed(id, 'pg_stat_all_tables', { rows: [table], ago: 40, database_name: 'shop' });
  expect(await round(35)).toMatchObject({ fired: 2 });
  expect(await house.notified()).toEqual([(await named('rule:table_bloat_ratio')).id]);
});

it("small tables, and the product's own database, raise nothing of dead rows", async () => {
  await house.close();
  house = await alerting({ hasTables: true });
  const [own, other] = [await house.leased(), await house.leased()];
  await house.db.run(
    sql`/* test.own */ update matriarch.connections set is_embedded = true where id = ${own}`,
  );
  const { name } = await house.db.one<{ name: string }>(
    sql`/* test.name */ select current_database()::text as name`,
  );
  const small = { ...table, relid: 2, relname: 'small', table_size: 16_384 };
  const few = { ...table, relid: 3, relname: 'few', n_live_tup: 1100, n_dead_tup: 990 };
  await house.feed(other, 'pg_stat_all_tables', { rows: [small, few], ago: 60, database_name: name });
  await house.feed(own, 'pg_stat_all_tables', { rows: [table], ago: 60, database_name: name });
  expect(await round(50)).toMatchObject({ fired: 0 });
  await house.feed(own, 'pg_stat_all_tables', { rows: [table], ago: 40, database_name: 'shop' });
  await house.feed(other, 'pg_stat_all_tables', { rows: [table], ago: 40, database_name: name });
  expect(await round(30)).toMatchObject({ fired: 4 });
  // A table that was emptied has no dead rows any more, and is not unknown.
  for (const ago of [20, 10]) {
    const rows = [{ ...table, n_live_tup: 0, n_dead_tup: 0 }];
    await house.feed(other, 'pg_stat_all_tables', { rows, ago, database_name: name });
    await round(ago - 1);
  }
  const left = (await house.alerts()).filter(({ status }) => status !== 'cleared');
  expect(left.map(({ connection_id }) => connection_id)).toEqual([own, own]);
});

it('a lag is not excused by what a standby that is late on purpose said long ago', async () => {
  const [primary, standby] = [await house.leased(), await house.leased()];
  await house.db.run(sql`/* test.mates */
    insert into matriarch.topology_nodes (connection_id, cluster_key, detected_at)
    select id, 'late', now() from unnest(${[primary, standby]}::integer[]) id`);
  const lags = (ago: number) => ({
    rows: [{ role: 'primary', pid: 7, lag_bytes: 9e9, replay_lsn: '0/5000' }],
    ago,
  });
  const isLate = (ago: number) => ({
    rows: [{ role: 'standby', pid: 0, is_on_time: true, replay_lsn: '0/5000' }],
    ago,
  });
  const lag = async () =>
    (await house.alerts()).filter(({ raised_by }) => raised_by === 'rule:replication_lag_bytes').length;
  const began = Date.now();
  await house.feed(standby, 'pg_stat_replication', isLate(100));
  await house.feed(primary, 'pg_stat_replication', lags(95));
  await house.round({ now: began - 90_000 });
  expect(await lag()).toBe(0);
  await house.feed(primary, 'pg_stat_replication', lags(-3600));
  await house.round({ now: began + 3_601_000 });
  expect(await lag()).toBe(1);
});
