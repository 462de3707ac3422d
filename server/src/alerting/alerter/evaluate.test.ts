// Rounds of the alerter over samples that the test stores: what fires, what clears, and what keeps quiet.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { countedDb } from '../../testing/store/counted-db.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting();
});
afterEach(() => house.close());

const disk = (used: number, mount_point = '/data') => ({
  mount_point,
  total_space: 10_000,
  used_space: Math.round(used * 100),
  free_space: Math.round(10_000 - used * 100),
});
/** One that is abandoned retains so much that two alerts say it. */
const slot = (active: boolean, slot_name = 'standby') => ({
  slot_name,
  active,
  retained_bytes: active ? 1024 : 1024 ** 3,
});

async function diskOf(id: number, ago: number, ...rows: ReturnType<typeof disk>[]) {
  await house.feed(id, 'pg_sys_disk_info', { rows, ago });
  return house.round();
}
const statuses = async () =>
  (await house.alerts()).map(({ raised_by, object_name, status }) => [raised_by, object_name, status]);

describe('a rule', () => {
  it('fires once on the first sample beyond its threshold, and clears after two that are not', async () => {
    const id = await house.leased();
    expect(await diskOf(id, 50, disk(80))).toMatchObject({ fired: 0 });
    expect(await diskOf(id, 45, disk(81))).toMatchObject({ fired: 1 });
    expect(await house.alerts()).toMatchObject([
      {
        raised_by: 'rule:disk_usage_percent',
        connection_id: id,
        object_name: '/data',
        severity: 'warning',
        metric_value: 81,
        threshold_value: 80,
        title: 'High disk usage: "/data"',
        description: expect.stringMatching(/^Disk usage is 81 % \(threshold 80 %\)\. A full/),
      },
    ]);
    expect(await diskOf(id, 40, disk(85))).toMatchObject({ fired: 0, cleared: 0 });
    expect(await house.alerts()).toMatchObject([{ metric_value: 85, status: 'active' }]);
    expect(await diskOf(id, 35, disk(70))).toMatchObject({ cleared: 0 });
    // The same sample again is no second one, neither for this process nor for one that takes over.
    await house.round();
    house.forget();
    expect(await house.round()).toMatchObject({ cleared: 0 });
    expect(await diskOf(id, 30, disk(71))).toMatchObject({ cleared: 1 });
    expect(await house.alerts()).toMatchObject([{ status: 'cleared', metric_value: 70 }]);
    expect((await house.events()).map(({ event_type }) => event_type)).toEqual(['fired', 'cleared']);
  });

  it('tells objects apart, and clears what is gone', async () => {
    const id = await house.leased();
    await diskOf(id, 50, disk(90), disk(91, '/wal'), disk(10, '/home'));
    expect(await statuses()).toEqual([
      ['rule:disk_usage_percent', '/wal', 'active'],
      ['rule:disk_usage_percent', '/data', 'active'],
    ]);
    await diskOf(id, 40, disk(90));
    expect((await statuses()).map(([, , status]) => status)).toEqual(['active', 'active']);
    await diskOf(id, 30, disk(90));
    expect((await statuses()).map(([, , status]) => status)).toEqual(['cleared', 'active']);
  });

  it('clears what is of a database that was dropped, and keeps what nobody has looked at since', async () => {
    await house.close();
    house = await alerting({ hasTables: true });
    const id = await house.leased();
    const table = { relid: 1, schemaname: 'public', relname: 'orders', n_live_tup: 100, n_dead_tup: 900_000 };
    const tables = (database_name: string, ago: number, rows = [table]) =>
      house.feed(id, 'pg_stat_all_tables', { rows, ago, database_name });
    await tables('shop', 1500);
    await tables('postgres', 1490, []);
    await house.round({ now: Date.now() - 1400_000 });
    expect((await house.alerts()).map(({ database_name, status }) => [database_name, status])).toEqual([
      ['shop', 'active'],
    ]);
    const databases = (...names: string[]) =>
      house.feed(id, 'pg_database', { rows: names.map((datname, oid) => ({ oid, datname })), ago: 20 });
    await databases('postgres', 'shop');
    await tables('postgres', 15, []);
    expect(await house.round()).toMatchObject({ cleared: 0 });
    await databases('postgres');
    await tables('postgres', 10, []);
    await house.round();
    await databases('postgres');
    await tables('postgres', 5, []);
    await house.round();
    expect((await house.alerts()).map(({ status }) => status)).toEqual(['cleared']);
  });

  it('knows nothing from missing data', async () => {
    const id = await house.leased();
    await diskOf(id, 50, disk(90));
    const unknown = { ...disk(1), used_space: null };
    await house.feed(id, 'pg_sys_disk_info', { rows: [unknown], ago: 40 });
    await house.round();
    await house.feed(id, 'pg_sys_disk_info', { rows: [unknown], ago: 30 });
    expect(await house.round()).toMatchObject({ cleared: 0 });
    expect(await statuses()).toEqual([['rule:disk_usage_percent', '/data', 'active']]);
  });

  it('judges nothing that is older than two and a half intervals', async () => {
    const id = await house.leased();
    expect(await diskOf(id, 3 * 3600, disk(99))).toMatchObject({ fired: 0, readings: 0 });
  });

  it('tells of samples that are missing only while the server answers', async () => {
    const id = await house.leased();
    await house.feed(id, 'pg_sys_disk_info', { rows: [disk(10)], ago: 2 * 3600 });
    await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 600 });
    expect(await house.round()).toMatchObject({ fired: 0 });
    await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 10 });
    house.forget();
    expect(await house.round()).toMatchObject({ fired: 1 });
    expect(await house.alerts()).toMatchObject([
      {
        raised_by: 'rule:metric_staleness',
        object_name: 'pg_sys_disk_info',
        title: 'Missing samples of "pg_sys_disk_info"',
      },
    ]);
  });

  it('does not call late what could not be read: after a restart, while nobody holds the server, when it came back', async () => {
    const ids = [await house.leased(), await house.leased(), await house.leased(), await house.leased()];
    const [restarted = 0, free = 0, back = 0, slow = 0] = ids;
    for (const id of ids) {
      await house.feed(id, 'pg_stat_replication', { rows: [], ago: 190 });
      await house.feed(id, 'pg_stat_activity', { rows: [], ago: 90 });
      await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 60 });
    }
    await house.db.run(sql`
      update matriarch.lease_epochs set taken_at = now() - interval '3 seconds' where connection_id = ${restarted}`);
    await house.db.run(sql`
      update matriarch.connection_leases set owner = '', expires_at = now() where connection_id = ${free}`);
    await house.db.run(sql`
      insert into matriarch.connection_states (connection_id, last_connected_at)
      values (${back}, now() - interval '5 seconds')`);
    await house.db.run(sql`
      insert into matriarch.connection_states (connection_id, consecutive_failures) values (${slow}, 1)`);
    const now = Date.now();
    expect(await house.round({ now })).toMatchObject({ fired: 0 });
    // What has not come by then is late, and is not taken for well because of another restart.
    const connected = (ago: number) => ({ rows: [{ response_time_ms: 1 }], ago });
    for (const id of ids) await house.feed(id, 'pg_connectivity', connected(-180));
    const late = async () =>
      (await house.alerts())
        .filter(({ object_name }) => object_name === 'pg_stat_replication')
        .toSorted((a, b) => a.connection_id - b.connection_id);
    await house.round({ now: now + 180_000 });
    expect((await late()).map(({ connection_id, status }) => [connection_id, status])).toEqual([
      [restarted, 'active'],
      [back, 'active'],
    ]);
    await house.db.run(sql`
      update matriarch.lease_epochs set taken_at = now() + interval '180 seconds' where connection_id = ${restarted}`);
    await house.round({ now: now + 241_000 });
    await house.round({ now: now + 302_000 });
    expect((await late()).map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('does not call a server unread because we could not look for a while', async () => {
    const id = await house.leased();
    await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 7200 });
    house.forget();
    const now = Date.now();
    await house.round({ now });
    // Longer than what it takes to be settled: the datastore was away, and collectors have not come back yet either.
    expect(await house.round({ now: now + 600_000 })).toMatchObject({ fired: 0 });
  });

  it('tells once of a server that nobody reads, when it has had time to be read', async () => {
    const id = await house.leased();
    for (const probe of ['pg_sys_disk_info', 'pg_connectivity'])
      await house.feed(id, probe, { rows: [{ ...disk(10), response_time_ms: 1 }], ago: 7200 });
    house.forget();
    const now = Date.now();
    const minutes = async (from: number, to: number) => {
      for (let half = 2 * from; half <= 2 * to; half += 1)
        expect(await house.round({ now: now + half * 30_000 })).toMatchObject({ fired: 0 });
    };
    await minutes(0, 4);
    await house.db.run(sql`
      insert into matriarch.connection_states (connection_id, consecutive_failures) values (${id}, 1)`);
    await minutes(4.5, 6);
    await house.db.run(sql`update matriarch.connection_states set consecutive_failures = 0`);
    expect(await house.round({ now: now + 7 * 60_000 })).toMatchObject({ fired: 1 });
    expect(await house.alerts()).toMatchObject([
      { raised_by: 'rule:metric_staleness', object_name: 'pg_connectivity', connection_id: id },
    ]);
  });

  it('marks what follows from a worse alert on the same object', async () => {
    const id = await house.leased();
    await diskOf(id, 50, disk(97), disk(90, '/wal'));
    const alerts = await house.alerts();
    const critical = alerts.find(({ raised_by }) => raised_by === 'rule:disk_usage_critical');
    expect(critical).toMatchObject({ object_name: '/data', severity: 'critical', cause_id: null });
    const warnings = alerts.filter(({ raised_by }) => raised_by === 'rule:disk_usage_percent');
    expect(warnings.map(({ object_name, cause_id }) => [object_name, cause_id])).toEqual([
      ['/data', critical?.id],
      ['/wal', null],
    ]);
  });

  it('does not flood a server: a hundred at once, the worst first', async () => {
    const id = await house.leased();
    const many = Array.from({ length: 150 }, (_none, n) => disk(81 + n / 100, `/d${n}`));
    expect(await diskOf(id, 50, ...many)).toMatchObject({ fired: 100 });
    const found = (await house.alerts()).map(({ metric_value }) => metric_value ?? 0);
    expect(Math.min(...found)).toBeCloseTo(81.5);
    expect(await diskOf(id, 40, ...many)).toMatchObject({ fired: 0 });
    // What waits is asked again without anything new once others have cleared.
    const better = many.map((one, n) => (n < 140 ? one : disk(10, one.mount_point)));
    await diskOf(id, 35, ...better);
    expect(await diskOf(id, 30, ...better)).toMatchObject({ cleared: 10, fired: 0 });
    expect(await house.round({ now: Date.now() + 61_000 })).toMatchObject({ fired: 10 });
  });
});

