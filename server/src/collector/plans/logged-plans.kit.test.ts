// Plans that real servers log, read by a collector in each format: one row for each shape, with what its runs took and without values.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { readPlans } from '../../plans/read.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import { loggingServer, MON, READING, started } from '../../testing/logs/logging-server.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { isProof, majorsInFull } from '../../testing/tier.ts';

const SECRET = 'hunter2-in-the-plan';
const STATEMENT = `select count(*) from orders where customer = 7 and note <> '${SECRET}'`;

/** By the format of the log and of the plans in it. */
function formatsOf(major: number): readonly (readonly [log: string, plan: string])[] {
  if (!isProof()) return [['stderr', 'json']];
  return [
    ...(['json', 'text', 'yaml', 'xml'] as const).map((plan) => ['stderr', plan] as const),
    ['csvlog', 'text'],
    ...(major === 14 ? [] : [['jsonlog', 'json'] as const]),
  ];
}

async function session(server: TestCluster, settings: Record<string, string>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query("load 'auto_explain'");
  for (const [name, value] of Object.entries({
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    ...settings,
  }))
    await client.query(`set ${name} = '${value}'`);
  return client;
}

const plansOf = (house: Collecting, id: number) =>
  house.db.rows<Record<string, unknown>>(sql`
    select p.* from matriarch.query_plans p
    where p.connection_id = ${id} and p.outline like '%orders%' order by p.first_seen, p.id`);

describe.each(majorsInFull())('plans that PostgreSQL %i logs', (major) => {
  it.each(formatsOf(major))(
    'in %s as %s are kept by shape, with what they took and without values',
    async (format, plan) => {
      const server = await loggingServer(
        { log_destination: format, log_line_prefix: '%m [%p] %q%u@%d %Q ', compute_query_id: 'on' },
        major,
      );
      await server.query(
        'create table orders as select g as id, g % 500 as customer, md5(g::text) as note from generate_series(1, 20000) g',
      );
      await server.query('create index orders_customer on orders (customer)');
      await server.query('analyze orders');
      const house = await newHouse();
      const id = await house.connect(server, MON);
      house.start(READING);
      await started(house, id);
      const client = await session(server, { 'auto_explain.log_format': plan });
      for (let n = 0; n < 3; n += 1) await client.query(STATEMENT);
      await client.query('set enable_indexscan = off; set enable_bitmapscan = off');
      await client.query(STATEMENT);
      const [asked] = await server
        .query(
          `select queryid::text as queryid from pg_stat_statements where query like 'select count(*) from orders%' limit 1`,
        )
        .catch(() => [undefined]);
      await client.end();
      await pollMoved(house, async () => (await plansOf(house, id)).length).toBe(2);
      const rows = await plansOf(house, id);
      expect(rows).toMatchObject([
        { logged: 3, analyzed: 3, total_rows: 3, planned: 0, nodes: 3, database_name: 'postgres' },
        { logged: 1, analyzed: 1, total_rows: 1, nodes: 2, outline: 'Aggregate (Seq Scan on orders)' },
      ]);
      expect(new Set(rows.map(({ statement_key }) => statement_key)).size).toBe(1);
      expect(rows[0]?.statement_key).toMatch(/^-?\d+$/);
      if (asked) expect(rows[0]?.statement_key).toBe(asked.queryid);
      expect(JSON.stringify(rows)).not.toContain(SECRET);
      for (const row of rows) {
        expect(Number(row.hit_blocks) + Number(row.read_blocks)).toBeGreaterThan(0);
        const [kept] = readPlans(String(row.example));
        expect(kept).toMatchObject({ plan_hash: row.plan_hash, analyzed: true });
        expect(kept?.query_text).toContain('select count(*) from orders');
      }
    },
    120_000,
  );
});
