// The same plan of PostgreSQL 14 and 18 has one identity, with literals and with parameters.
import pg from 'pg';
import { expect, it } from 'vitest';
import { PLAN_TABLES, PLANNED, type PlannedStatement } from '../testing/plans/statements.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { readPlans } from './read.ts';
import { shapeOf } from './shape.ts';
import type { Plan } from './types.ts';
import { nameOf, nodesOf } from './walk.ts';

async function planOf(client: pg.Client, { settings = [], sql }: PlannedStatement): Promise<Plan> {
  await client.query('begin');
  try {
    for (const setting of settings) await client.query(setting);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`);
    const [plan] = readPlans(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return plan ?? expect.fail(`no plan of ${sql}`);
  } finally {
    await client.query('rollback');
  }
}

const nodes = (plan: Plan) => nodesOf(plan.plan).map(nameOf).join('\n');

it('is the same in PostgreSQL 14, 16, 17 and 18 wherever the planner chose the same nodes', async () => {
  const plans: Plan[][] = [];
  for (const major of [14, 16, 17, 18] as const) {
    await using server = await startCluster({ major, settings: { autovacuum: false, jit: false } });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of PLAN_TABLES) await client.query(statement);
    const own: Plan[] = [];
    for (const statement of PLANNED) own.push(await planOf(client, statement));
    plans.push(own);
    const generic = await planOf(client, { sql: "select * from orders where id = 5 and status = 'open'" });
    await client.query('prepare p (int, text) as select * from orders where id = $1 and status = $2');
    await client.query('set plan_cache_mode = force_generic_plan');
    const prepared = await planOf(client, { sql: "execute p (7, 'x')" });
    expect(prepared.plan_hash).toBe(generic.plan_hash);
    await client.end();
  }
  const [first = [], ...others] = plans;
  let same = 0;
  const differ: unknown[] = [];
  for (const other of others)
    for (const [at, plan] of other.entries()) {
      const before = first[at];
      if (before === undefined || nodes(before) !== nodes(plan)) continue;
      same += 1;
      if (before.plan_hash !== plan.plan_hash) differ.push([shapeOf(before.plan), shapeOf(plan.plan)]);
    }
  expect(differ).toEqual([]);
  expect(same).toBeGreaterThan(80);
}, 240_000);