describe('what was set', () => {
  it('is read at evaluation: another threshold, a switched-off rule, a connection that nobody watches', async () => {
    const [one, two, three] = [await house.leased(), await house.leased(), await house.leased()];
    for (const id of [one, two, three])
      await house.feed(id, 'pg_sys_disk_info', { rows: [disk(85)], ago: 50 });
    expect(await house.round()).toMatchObject({ fired: 3 });
    const override = (id: number, threshold: number, enabled: boolean) =>
      house.db.run(sql`/* test.override */
        insert into matriarch.alert_overrides (scope, scope_id, rule_id, operator, threshold, severity, is_enabled)
        select 'server', ${id}, r.id, '>', ${threshold}, 'critical', ${enabled}
        from matriarch.alert_rules r where r.name = 'disk_usage_percent'`);
    await override(one, 84, true);
    await override(two, 1, false);
    await house.db.run(sql`/* test.unwatch */
      update matriarch.connections set is_monitored = false where id = ${three}`);
    expect(await house.round()).toMatchObject({ cleared: 2 });
    expect(await house.alerts()).toMatchObject([
      { connection_id: one, status: 'active', severity: 'critical', threshold_value: 84 },
      { connection_id: two, status: 'cleared' },
      { connection_id: three, status: 'cleared' },
    ]);
    expect((await house.events()).map(({ event_type }) => event_type)).toContain('severity_changed');
  });

  it('makes an acknowledged alert active again when it becomes more severe', async () => {
    const id = await house.leased();
    await diskOf(id, 50, disk(85));
    await house.db.run(sql`/* test.acknowledge */
      update matriarch.alerts set status = 'acknowledged', acknowledged_at = now(), acknowledged_by = 'ann'`);
    await diskOf(id, 45, disk(86));
    expect(await statuses()).toEqual([['rule:disk_usage_percent', '/data', 'acknowledged']]);
    await house.db.run(sql`/* test.rule */
      update matriarch.alert_rules set severity = 'critical' where name = 'disk_usage_percent'`);
    await house.round();
    expect(await house.alerts()).toMatchObject([{ status: 'active', severity: 'critical' }]);
  });
});

