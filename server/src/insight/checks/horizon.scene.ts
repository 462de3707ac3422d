// Scenes of checks of the horizon: who holds it, and rows that are not frozen in time.
import pg from 'pg';
import { expect } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { type CheckScene, run, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { startStandby, untilTrue } from '../../testing/servers/server-sets.ts';

/** So many transactions that got an id. */
const spend = (server: TestCluster, transactions: number) =>
  server.query(
    `do $$ begin for i in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );

/** A session that keeps its snapshot until it is ended. */
async function holding(server: TestCluster): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'report' });
  // It is ended by the remedy.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select 1');
  return client;
}

const end = (client: pg.Client) => client.end().catch(() => undefined);

const atLeast =
  (age: number): CheckScene['expect'] =>
  (found) => {
    expect(found.severity).toBe('info');
    expect(found.figure?.unit).toBe('transactions');
    expect(found.figure?.value).toBeGreaterThanOrEqual(age);
    expect(found.figure?.value).toBeLessThan(age + 5000);
  };

export const scenes: readonly CheckScene[] = [
  {
    check: 'horizon_held',
    title: 'by a session',
    later: 2 * HOUR_MS,
    async make({ primary }) {
      const client = await holding(primary);
      await spend(primary, 12_000);
      return () => end(client);
    },
    isIt: ({ object_name }) => object_name === 'session postgres report',
    expect: (found, room) => {
      expect(found.message).toMatch(/has held back vacuum for (1 h 59 min|2 h( \d+ min)?)\. Rows/);
      return atLeast(12_000)(found, room);
    },
  },
  {
    check: 'horizon_held',
    title: 'by a prepared transaction',
    later: 2 * HOUR_MS,
    async make({ primary }) {
      await run(primary, 'create table booked (a int)');
      await primary.query(`begin; insert into booked values (1); prepare transaction 'it''s left'`);
      await spend(primary, 12_000);
      return () => run(primary, 'drop table booked');
    },
    isIt: ({ object_name }) => object_name === "prepared transaction it's left",
    expect: atLeast(12_000),
  },
  {
    check: 'horizon_held',
    title: 'by a slot',
    later: 2 * HOUR_MS,
    async make({ primary }) {
      await run(primary, `select pg_create_logical_replication_slot('forgotten', 'pgoutput')`);
      await spend(primary, 110_000);
      return undefined;
    },
    isIt: ({ object_name }) => object_name === 'replication slot forgotten',
    expect: atLeast(110_000),
  },
  {
    check: 'horizon_held',
    isDear: true,
    title: 'by a standby',
    later: 2 * HOUR_MS,
    async make(room) {
      const settings = { max_prepared_transactions: 5 };
      const standby = await startStandby(room.primary, { settings });
      await run(standby, 'alter system set hot_standby_feedback = on', 'select pg_reload_conf()');
      room.standby = standby;
      const client = await holding(standby);
      const seen = 'exists (select from pg_stat_replication where backend_xmin is not null)';
      await untilTrue(room.primary, seen);
      await spend(room.primary, 12_000);
      return async () => {
        await end(client);
        delete room.standby;
        await standby.stop();
      };
    },
    isIt: ({ object_name }) => object_name.startsWith('standby '),
    expect: (found, room) => {
      expect(found.remedy).toContain('On the standby');
      return atLeast(12_000)(found, room);
    },
    async remedy(found, { standby }) {
      if (!standby) throw new Error('there is no standby');
      await run(standby, ...statementsOf(found.remedy));
    },
  },
  {
    check: 'freezing_behind',
    isDear: true,
    async make() {
      return undefined;
    },
    isIt: ({ database_name }) => database_name === 'postgres',
    feed({ readings }) {
      // It takes hundreds of millions of transactions.
      const [reading] = readings.get('pg_wraparound') ?? [];
      if (!reading) throw new Error('pg_wraparound was not read');
      const rows = reading.rows.map((row) =>
        row.datname === 'postgres' ? { ...row, xid_age: 420_000_000 } : row,
      );
      readings.set('pg_wraparound', [{ ...reading, rows }]);
    },
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 420_000_000 } });
      expect(found.rows?.length).toBe(10);
    },
  },
];
