// Plans that are as good as they can be on real servers have no advice: whoever reads it may rely on what it says.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { HEALTHY, HEALTHY_TABLES } from '../testing/plans/healthy-statements.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { readPlans } from './read.ts';

/** As it comes, without parallel workers, and with less memory than most servers have. */
const SETTINGS: readonly (readonly string[])[] = [
  [],
  ['set local max_parallel_workers_per_gather = 0'],
  ["set local work_mem = '8MB'"],
];

async function adviceOf(client: pg.Client, sql: string, settings: readonly string[]): Promise<string[]> {
  await client.query('begin');
  try {
    for (const setting of settings) await client.query(setting);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${sql}`);
    const [plan] = readPlans(rows.map((row) => row['QUERY PLAN']).join('\n'));
    if (plan === undefined) throw new Error(`no plan of ${sql}`);
    return plan.advice.map(({ advice, evidence, node }) => `${sql}: ${advice} at node ${node}: ${evidence}`);
  } finally {
    await client.query('rollback');
  }
}

describe.each(majorsOfKits())('healthy plans of PostgreSQL %i', (major) => {
  it('have no advice', async () => {
    await using server = await startCluster({ major, settings: { autovacuum: false } });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      for (const statement of HEALTHY_TABLES) await client.query(statement);
      const found: string[] = [];
      for (const settings of SETTINGS)
        for (const sql of HEALTHY) found.push(...(await adviceOf(client, sql, settings)));
      expect(found).toEqual([]);
    } finally {
      await client.end();
    }
  });
});
