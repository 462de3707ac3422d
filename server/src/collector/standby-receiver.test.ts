// What a standby and its primary say of a stream that is none: a receiver that has not reached its server yet (19), one that was left
// behind on a timeline, a client that only receives, and a subscriber. A real standby of 18 shows that state of 19.
import { expect, it, onTestFinished } from 'vitest';
import { Facts } from '../insight/checks/facts.ts';
import { check } from '../insight/checks/standby-without-receiver.ts';
import { type ClusterOptions, startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { receiveWal } from '../testing/servers/wal-client.ts';

async function server(options: ClusterOptions) {
  const started = await startCluster({ major: 18, ...options });
  onTestFinished(() => started.stop());
  return started;
}

it('a standby receives nothing while its receiver connects or waits, and a primary counts as standbys what replays', async () => {
  const primary = await server({ settings: { allow_system_table_mods: true, wal_level: 'logical' } });
  const standby = await server({ standbyOf: primary });
  const other = await server({ standbyOf: primary });
  const [session, sender] = await Promise.all([sessionOn(standby), sessionOn(primary)]);
  onTestFinished(async () => {
    await session.client.close();
    await sender.client.close();
  });
  const read = async () =>
    (await rowsOf(session, 'pg_stat_replication')).find(({ role }) => role === 'standby');
  const streams = { receiver_status: 'streaming', is_disconnected: false, lag_bytes: 0, replay_lag: 0 };
  await expect.poll(read).toMatchObject(streams);
  expect(await rowsOf(session, 'pg_node_role')).toMatchObject([{ is_streaming_standby: true }]);

  const view = 'create or replace view pg_catalog.pg_stat_wal_receiver as ';
  const [real] = await primary.query(`select pg_get_viewdef('pg_catalog.pg_stat_wal_receiver') as text`);
  const definition = String(real?.text);
  await primary.query(`${view}${definition.replace(/\bstatus,/, "'connecting'::text as status,")}`);
  await expect.poll(read).toMatchObject({
    ...{ pid: 0, receiver_pid: expect.any(Number), receiver_status: 'connecting', is_disconnected: true },
    ...{ lag_bytes: null, replay_lag: null },
  });
  expect(await rowsOf(session, 'pg_node_role')).toMatchObject([{ is_streaming_standby: false }]);
  await primary.query(`${view}${definition}`);
  await expect.poll(read).toMatchObject(streams);

  // Whether an index is being built is known on the primary alone.
  await primary.query('create table twice as select 1 as a union all select 1');
  await primary.query('create unique index concurrently broken on twice (a)').catch(() => undefined);
  const invalid = async (at: typeof session) =>
    (await rowsOf(at, 'pg_index_health')).filter(({ finding }) => finding === 'invalid');
  expect(await invalid(sender)).toMatchObject([{ indexrelname: 'broken' }]);
  await expect.poll(() => standby.query(`select from pg_index where not indisvalid`)).toHaveLength(1);
  expect(await invalid(session)).toEqual([]);

  // A subscriber is no peer of the standby, and what receives for a backup is no standby, whatever it calls itself.
  await other.query('select pg_promote()');
  await primary.query('create publication everything for all tables');
  await primary.query('create table sold (a int)');
  const { socketDir, port, superuser } = primary;
  await other.query('create table sold (a int)');
  await other.query(
    `create subscription bought connection 'host=${socketDir} port=${port} user=${superuser} dbname=postgres' publication everything`,
  );
  await primary.query(`select pg_create_physical_replication_slot('backup', true)`);
  const [at] = await primary.query('select pg_current_wal_lsn()::text as lsn');
  const receiving = await receiveWal(primary, { slot: 'backup', lsn: String(at?.lsn) });
  await expect
    .poll(async () =>
      (await rowsOf(sender, 'pg_stat_replication')).map((row) => [
        row.replay_lsn !== null,
        row.behind_peers_bytes,
      ]),
    )
    .toEqual(expect.toSatisfy((rows) => String(rows.toSorted()) === 'false,,true,,true,'));
  // Until it has said for the first time what it received.
  await expect
    .poll(() => rowsOf(sender, 'pg_node_role'))
    .toMatchObject([{ binary_standby_count: 1, active_logical_slot_count: 1 }]);
  receiving[Symbol.dispose]();

  // The other one took a timeline of its own before the standby had replayed this.
  await primary.query('insert into sold select generate_series(1, 1000)');
  await expect.poll(read).toMatchObject(streams);
  await standby.query(
    `alter system set primary_conninfo = 'host=${other.socketDir} port=${other.port} user=${superuser}'`,
  );
  await standby.query('select pg_reload_conf()');
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({
    ...{ pid: 0, receiver_status: 'waiting', is_disconnected: true, lag_bytes: null, replay_lag: null },
  });
  expect(await rowsOf(session, 'pg_node_role')).toMatchObject([{ is_streaming_standby: false }]);
  const now = Date.now();
  const reading = { database_name: '', collected_at: now, rows: [{ ...(await read()) }] };
  const { found } = check.judge(new Facts({ now, readings: new Map([['pg_stat_replication', [reading]]]) }));
  expect(found).toMatchObject([
    { message: 'The upstream server has no more WAL for the timeline of the standby.', severity: 'critical' },
  ]);
});
