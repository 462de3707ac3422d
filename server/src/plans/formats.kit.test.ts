// The same plan in all four formats of real servers: one identity, one tree, nothing unknown.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  FORMATS,
  OPTIONS,
  PLAN_TABLES,
  PLANNED,
  type PlannedStatement,
} from '../testing/plans/statements.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { readPlans } from './read.ts';
import { shapeOf } from './shape.ts';
import type { Plan } from './types.ts';
import { nodesOf } from './walk.ts';

async function explained(
  client: pg.Client,
  { settings = [], sql }: PlannedStatement,
  options: string,
): Promise<string> {
  await client.query('begin');
  try {
    for (const setting of settings) await client.query(setting);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({
      text: `explain (${options}) ${sql}`,
      types: { getTypeParser: () => (value: string) => value },
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.query('rollback');
  }
}

/** What every format says of a node, but for times. */
const told = (plan: Plan) =>
  nodesOf(plan.plan).map((node) => [
    node.title,
    node.relation,
    node.index,
    node.estimated_rows,
    node.never_executed,
    node.spills.length > 0,
  ]);

async function compare(client: pg.Client, statement: PlannedStatement, options: string): Promise<void> {
  const plans: Plan[] = [];
  for (const format of FORMATS) {
    const output = await explained(
      client,
      statement,
      options === '' ? `format ${format}` : `${options}, format ${format}`,
    );
    const [plan] = readPlans(output);
    if (plan === undefined) throw new Error(`no plan: ${output}`);
    expect([plan.format, plan.unknown, statement.sql]).toEqual([
      format,
      { count: 0, names: [] },
      statement.sql,
    ]);
    plans.push(plan);
  }
  const [first] = plans;
  for (const plan of plans) {
    expect(shapeOf(plan.plan)).toBe(first && shapeOf(first.plan));
    expect(plan.plan_hash).toBe(first?.plan_hash);
    expect(told(plan)).toEqual(first && told(first));
    expect(plan.analyzed).toBe(options.includes('analyze'));
    for (const node of nodesOf(plan.plan)) {
      expect([node.node, node.meaning === null]).toEqual([node.node, false]);
      expect(node.own_ms === null).toBe(!options.includes('analyze') || options.includes('timing off'));
    }
  }
}

describe.each(majorsOfKits())('plans of PostgreSQL %i', (major) => {
  it('are the same in text, JSON, YAML and XML', async () => {
    await using server = await startCluster({ major });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      for (const statement of PLAN_TABLES) await client.query(statement);
      for (const [from, options] of OPTIONS)
        if (major >= from) for (const statement of PLANNED) await compare(client, statement, options);
    } finally {
      await client.end();
    }
  });
});
