// Statements of real servers that become slower because of another plan: found by the log that a collector reads, told with what changed
// before, and gone when the fast plan is back.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import type { Ctx } from '../../identity/identity.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { AUTO_EXPLAIN } from '../../probes/auto-explain.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse, pollMoved } from '../../testing/collecting-tests.ts';
import { loggingServer, MON, READING, started } from '../../testing/logs/logging-server.ts';
import type { Major, TestCluster } from '../../testing/servers/postgres.ts';
import { endMajors } from '../../testing/tier.ts';
import { check } from '../checks/plan-changed.ts';
import { evaluateFindings } from '../findings/evaluate.service.ts';
import { diffQueryPlans, getQueryPlan, listQueryPlans } from './query-plans.service.ts';

const STATEMENT = 'select count(*) from orders where customer = 7';
const PLANS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_analyze': true,
  'auto_explain.log_format': 'json',
  log_line_prefix: '%m [%p] %q%u@%d %Q ',
  compute_query_id: 'on',
  max_parallel_workers_per_gather: 0,
};

async function runs(server: TestCluster, times: number): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (let n = 0; n < times; n += 1) await client.query(STATEMENT);
  await client.end();
}

const ctxOf = (house: Collecting): Ctx => ({
  db: house.db,
  clock: house.clock,
  log: silentLog,
  signal: new AbortController().signal,
  principal: systemPrincipal('server'),
});

const rowsOf = (house: Collecting, id: number) =>
  house.db.rows<{ statement_key: string; logged: number }>(sql`
    select p.statement_key, p.logged from matriarch.query_plans p
    where p.connection_id = ${id} and p.outline like '%Aggregate%orders%' order by p.last_logged desc`);

const loggedRuns = async (house: Collecting, id: number) =>
  (await rowsOf(house, id)).reduce((sum, { logged }) => sum + logged, 0);

async function probed(house: Collecting, id: number, probe: string): Promise<void> {
  const before = (await house.snapshots(id)).filter((one) => one.probe === probe)[0]?.collected_at;
  await pollMoved(
    house,
    async () =>
      (await house.snapshots(id)).some(
        (one) => one.probe === probe && one.outcome === 'ran' && one.collected_at !== before,
      ),
    30,
  ).toBe(true);
}

const judged = async (house: Collecting, id: number) => {
  await evaluateFindings(ctxOf(house), {
    servers: [{ connection_id: id, cluster_id: null }],
    checks: [check],
  });
  return house.db.rows<Record<string, unknown>>(sql`
    select f.message, f.remedy, f.evidence, f.resolved_at is null as is_open, f.proof
    from matriarch.findings f where f.connection_id = ${id} and f.check_name = 'plan_changed'`);
};

interface Scene {
  readonly what: string;
  /** When it is known to have changed. */
  readonly probe: string;
  readonly breaks: readonly string[];
  readonly mends: readonly string[];
  readonly change: object;
}

const SCENES: readonly Scene[] = [
  {
    what: 'a dropped index',
    probe: 'pg_stat_all_indexes',
    breaks: ['drop index orders_customer'],
    mends: ['create index orders_customer on orders (customer)'],
    change: { kind: 'index_dropped', summary: 'Index "orders_customer" on "orders" was dropped.' },
  },
  {
    what: 'a changed setting',
    probe: 'pg_settings',
    breaks: [
      'alter system set enable_indexscan = off',
      'alter system set enable_indexonlyscan = off',
      'alter system set enable_bitmapscan = off',
      'select pg_reload_conf()',
    ],
    mends: ['alter system reset all', 'select pg_reload_conf()'],
    change: { kind: 'setting', summary: expect.stringMatching(/^enable_\w+ went from on to off\.$/) },
  },
];

async function house(major: Major) {
  const server = await loggingServer(PLANS, major);
  await server.query(
    'create table orders as select g as id, g % 20000 as customer from generate_series(1, 400000) g',
  );
  await server.query('create index orders_customer on orders (customer)');
  await server.query('vacuum analyze orders');
  // Of many plans in a piece of the log a sample is read: the collector's own would make it one.
  await server.query(`alter role ${MON.username} set auto_explain.log_min_duration = -1`);
  const made = await newHouse();
  const id = await made.connect(server, MON);
  made.start(READING);
  await started(made, id);
  return { server, house: made, id };
}

describe.each(endMajors)('a slower plan of PostgreSQL %i', (major) => {
  it.each(SCENES)(
    'by $what is found, with what changed before',
    async ({ probe, breaks, mends, change }) => {
      const { server, house: own, id } = await house(major);
      const ctx = ctxOf(own);
      await runs(server, 10);
      await pollMoved(own, () => loggedRuns(own, id)).toBe(10);
      await probed(own, id, probe);
      const [fast] = await rowsOf(own, id);
      const queryid = fast?.statement_key ?? '';
      expect((await listQueryPlans(ctx, id, queryid)).regression).toBeNull();
      expect(await judged(own, id)).toEqual([]);
      for (const statement of breaks) await server.query(statement);
      // Of a piece of the log, a sample is read.
      for (const all of [40, 70, 100]) {
        await runs(server, 30);
        await pollMoved(own, () => loggedRuns(own, id)).toBe(all);
      }
      await probed(own, id, probe);
      const listed = await listQueryPlans(ctx, id, queryid);
      expect(listed.plans).toMatchObject([
        { is_current: true, logged_count: 90, has_example: true },
        { is_current: false, logged_count: 10 },
      ]);
      expect(listed.regression).toMatchObject({
        runs: 90,
        changes: expect.arrayContaining([expect.objectContaining(change)]),
      });
      expect(listed.regression?.factor).toBeGreaterThan(1.5);
      const [after, before] = listed.plans;
      const diff = await diffQueryPlans(ctx, id, { before: before?.id ?? '', after: after?.id ?? '' });
      expect(diff.verdict).toMatch(/^The plans differ: .* times as slow/);
      expect(diff.changes).toEqual(listed.regression?.changes);
      expect((await getQueryPlan(ctx, id, after?.id ?? '')).explain).toContain('Seq Scan');
      const [finding] = await judged(own, id);
      expect(finding).toMatchObject({
        message: expect.stringMatching(
          /in the log since its plan changed at .* It took .* with the previous plan\. Before: /,
        ),
        remedy: expect.stringMatching(
          /^-- What changed before:\n-- {3}[^\n]+(?:\n-- {3}[^\n]+)*\nanalyze "orders";$/,
        ),
        is_open: true,
      });
      for (const statement of mends) await server.query(statement);
      await runs(server, 10);
      await pollMoved(own, () => loggedRuns(own, id)).toBe(110);
      expect((await listQueryPlans(ctx, id, queryid)).regression).toBeNull();
      expect(await judged(own, id)).toMatchObject([{ is_open: false, proof: 'confirmed' }]);
    },
    170_000,
  );

  it('is logged once the printed SQL has been run', async () => {
    const server = await loggingServer({}, major);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of AUTO_EXPLAIN.split('\n')) await client.query(statement);
    await client.end();
    await expect
      .poll(async () => {
        const [row] = await server.query("select current_setting('session_preload_libraries') as libraries");
        return row?.libraries;
      })
      .toBe('auto_explain');
    const next = new pg.Client({ connectionString: server.url });
    await next.connect();
    const { rows } = await next.query<{ value: string }>(
      "select current_setting('auto_explain.log_min_duration') as value",
    );
    await next.end();
    expect(rows).toEqual([{ value: '1s' }]);
  });
});