describe('quiet', () => {
  it('is kept in a blackout, and what still holds fires when it is over', async () => {
    const id = await house.leased();
    await house.feed(id, 'pg_replication_slots', { rows: [slot(false)], ago: 50 });
    const blackouts = { covers: (of: number) => (of === id ? {} : undefined) };
    expect(await house.round({ blackouts })).toMatchObject({ fired: 0 });
    house.forget();
    expect(await house.round({ blackouts })).toMatchObject({ fired: 0 });
    house.forget();
    expect(await house.round()).toMatchObject({ fired: 2 });
    await house.feed(id, 'pg_replication_slots', { rows: [slot(true)], ago: 40 });
    await house.round({ blackouts });
    await house.feed(id, 'pg_replication_slots', { rows: [slot(true)], ago: 30 });
    expect(await house.round({ blackouts })).toMatchObject({ cleared: 2 });
  });

  it('is kept for five minutes after an alert has cleared', async () => {
    const id = await house.leased();
    await diskOf(id, 50, disk(90));
    await diskOf(id, 45, disk(70));
    await diskOf(id, 40, disk(70));
    expect(await diskOf(id, 35, disk(90))).toMatchObject({ fired: 0 });
    await house.db.run(sql`/* test.later */
      update matriarch.alerts set cleared_at = cleared_at - interval '6 minutes'`);
    house.forget();
    expect(await house.round()).toMatchObject({ fired: 1 });
  });
});

