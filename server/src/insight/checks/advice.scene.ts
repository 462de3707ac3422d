// Scenes of advice on indexes: a table under load that lacks one, and tables that need none. Guards: what is planned and tried is planned
// and tried on the real server.
import pg from 'pg';
import { expect } from 'vitest';
import { type CheckScene, run, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';

const LATER = 2 * 3_600_000;
const CALLS = 120;

async function repeat(server: TestCluster, query: pg.QueryConfig, times = CALLS): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (let n = 0; n < times; n += 1) await client.query(query);
  await client.end();
}

const ORDERS = `create table "Orders of all" (id int primary key, customer int, "State" text, placed int, note text)`;
const FILL = `insert into "Orders of all" select g, g % 5000, (array['new', 'paid', 'sent'])[1 + g % 3], g, repeat('x', 60)
  from generate_series(1, 120000) g`;
const FIND = {
  text: 'select id from "Orders of all" where customer = $1 and "State" = $2',
  values: [77, 'paid'],
};
const FIND_BY_CUSTOMER = {
  text: 'select count(*) from "Orders of all" o where o.customer = $1',
  values: [78],
};

export const scenes: readonly CheckScene[] = [
  {
    check: 'missing_index',
    isDear: true,
    later: LATER,
    async make({ primary }) {
      await run(primary, ORDERS, FILL, 'vacuum analyze "Orders of all"');
      await run(
        primary,
        `select pg_stat_reset_single_table_counters('"Orders of all"'::regclass)`,
        'select pg_stat_statements_reset()',
      );
      await repeat(primary, FIND);
      await repeat(primary, FIND_BY_CUSTOMER);
      return () => run(primary, 'drop table "Orders of all"');
    },
    isIt: () => true,
    expect(found) {
      expect(found.object_name).toBe('public.Orders of all (customer, State)');
      expect(found.severity).toBe('info');
      expect(found.proof).toBe('measured');
      expect(found.figure?.value).toBeGreaterThan(1000);
      expect(found.rows?.map(({ calls }) => calls)).toEqual([CALLS, CALLS]);
      expect(Number(found.evidence.cost_of_workload_after)).toBeLessThan(
        Number(found.evidence.cost_of_workload_before) / 10,
      );
      expect(found.remedy).toContain(
        'create index concurrently on "public"."Orders of all" ("customer", "State");',
      );
    },
    async remedy(found, { primary }) {
      for (const one of statementsOf(found.remedy)) await primary.query(one);
      await repeat(primary, FIND);
      await repeat(primary, FIND_BY_CUSTOMER);
    },
  },
  {
    check: 'plan_changed',
    isDear: true,
    async before({ primary }) {
      await run(
        primary,
        ORDERS,
        FILL,
        'create index "Its customer" on "Orders of all" (customer)',
        'vacuum analyze "Orders of all"',
        'select pg_stat_statements_reset()',
      );
      await repeat(primary, FIND_BY_CUSTOMER);
    },
    async make({ primary }) {
      await run(primary, 'drop index "Its customer"');
      await repeat(primary, FIND_BY_CUSTOMER);
      return () => run(primary, 'drop table "Orders of all"');
    },
    isIt: () => true,
    expect({ severity, evidence, figure, remedy }) {
      expect(severity).toBe('info');
      expect(evidence.plan_before).toMatch(/on Orders of all using Its customer|using Its customer/);
      expect(evidence.plan).toMatch(/Seq Scan on Orders of all/);
      expect([evidence.calls_before, evidence.calls]).toEqual([CALLS, CALLS]);
      expect(figure?.value).toBeGreaterThan(3 * (figure?.promised ?? 0));
      expect(remedy).toBe('create index concurrently on "public"."Orders of all" ("customer");');
    },
    async remedy(found, { primary }) {
      for (const one of statementsOf(found.remedy)) await primary.query(one);
      await repeat(primary, FIND_BY_CUSTOMER);
    },
  },
];
