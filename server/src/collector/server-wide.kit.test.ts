// A probe that finds the same in every database is read once for the server, from whichever database can, and each
// database has its own rows; the database that answered may go, and another one takes over. The oldest version is for the proof.
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { sqlProbe } from '../testing/servers/database-probes.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { directly } from '../testing/servers/probing.ts';
import { isProof } from '../testing/tier.ts';

const NAMES = ['pg_stat_statements', 'pg_stat_statements_info'] as const;
const frequent = NAMES.map((name) => ({ ...sqlProbe(name), intervalSeconds: 5 }));

interface Stored {
  database_name: string;
  query_text: string;
}

const VERSIONS = isProof() ? ([14] as const) : ([18] as const);

describe.each(VERSIONS)('on PostgreSQL %i', (major) => {
  it('statements of all databases come from one of them', async () => {
    const house = await newHouse();
    const server = await startCluster({
      major,
      settings: { 'pg_stat_statements.track': 'all', track_io_timing: true },
    });
    onTestFinished(() => server.stop());
    for (const name of ['payroll', 'shop', 'zoo']) await server.query(`create database ${name}`);
    const inside = async (name: string, text: string) => {
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return directly({ ...server, url: url.toString() }, text);
    };
    await inside('shop', 'create extension pg_stat_statements');
    await inside('zoo', 'create extension pg_stat_statements');
    await inside('payroll', 'select 4711 as only_in_payroll');
    await inside('shop', 'select 4712 as only_in_shop');
    // A superuser's sessions would not be counted.
    await server.query("create role watcher login password 'watcher' in role pg_monitor");
    const id = await house.connect(server, { username: 'watcher', password: 'watcher' });
    house.start({ probes: frequent });
    const outcomes = async () =>
      Object.fromEntries(
        (await house.snapshots(id))
          .filter(({ probe }) => probe === NAMES[0])
          .map(({ database_name, outcome, cause }) => [database_name, cause ?? outcome]),
      );
    const everywhere = { payroll: 'ran', postgres: 'ran', shop: 'ran', zoo: 'ran' };
    await pollMoved(house, outcomes).toEqual(everywhere);
    const texts = () =>
      house.db.rows<Stored>(sql`
        select database_name, query_text
        from metrics.queries
        where connection_id = ${id} and query_text like '%only_in%' and query_text not like '%like%'
        order by database_name`);
    const found = (name: string) => ({
      database_name: name,
      query_text: expect.stringContaining(`only_in_${name}`),
    });
    await pollMoved(house, texts).toEqual([found('payroll'), found('shop')]);

    /** Reads of the server against the times that one database has samples of. */
    const reads = async () => {
      const [row] = await inside(
        'shop',
        `select coalesce(sum(s.calls), 0)::int as calls, count(distinct s.dbid)::int as readings
         from pg_stat_statements s
         where s.query like '%pg_stat_statements(%) s%' and s.query not like '%readings%' and s.query like '%username%'`,
      );
      const { ticks } = await house.db.one<{ ticks: number }>(sql`
        select count(distinct collected_at)::int as ticks
        from metrics.pg_stat_statements_info
        where connection_id = ${id} and database_name = 'payroll'`);
      return { calls: Number(row?.calls), readings: Number(row?.readings), ticks };
    };
    await pollMoved(house, async () => (await reads()).ticks).toBeGreaterThan(2);
    const { calls, readings, ticks } = await reads();
    expect(readings).toBe(1);
    expect(Math.abs(calls - ticks)).toBeLessThanOrEqual(2);

    const retest = () =>
      house.db.run(sql`update matriarch.connections set retest_requested_at = now() where id = ${id}`);
    const sampledAfter = async (database: string) => {
      const { now } = await house.db.one<{ now: string }>(sql`select now() as now`);
      const newest = async () => {
        const one = await house.snapshot(id, NAMES[0], database);
        return one?.outcome === 'ran' && (one.collected_at ?? '') > now;
      };
      await pollMoved(house, newest).toBe(true);
    };
    const [shop] = await inside('zoo', `select oid::text as id from pg_database where datname = 'shop'`);
    await server.query('drop database shop with (force)');
    await retest();
    await pollMoved(house, outcomes).toEqual({ payroll: 'ran', postgres: 'ran', zoo: 'ran' });
    await sampledAfter('payroll');
    // The server keeps the entries of a database that was dropped. They are not read any more, nor named by an OID: what was read
    // before keeps the name of its database.
    const kept = await inside('zoo', `select s.queryid from pg_stat_statements s where s.dbid = ${shop?.id}`);
    expect(kept.length).toBeGreaterThan(0);
    const read = await house.db.rows<{ database_name: string; id: string }>(sql`
      select distinct o.database_name, o.key ->> 'dbid' as id
      from metrics.objects o
      where o.connection_id = ${id} and o.kind = ${NAMES[0]}
      order by o.database_name`);
    expect(read.map(({ database_name }) => database_name)).toEqual(['payroll', 'postgres', 'shop', 'zoo']);
    expect(read.find(({ id: oid }) => oid === shop?.id)).toMatchObject({ database_name: 'shop' });
    expect(await texts()).toEqual([found('payroll'), found('shop')]);

    await inside('zoo', 'drop extension pg_stat_statements');
    const nowhere = 'missing_extension';
    await pollMoved(house, outcomes).toEqual({ payroll: nowhere, postgres: nowhere, zoo: nowhere });
    await server.query('create extension pg_stat_statements');
    await retest();
    await pollMoved(house, outcomes).toEqual({ payroll: 'ran', postgres: 'ran', zoo: 'ran' });
  });
});
