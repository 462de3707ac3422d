// Families of objects from the monitored server through the store: between two readings the increases are exactly the
// load that lay between them, also where somebody reset the server's statistics, and an idle object takes no room.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { type Sql, sql } from '../kernel/sql.ts';
import type { Outcome, Row } from '../store/layout/types.ts';
import type { MetricsWriter } from '../store/write/writer.ts';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { type Storing, storing } from '../testing/store/storing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const NAMES = ['pg_stat_all_tables', 'pg_stat_all_indexes', 'pg_stat_statements', 'pg_statio_all_sequences'];
const STATEMENT = 'select note from busy where id = 5';

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

/** Does its work and ends, so that the server knows all of it. */
async function work(database: ProbedDatabase, statements: readonly string[]): Promise<void> {
  const client = await database.client();
  await client.query('set enable_seqscan = off');
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function read(
  database: ProbedDatabase,
  done: (tables: readonly Row[]) => boolean,
): Promise<Map<string, Outcome>> {
  let tables: readonly Row[] = [];
  // PostgreSQL 14 hears of what sessions did with a delay.
  await expect
    .poll(
      async () => {
        tables = await database.rows('pg_stat_all_tables');
        return done(tables);
      },
      { timeout: 90_000, interval: 100 },
    )
    .toBe(true);
  const outcomes = new Map<string, Outcome>();
  for (const name of NAMES) outcomes.set(name, await database.outcome(name));
  return outcomes;
}

function keep(writer: MetricsWriter, outcomes: ReadonlyMap<string, Outcome>, id: number): void {
  for (const [probe, outcome] of outcomes)
    writer.add({
      connection_id: id,
      epoch: 1,
      probe,
      database_name: 'shop',
      attempted_at: systemClock.now(),
      took_ms: 1,
      outcome,
    });
}

const inserted = (count: number) => (tables: readonly Row[]) =>
  tables.find(({ relname }) => relname === 'busy')?.n_tup_ins === count;

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  it('increases are the load between two readings, and nothing else', async () => {
    const database = await probedDatabase(await sharedServer(major), [
      'create extension pg_stat_statements',
      'create table busy (id serial primary key, note text)',
      'create table idle (id integer primary key)',
    ]);
    try {
      const id = await store.leased();
      const writer = store.writer({ probes: NAMES.map(sqlProbe) });
      await work(database, [STATEMENT]);
      const [statement] = await database.query(
        `select queryid::text as queryid from pg_stat_statements where query like 'select note from busy%'`,
      );
      const rows = <T extends object>(statement: Sql) => store.db.rows<T>(statement);
      await work(database, [`insert into busy (note) select 'x' from generate_series(1, 100)`, STATEMENT]);
      keep(writer, await read(database, inserted(100)), id);
      await writer.flush();
      await work(database, [
        `insert into busy (note) select 'y' from generate_series(1, 40)`,
        'delete from busy where id <= 3',
        ...Array.from({ length: 5 }, () => STATEMENT),
      ]);
      keep(writer, await read(database, inserted(140)), id);
      await writer.flush();
      expect(
        await rows(sql`
          select relname, n_tup_ins, n_tup_del, n_tup_upd, seq_scan, idx_scan
          from metrics.pg_stat_all_tables
          where connection_id = ${id} and not keyframe and schemaname = 'public'`),
      ).toEqual([{ relname: 'busy', n_tup_ins: 40, n_tup_del: 3, n_tup_upd: 0, seq_scan: 0, idx_scan: 6 }]);
      expect(
        await rows(sql`
          select indexrelname, idx_scan, is_primary
          from metrics.pg_stat_all_indexes
          where connection_id = ${id} and not keyframe and schemaname = 'public'`),
      ).toEqual([{ indexrelname: 'busy_pkey', idx_scan: 6, is_primary: true }]);
      expect(
        await rows(sql`
          select calls, rows
          from metrics.pg_stat_statements
          where connection_id = ${id} and not keyframe and queryid = ${statement?.queryid}`),
      ).toEqual([{ calls: 5, rows: 5 }]);

      await database.query('select pg_stat_reset()');
      await database.query(
        'select pg_stat_statements_reset(0, oid, 0) from pg_database where datname = current_database()',
      );
      await work(database, [`insert into busy (note) select 'z' from generate_series(1, 150)`, STATEMENT]);
      keep(writer, await read(database, inserted(150)), id);
      await writer.flush();
      await writer.stop();
      const newest = await rows<{ n_tup_ins: number; n_tup_del: number }>(sql`
        select n_tup_ins, n_tup_del
        from metrics.pg_stat_all_tables
        where connection_id = ${id} and not keyframe and relname = 'busy'
        order by collected_at desc
        limit 1`);
      // More were inserted after the reset than before it: only the falling of another counter tells.
      expect(newest).toEqual([{ n_tup_ins: 150, n_tup_del: 0 }]);
      const negative = await rows(sql`
        select 1
        from metrics.pg_stat_all_tables
        where connection_id = ${id} and not keyframe and least(n_tup_ins, seq_scan, idx_scan, heap_blks_hit) < 0
        union all
        select 1
        from metrics.pg_stat_statements
        where connection_id = ${id} and not keyframe and least(calls, total_exec_time, shared_blks_hit) < 0`);
      expect(negative).toEqual([]);
    } finally {
      await database.close();
    }
  });
});
