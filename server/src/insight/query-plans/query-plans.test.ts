// Plans of statements over HTTP, on rows as the collector leaves them: the history, who may read a tree, two plans beside each other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeenPlans } from '../../collector/plans/seen-plans.ts';
import type { PlanSource } from '../../estate/estate.ts';
import { addPlans } from '../../estate/server-logs/log-writes.service.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { keyOfText } from '../../logs/figures/statement-key.ts';
import { loggedPlan } from '../../plans/masked.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { queryPlansRoutes } from './query-plans.routes.ts';

const QUERYID = '-4725382164029184731';
const NOW = Date.now();
const EPOCH = 1;

let test: TestApi;
let id: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [queryPlansRoutes] });
  id = test.actors.own_connection;
  for (const connection of [id, test.actors.shared_connection])
    await test.db.run(sql`/* test.lease */
      insert into matriarch.connection_leases (connection_id, epoch, owner, expires_at)
      values (${connection}, ${EPOCH}, 'test', now() + interval '1 day')
      on conflict (connection_id) do update set epoch = excluded.epoch`);
});
afterAll(() => test.close());

const scan = (ms: number, node = 'Seq Scan on orders', statement = 'select 1') =>
  [
    `duration: ${ms} ms  plan:`,
    `Query Text: ${statement}`,
    `Sort  (cost=0.00..9.00 rows=5 width=4) (actual time=0.010..${ms}.000 rows=50 loops=1)`,
    '  Sort Key: total',
    `  ->  ${node}  (cost=0.00..8.00 rows=5 width=4) (actual time=0.010..${ms}.000 rows=50 loops=1)`,
    "        Filter: (state = 'hunter2'::text)",
    '        Buffers: shared hit=30 read=10',
  ].join('\n');

interface Run {
  ago: number;
  message: string;
  queryid?: string | undefined;
  database?: string;
}