describe('a server that cannot be reached', () => {
  const failures = (id: number, count: number, ago: number) =>
    house.db.run(sql`/* test.failures */
      insert into matriarch.connection_states (
        connection_id, consecutive_failures, connection_error, last_error_at, failing_since
      )
      values (
        ${id}, ${count}, 'Nothing listens there.', now() - make_interval(secs => ${ago}), now() - interval '1 hour'
      )
      on conflict (connection_id) do update
      set
        consecutive_failures = excluded.consecutive_failures,
        connection_error = excluded.connection_error,
        last_error_at = excluded.last_error_at`);

  it('is one critical alert after three failures, while its others are kept and new ones wait', async () => {
    const id = await house.leased();
    await diskOf(id, 100, disk(85));
    await failures(id, 2, 60);
    expect(await house.round()).toMatchObject({ fired: 0 });
    await failures(id, 3, 50);
    expect(await diskOf(id, 50, disk(99))).toMatchObject({ fired: 1 });
    expect(await house.alerts()).toMatchObject([
      { raised_by: 'rule:disk_usage_percent', metric_value: 85 },
      {
        raised_by: 'connection',
        severity: 'critical',
        title: 'Server unreachable',
        description: expect.stringMatching(/^Nothing listens there\. Unreachable since 2/),
      },
    ]);
    await failures(id, 0, 50);
    await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 40 });
    expect(await house.round()).toMatchObject({ cleared: 0 });
    await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago: 10 });
    expect(await house.round()).toMatchObject({ cleared: 1 });
    await diskOf(id, 5, disk(99));
    expect((await house.alerts()).map(({ raised_by }) => raised_by)).toContain('rule:disk_usage_critical');
  });
});

