// Databases with more objects than a reading keeps: those that matter are watched, however new they are, and the rest is counted by
// the server and said. The cap is lowered to a few, so that not thousands of tables have to be made; the proof makes them.
import { expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { probes } from '../probes/catalog.gen.ts';
import { MOST_OBJECTS } from '../probes/most-important.ts';
import type { SqlProbe } from '../probes/types.ts';
import { type Ran, type Row, wholeRows } from '../store/layout/types.ts';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { answerOfMostImportant } from './most-important.ts';
import { judge } from './outcomes.ts';
import { runPipeline } from './pipeline.ts';
import { probeStatement } from './probe.queries.ts';
import { learn } from './session.ts';

const FEW = 40;

function withCap(name: string): SqlProbe {
  const probe = sqlProbe(name);
  return {
    ...probe,
    caps: { ...probe.caps, maxRows: FEW },
    mostImportant: (capabilities) =>
      probe.mostImportant?.(capabilities).replaceAll(String(MOST_OBJECTS), String(FEW)) ?? '',
  };
}

async function read({ session }: ProbedDatabase, name: string): Promise<Ran<Row>> {
  const probe = withCap(name);
  await learn(session, probes, systemClock.monotonic());
  const text = probeStatement(probe, session.capabilities);
  const [sent] = await runPipeline(session, [{ text, timeoutMs: probe.caps.timeoutMs }]);
  if (!sent) throw new Error('no answer');
  const answer = await answerOfMostImportant(session, probe, sent);
  const where = { database: session.database, username: 'watcher', server: session.server };
  const { outcome } = await judge(probe, answer, { attempted_at: systemClock.now(), ...where });
  if (outcome?.kind !== 'ran') throw new Error(outcome?.reason ?? 'no outcome');
  return { ...outcome, rows: wholeRows(outcome.rows) };
}

const SETUP = [
  `do $$ begin for n in 1..60 loop
     execute format('create table plain_%s (id integer primary key) with (autovacuum_enabled = false)', n);
     execute format('create sequence numbers_%s', n);
   end loop; end $$`,
  'create table newest_dead (id integer) with (autovacuum_enabled = false)',
  'create table newest_large (id integer) with (autovacuum_enabled = false)',
  'create table newest_read (id integer) with (autovacuum_enabled = false)',
  'create sequence newest_sequence',
];

async function work(database: ProbedDatabase): Promise<void> {
  const client = await database.client();
  await client.query('insert into newest_dead select generate_series(1, 5000)');
  await client.query('delete from newest_dead');
  await client.query('insert into newest_large select generate_series(1, 400000)');
  await client.query('create index newest_index on newest_large (id)');
  await client.query('analyze newest_large');
  await client.query('insert into newest_read values (1)');
  for (let n = 0; n < 50; n += 1) await client.query('select from newest_read');
  await client.query(`select nextval('newest_sequence') from generate_series(1, 1000)`);
  await client.end();
}

it.each(majorsOfKits())('on PostgreSQL %i, watches what matters and counts the rest', async (major) => {
  const database = await probedDatabase(await sharedServer(major), SETUP);
  await work(database);
  const all = async (view: string) =>
    Number((await database.query(`select count(*)::integer as count from ${view}`))[0]?.count);
  const count = (number: number) => number.toLocaleString('en-US');
  const names = ({ rows }: Ran<Row>, column: string) => rows.map((row) => row[column]);

  await expect
    .poll(
      async () =>
        (await read(database, 'pg_stat_all_tables')).rows.find((row) => row.relname === 'newest_dead')
          ?.n_dead_tup,
    )
    .toBe(5000);
  const tables = await read(database, 'pg_stat_all_tables');
  expect(tables).toMatchObject({ is_cut: true });
  expect(tables.rows).toHaveLength(FEW);
  expect(names(tables, 'relname')).toEqual(
    expect.arrayContaining(['newest_dead', 'newest_large', 'newest_read']),
  );
  const total = await all('pg_stat_all_tables');
  expect(tables.note).toMatch(
    `${count(total - FEW)} of ${count(total)} tables are not watched: the first ${FEW} by dead rows, size, writes, reads and age are. They hold `,
  );
  const [dead] = await database.query(`select sum(n_dead_tup)::integer as dead from pg_stat_all_tables`);
  const kept = tables.rows.reduce((sum, row) => sum + Number(row.n_dead_tup), 0);
  const share = (100 * (Number(dead?.dead) - kept)) / Number(dead?.dead);
  expect(share).toBeLessThan(5);
  // The order is by object id, as that of a whole reading: what stays in place costs the least.
  const own = tables.rows.map(({ relid }) => Number(relid)).filter((relid) => relid >= 16_384);
  expect(own).toEqual(own.toSorted((a, b) => a - b));

  const indexes = await read(database, 'pg_stat_all_indexes');
  expect(names(indexes, 'indexrelname')).toContain('newest_index');
  const ofIndexes = await all('pg_stat_all_indexes');
  expect(indexes.note).toContain(`${count(ofIndexes - FEW)} of ${count(ofIndexes)} indexes are not watched`);
  expect(indexes.rows).toHaveLength(FEW);

  const sequences = await read(database, 'pg_statio_all_sequences');
  expect(names(sequences, 'relname')).toContain('newest_sequence');
  expect(sequences.note).toContain('21 of 61 sequences are not watched');
  await database.close();
});

it('says nothing where all are watched', async () => {
  const database = await probedDatabase(await sharedServer(18), ['create table one (id integer)']);
  for (const name of [
    'pg_stat_all_tables',
    'pg_stat_all_indexes',
    'pg_statio_all_sequences',
    'pg_sequence_usage',
  ]) {
    const outcome = await database.outcome(name);
    expect(outcome).not.toHaveProperty('note');
    expect(outcome).not.toHaveProperty('is_cut');
  }
  await database.close();
});
