// Each advice on real servers: the plan shows it, what it says to do makes the plan better, and then it is gone. A good plan has none.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { ADVICE_SCENES, type AdviceScene } from '../testing/plans/advice-scenes.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { advices } from './advice/catalog.gen.ts';
import { readPlans } from './read.ts';
import type { Plan } from './types.ts';

async function planOf(client: pg.Client, sql: string): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${sql}`);
  const [plan] = readPlans(rows.map((row) => row['QUERY PLAN']).join('\n'));
  return plan ?? expect.fail('no plan');
}

const adviceOf = (plan: Plan, name: string) => plan.advice.filter(({ advice }) => advice === name);

async function play(
  client: pg.Client,
  { advice, setup, settings = [], sql, instead, measure }: AdviceScene,
): Promise<void> {
  for (const statement of [...setup, 'reset all', ...settings]) await client.query(statement);
  const before = await planOf(client, sql);
  const [found] = adviceOf(before, advice);
  if (found === undefined)
    throw new Error(`no ${advice}: ${JSON.stringify(before.advice)} in ${JSON.stringify(before.plan)}`);
  expect(found.evidence).toMatch(/\d/);
  if (instead === undefined) {
    if (found.remedy === null) throw new Error(`${advice} has no remedy: ${found.evidence}`);
    for (const statement of found.remedy.split(/;\n?/).filter(Boolean)) await client.query(statement);
  } else {
    expect(found.remedy).toBeNull();
    for (const statement of instead.run ?? []) await client.query(statement);
  }
  const after = await planOf(client, instead?.sql ?? sql);
  expect([adviceOf(after, advice), advice]).toEqual([[], advice]);
  expect(measure(after)).toBeLessThan(measure(before));
}

describe.each(majorsOfKits())('advice on plans of PostgreSQL %i', (major) => {
  it('is shown by the plan, and its remedy makes the plan better', async () => {
    await using server = await startCluster({ major, settings: { autovacuum: false } });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      const failed: string[] = [];
      const { rows } = await client.query<{ can: boolean }>('select pg_jit_available() as can');
      for (const scene of ADVICE_SCENES.filter(
        ({ needsJit, before = major + 1 }) => major < before && (!needsJit || rows[0]?.can),
      ))
        await play(client, scene).catch((error: unknown) =>
          failed.push(`${scene.advice} ${scene.what ?? ''}: ${String(error)}`),
        );
      expect(failed).toEqual([]);
    } finally {
      await client.end();
    }
  });
});

it('every advice has a scene', () => {
  expect([...new Set(ADVICE_SCENES.map(({ advice }) => advice))].toSorted()).toEqual(
    advices.map(({ name }) => name).toSorted(),
  );
});
