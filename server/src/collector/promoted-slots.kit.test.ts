// A logical slot that a standby kept in step with its primary (17+), before and after the standby is promoted: the server leaves its mark on it
// for ever, and from then on it keeps WAL like any other slot that no consumer uses.
import { expect, it } from 'vitest';
import { startCluster } from '../testing/servers/postgres.ts';
import { rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';

it.each(majorsOfKits().filter((major) => major >= 17))(
  'a slot of a promoted standby of %i is judged as its own',
  async (major) => {
    const settings = { wal_level: 'logical', allow_system_table_mods: true };
    await using primary = await startCluster({ major, settings });
    await primary.query(`select pg_create_physical_replication_slot('standby', true)`);
    await primary.query(`select pg_create_logical_replication_slot('shop', 'pgoutput', false, false, true)`);
    const { socketDir, port, superuser } = primary;
    await using standby = await startCluster({
      major,
      standbyOf: primary,
      settings: {
        ...settings,
        ...{ hot_standby_feedback: true, primary_slot_name: 'standby', sync_replication_slots: true },
      },
    });
    await standby.query(
      `alter system set primary_conninfo = 'host=${socketDir} port=${port} user=${superuser} dbname=postgres'`,
    );
    await standby.query('select pg_reload_conf()');
    const kept = 'select from pg_replication_slots where synced and not temporary';
    // It is kept in step once it has come to where the standby is.
    const advance = async () => {
      await primary.query('select pg_log_standby_snapshot()');
      await primary.query(`select pg_replication_slot_advance('shop', pg_current_wal_lsn())`);
      return standby.query(kept);
    };
    await expect.poll(advance, { timeout: 60_000, interval: 100 }).toHaveLength(1);
    const session = await sessionOn(standby);
    const slot = () => rowsOf(session, 'pg_replication_slots');
    expect(await slot()).toMatchObject([{ synced: true, is_abandoned: false }]);

    await standby.query('select pg_promote()');
    await standby.query('create table sold as select generate_series(1, 1000) as id');
    // Long enough ago that no consumer is on its way.
    const [view] = await standby.query(`select pg_get_viewdef('pg_catalog.pg_replication_slots') as text`);
    const earlier = String(view?.text).replace(
      'l.inactive_since,',
      "l.inactive_since - '2 min'::interval as inactive_since,",
    );
    await standby.query(`create or replace view pg_catalog.pg_replication_slots as ${earlier}`);
    expect(await standby.query(kept)).toHaveLength(1);
    expect(await slot()).toMatchObject([
      { synced: false, is_abandoned: true, retained_bytes: expect.toSatisfy((bytes) => bytes > 0) },
    ]);
    await session.client.close();
  },
);
