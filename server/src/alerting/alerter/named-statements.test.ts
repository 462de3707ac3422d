// Alerts for temporary files and for deadlocks name the statement behind them, and those of a slower statement the indexes of its tables
// that were dropped, where that is known.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { looked } from '../../testing/store/logged.ts';
import { HOUR, MINUTE, slower } from '../../testing/store/rule-case-rows.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting({ hasTables: true });
});
afterEach(() => house.close());

const database = (temp_files: number, deadlocks = 0) => ({ datname: 'shop', temp_files, deadlocks });

const statement = (queryid: string, temp_blks_written: number) => ({
  ...{ userid: 10, dbid: 5, toplevel: true, queryid, calls: 100 },
  temp_blks_written,
});

const text = (id: number, queryid: string, query: string) =>
  house.db.run(sql`/* test.text */
    insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text)
    values (${id}, 'shop', ${queryid}::bigint, 10, true, ${query})`);

async function toldOf(id: number, rule: string): Promise<{ description: string; detail: string | null }[]> {
  return house.db.rows<{ description: string; detail: string | null }>(sql`/* test.told */
    select a.description, a.detail from matriarch.alerts a
    where a.connection_id = ${id} and a.raised_by = ${`rule:${rule}`}`);
}

it('names the statement that wrote most to temporary files', async () => {
  const id = await house.leased();
  await text(id, '4242', `select town,\n  string_agg(name, $1) from customer group by town`);
  const counted = (one: number, other: number) => [statement('4242', one), statement('-77', other)];
  const database_name = 'shop';
  await house.feed(id, 'pg_stat_statements', { rows: counted(0, 0), database_name, ago: 600 });
  await house.feed(id, 'pg_stat_database', { rows: [database(0)], ago: 600 });
  await house.feed(id, 'pg_stat_statements', { rows: counted(9000, 1000), database_name, ago: 10 });
  await house.feed(id, 'pg_stat_database', { rows: [database(500)], ago: 5 });
  await house.round();
  const says =
    'Statement 4242 wrote 90 % of what statements wrote to temporary files: "select town, string_agg(name, $1) from customer group by town"';
  const [told] = await toldOf(id, 'temp_files_created');
  expect(told?.detail).toBe(says);
  expect(told?.description).toContain(`(threshold 100). ${says}. Sorts`);
});

/** A deadlock as the log keeps it; the constant in it is one that somebody chose to keep. */
async function deadlocked(id: number, queryid: string): Promise<void> {
  const at = new Date(Date.now() - 2 * MINUTE_MS).toISOString();
  const detail = [
    'Process 11 waits for ShareLock on transaction 742; blocked by process 12.',
    'Process 12 waits for ShareLock on transaction 743; blocked by process 11.',
    `Process 11: update only "Orders" set card = '4111' where id = 1`,
    `Process 12: select * from public.items where card = '4111' for update`,
  ].join('\n');
  await house.db.run(sql`/* test.deadlock */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      queryid, message, detail, hint, context, statement, figures, is_cut
    )
    values (
      ${id}, ${at}::timestamptz, 'deadlock', 'ERROR', '40P01', 'shop', '', '', '11', ${queryid}, '', ${detail}, '', '', '',
      '{}'::jsonb, false
    )`);
  await looked(house.db, { connection_id: id, at: Date.now() });
}

async function countedDeadlock(id: number): Promise<void> {
  await house.feed(id, 'pg_stat_database', { rows: [database(0)], ago: 600 });
  await house.feed(id, 'pg_stat_database', { rows: [database(0, 1)], ago: 5 });
}

it('names the statements of the newest deadlock, without their constants', async () => {
  const id = await house.leased();
  await deadlocked(id, '991');
  await countedDeadlock(id);
  await house.round();
  const [told] = await toldOf(id, 'deadlocks_detected');
  expect(told?.detail).toMatch(
    /^In the newest deadlock, at [^,]*, PostgreSQL ended "UPDATE "Orders"" \(statement 991\); it met "SELECT FROM public\.items"$/,
  );
  expect(told?.description).not.toContain('4111');
});

it('names nothing where the log is of another server, or nothing was counted', async () => {
  const [id, other] = [await house.leased(), await house.leased()];
  await deadlocked(other, '');
  await countedDeadlock(id);
  await house.feed(id, 'pg_stat_database', { rows: [database(500, 1)], ago: 4 });
  await house.round();
  expect(await toldOf(id, 'deadlocks_detected')).toEqual([
    {
      detail: null,
      description: expect.stringMatching(/^Deadlocks in the last hour: 1 \(threshold 0\)\. T/),
    },
  ]);
});

it('names the indexes of its tables that were dropped before a statement became slower, once', async () => {
  const id = await house.leased();
  const began = Date.now();
  const feed = (probe: string, at: number, rows: Row[]) =>
    house.feed(id, probe, { rows, database_name: 'shop', at: began + at * 1000 });
  await text(id, '1', 'select count(*) from customer where town = $1');
  const index = (relname: string, indexrelname: string, indexrelid: number) => ({
    ...{ schemaname: 'public', relname, indexrelname, indexrelid },
  });
  const [own, other, stays] = [
    index('customer', 'customer_town', 1),
    index('item', 'item_town', 2),
    index('customer', 'customer_pkey', 3),
  ];
  await feed('pg_stat_all_indexes', -2 * HOUR, [own, other, stays]);
  await feed('pg_stat_all_indexes', -HOUR, [stays]);
  for (let at = -3 * HOUR; at <= 0; at += 10 * MINUTE) await feed('pg_stat_statements', at, slower(at));
  await house.round({ now: began + 1000 });
  const words = 'Index "customer_town" of "public.customer" was dropped (seen at ';
  const [fired] = await toldOf(id, 'statement_slower');
  expect(fired?.description).toContain(`threshold 2). ${words}`);
  expect(fired?.description).not.toContain('item');
  // What is open keeps it, as of when it was found.
  await feed('pg_stat_all_indexes', 60, []);
  await feed('pg_stat_statements', 5 * MINUTE, slower(0));
  await house.round({ now: began + 5 * MINUTE * 1000 + 1000 });
  const [open] = await toldOf(id, 'statement_slower');
  expect(open?.description).toContain(words);
  expect(open?.description).not.toContain('customer_pkey');
});