describe('a server that dies again soon after it came back', () => {
  it('is told at once, as the same incident', async () => {
    const id = await house.leased();
    const failures = (count: number) =>
      house.db.run(sql`/* test.failures */
        insert into matriarch.connection_states (connection_id, consecutive_failures, last_error_at)
        values (${id}, ${count}, now())
        on conflict (connection_id) do update
        set consecutive_failures = excluded.consecutive_failures, last_error_at = excluded.last_error_at`);
    await house.channel();
    const answered = async (ago: number) => {
      await house.feed(id, 'pg_connectivity', { rows: [{ response_time_ms: 1 }], ago });
      return house.round();
    };
    await failures(3);
    await house.round();
    const [first] = await house.alerts();
    await house.db.run(sql`/* test.acknowledge */
      update matriarch.alerts set status = 'acknowledged', acknowledged_at = now(), acknowledged_by = 'ann'`);
    await failures(0);
    await answered(-1);
    expect(await answered(-2)).toMatchObject({ cleared: 1 });
    await failures(2);
    expect(await house.round()).toMatchObject({ fired: 0 });
    await failures(3);
    // Its other alerts wait as before.
    await house.feed(id, 'pg_replication_slots', { rows: [slot(false)], ago: 0 });
    const covered = { covers: () => ({}) };
    expect(await house.round({ blackouts: covered })).toMatchObject({ fired: 0 });
    expect(await house.round()).toMatchObject({ fired: 1 });
    expect(await house.notified()).toEqual([first?.id, first?.id]);
    expect(await house.alerts()).toMatchObject([
      {
        id: first?.id,
        status: 'active',
        description: expect.stringMatching(/This alert cleared at 2.* UTC, then the server failed again\.$/),
      },
    ]);
    expect((await house.events()).map(({ event_type }) => event_type)).toEqual(['fired', 'cleared', 'fired']);
    await failures(0);
    await answered(-3);
    expect(await answered(-4)).toMatchObject({ cleared: 1 });
  });
});

describe('a round', () => {
  it('writes nothing without the lease', async () => {
    const id = await house.leased();
    await house.feed(id, 'pg_sys_disk_info', { rows: [disk(99)], ago: 50 });
    await house.db.run(
      sql`/* test.taken */ update matriarch.jobs set epoch = epoch + 1 where name = 'alerter'`,
    );
    expect(await house.round()).toMatchObject({ fired: 0 });
    expect(await house.alerts()).toEqual([]);
    await house.db.run(
      sql`/* test.back */ update matriarch.jobs set epoch = epoch - 1 where name = 'alerter'`,
    );
    expect(await house.round()).toMatchObject({ fired: 2 });
  });

  it('changes nothing when what is sent with it cannot be written', async () => {
    const id = await house.leased();
    await house.feed(id, 'pg_sys_disk_info', { rows: [disk(90)], ago: 50 });
    await house.channel();
    await house.db.run(sql`/* test.away */ alter table matriarch.notifications rename to notifications_away`);
    await expect(house.round()).rejects.toThrow('"matriarch.notifications" does not exist');
    expect(await house.alerts()).toEqual([]);
    await house.db.run(sql`/* test.back */ alter table matriarch.notifications_away rename to notifications`);
    expect(await house.round()).toMatchObject({ fired: 1 });
  });

  it('takes as many statements for ten servers as for one, and few when nothing is new', async () => {
    const ids = [await house.leased()];
    await diskOf(ids[0] ?? 0, 50, disk(10));
    const db = countedDb(house.db);
    await house.feed(ids[0] ?? 0, 'pg_sys_disk_info', { rows: [disk(90)], ago: 40 });
    await house.round({ db });
    const one = db.sent.length;
    while (ids.length < 10) ids.push(await house.leased());
    for (const id of ids.slice(1)) await house.feed(id, 'pg_sys_disk_info', { rows: [disk(91)], ago: 30 });
    db.reset();
    expect(await house.round({ db })).toMatchObject({ fired: 9 });
    // Who is told of the new ones is asked as well, once for all of them.
    expect(db.sent.length).toBe(one + 1);
    db.reset();
    await house.round({ db });
    expect(db.sent.length).toBeLessThanOrEqual(8);
  });
});