async function seen(runs: readonly Run[], connection_id = id, source: PlanSource = 'log'): Promise<void> {
  const plans = new SeenPlans();
  for (const { ago, message, database = 'shop', ...of } of runs) {
    const masked = loggedPlan(message) ?? expect.fail('no plan');
    const queryid = 'queryid' in of ? of.queryid : QUERYID;
    plans.add({ database_name: database, queryid, at: NOW - ago * MINUTE_MS, masked });
  }
  await addPlans(
    test.db,
    { connection_id, epoch: EPOCH },
    plans.rows((text) => text.replaceAll(/'[^']*'/g, '?')).map((row) => ({ ...row, source })),
  );
}

const get = async (path: string, token = test.actors.superuser.session, connection = id) => {
  const answer = await test.call(`GET /api/v1/connections/${connection}/${path}`, { token });
  return { status: answer.status, error: answer.error, body: Object(answer.body) };
};
const listed = async (queryid = QUERYID) => (await get(`queries/${queryid}/plans`)).body;
const INDEX = 'Index Scan using orders_state on orders';

describe('the plans of a statement', () => {
  it('say why there are none, and what makes the server log them', async () => {
    const body = await listed();
    expect(body).toMatchObject({ plans: [], regression: null, mend: null });
    expect(body.reason).toContain('does not read yet');
    await test.db.run(sql`/* test.source */
      insert into matriarch.log_sources (connection_id, format, reason, mend, looked_at)
      values (${id}, 'stderr', null, null, now())`);
    expect((await listed()).mend).toContain("load 'auto_explain'");
  });

  it('are counted by shape, with what runs took on average and at worst', async () => {
    await seen(Array.from({ length: 6 }, (_none, n) => ({ ago: 100 - n, message: scan(4, INDEX) })));
    await seen([{ ago: 60, message: scan(6, INDEX) }]);
    const { plans, regression, reason } = await listed();
    expect(reason).toBeNull();
    expect(regression).toBeNull();
    expect(plans).toMatchObject([
      {
        ...{
          database_name: 'shop',
          nodes: 2,
          is_current: true,
          logged_count: 7,
          planned_count: 0,
          worst_ms: 6,
        },
        ...{
          mean_rows: 50,
          mean_hit_blocks: 0,
          worst_estimate: { node: 1, factor: 10, direction: 'more' },
        },
        outline: 'Sort (Index Scan on orders using orders_state)',
      },
    ]);
    expect(plans[0].mean_ms).toBeCloseTo(30 / 7, 6);
  });

  it('are of their source: the same shape is counted by each, and compared within it alone', async () => {
    const queryid = '9998';
    const of = (ago: number, ms: number, node?: string) => ({
      ago,
      message: scan(ms, node, 'select 9'),
      queryid,
    });
    await seen(
      Array.from({ length: 5 }, (_none, n) => of(100 - n, 4, INDEX)),
      id,
      'pg_store_plans',
    );
    await seen(Array.from({ length: 5 }, (_none, n) => of(50 - n, 400)));
    const apart = await listed(queryid);
    expect(apart.regression).toBeNull();
    expect(apart.plans).toMatchObject([
      { source: 'log', is_current: true, logged_count: 5, mean_jit_ms: 0 },
      { source: 'pg_store_plans', is_current: true, logged_count: 5, mean_jit_ms: null, mean_rows: 50 },
    ]);
    await seen(
      Array.from({ length: 6 }, (_none, n) => of(40 - n, 400)),
      id,
      'pg_store_plans',
    );
    const { plans, regression } = await listed(queryid);
    expect(plans).toHaveLength(3);
    expect(regression).toMatchObject({ runs: 6, mean_ms: 400, before_mean_ms: 4 });
    expect(plans.find((one: { id: string }) => one.id === regression.after_id)).toMatchObject({
      source: 'pg_store_plans',
    });
  });

  it('say that an extension has none of the statement, where it counts plans', async () => {
    const connection = test.actors.shared_connection;
    await test.db.run(sql`/* test.counters */
      insert into matriarch.plan_counters (connection_id, source, reading, read_at, is_whole, items)
      values (${connection}, 'pg_stat_plans', 1, now(), true, '[]')`);
    const { body } = await get('queries/4321/plans', test.actors.superuser.session, connection);
    expect(body).toMatchObject({ plans: [], mend: null });
    expect(body.reason).toContain('pg_stat_plans has none, or a text that is not whole');
  });

  it('have blocks of those runs alone that were logged with them', async () => {
    const index = `Index Only Scan using orders_state on orders`;
    const logged = scan(4, index, 'select 2');
    const message = logged.replace(/\n.*Buffers.*/, '');
    const counted = logged.replace(
      '  Sort Key: total',
      '  Sort Key: total\n  Buffers: shared hit=30 read=10',
    );
    const queryid = '77';
    await seen([
      { ago: 3, message, queryid },
      { ago: 2, message: counted, queryid },
      { ago: 1, message, queryid },
    ]);
    expect((await listed(queryid)).plans).toMatchObject([
      { logged_count: 3, mean_rows: 50, mean_hit_blocks: 30, mean_read_blocks: 10, mean_temp_blocks: 0 },
    ]);
  });

  it('tell of a slower one that came after, and not of plans that take turns', async () => {
    await seen(Array.from({ length: 4 }, (_none, n) => ({ ago: 50 - n, message: scan(400) })));
    expect((await listed()).regression).toBeNull();
    await seen([{ ago: 40, message: scan(600) }]);
    const { plans, regression } = await listed();
    expect(plans.map((one: { is_current: boolean }) => one.is_current)).toEqual([true, false]);
    expect(regression).toMatchObject({
      before_id: plans[1].id,
      after_id: plans[0].id,
      runs: 5,
      mean_ms: 440,
    });
    await seen([{ ago: 30, message: scan(4, INDEX) }]);
    expect((await listed()).regression).toBeNull();
    // The slow one is back, and counted from then on.
    await seen(Array.from({ length: 4 }, (_none, n) => ({ ago: 20 - n, message: scan(500) })));
    expect((await listed()).regression).toBeNull();
    await seen([{ ago: 15, message: scan(500) }]);
    expect((await listed()).regression).toMatchObject({ runs: 5, mean_ms: 500 });
  });

  it('are compared node by node, and show their tree without values to those who may read logs', async () => {
    const { plans } = await listed();
    const [after, before] = plans;
    const { body } = await get(`query-plan-diff?before=${before.id}&after=${after.id}`);
    expect(body).toMatchObject({
      verdict: expect.stringMatching(/^The plans differ: 1 node changed.* times as slow/),
      rows: [
        { change: 'same' },
        {
          change: 'changed',
          before: { name: 'Index Scan on orders using orders_state' },
          after: { name: 'Seq Scan on orders' },
        },
      ],
    });
    const whole = await get(`query-plans/${after.id}`);
    expect(whole.body).toMatchObject({ queryid: QUERYID, explain_ms: 600, plan: { id: after.id } });
    expect(JSON.stringify(whole.body)).not.toContain('hunter2');
    const { owner } = test.actors;
    const group = { users: [owner.user_id], permissions: ['read_logs'] };
    expect((await get(`query-plans/${after.id}`, owner.session)).status).toBe(403);
    expect((await get(`queries/${QUERYID}/plans`, owner.session)).status).toBe(200);
    await makeGroup(test.db, group);
    expect((await get(`query-plans/${after.id}`, owner.session)).status).toBe(200);
  });

  it('of another server are not there', async () => {
    const [plan] = (await listed()).plans;
    const other = test.actors.shared_connection;
    const token = test.actors.superuser.session;
    expect((await get(`query-plans/${plan.id}`, token, other)).status).toBe(404);
    expect((await get(`query-plan-diff?before=${plan.id}&after=${plan.id}`, token, other)).status).toBe(404);
  });

  it('without a queryid in the log are found by the text of the statement', async () => {
    const statement = "select * from customers where name in ('a', 'b') and id = 7;";
    await seen([{ ago: 5, message: scan(8, INDEX, statement), queryid: undefined }]);
    const text = 'select * from customers\n  where name in ($1 /*, ... */) and id = $2';
    expect(keyOfText(statement)).toBe(keyOfText(text));
    await test.db.run(sql`/* test.text */
      insert into metrics.queries (connection_id, database_name, userid, queryid, toplevel, query_text, first_seen, last_seen)
      values (${id}, 'shop', 10, 99, true, ${text}, now(), now())`);
    await test.db.run(sql`/* test.seen */
      insert into metrics.objects (connection_id, object_id, kind, database_name, object_key, key, labels, first_seen, last_seen)
      values (${id}, 1, 'pg_stat_statements', 'shop', 'one', '{"queryid": "99", "userid": "10"}', '{}', now(), now())`);
    expect((await listed('99')).plans).toMatchObject([{ logged_count: 1, mean_ms: 8 }]);
    expect((await listed('9999999999999999999')).plans).toEqual([]);
  });

  it('are kept up to twenty of a statement, the newest', async () => {
    const runs = Array.from({ length: 25 }, (_none, n) => ({
      ago: 25 - n,
      message: scan(1, `Seq Scan on t${n}`),
      queryid: '77',
    }));
    await seen(runs);
    const { plans } = await listed('77');
    expect(plans.length).toBe(20);
    expect(plans[0].outline).toContain('t24');
  });

  it('are not written by a collector that has lost the lease', async () => {
    const plans = new SeenPlans();
    plans.add({
      database_name: 'shop',
      queryid: '55',
      at: NOW,
      masked: loggedPlan(scan(1)) ?? expect.fail(),
    });
    await addPlans(
      test.db,
      { connection_id: id, epoch: EPOCH + 1 },
      plans.rows((text) => text),
    );
    expect((await listed('55')).plans).toEqual([]);
  });
});
