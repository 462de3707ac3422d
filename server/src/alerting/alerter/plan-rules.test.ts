// The rule on slower plans fires and clears by what was found of the plans of a server, and stays as it is while that is unknown.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { planned } from '../../testing/scenes/of-rules.gen.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { compared } from '../../testing/store/compared-plans.ts';
import { looked } from '../../testing/store/logged.ts';
import type { KeptRegression } from '../alert-rules/plan-regressions.queries.ts';

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

const { bad, good } = planned.log_plan_regression;
const began = Date.now();

async function openOf(id: number) {
  const all = await house.alerts();
  return all.filter(
    (one) =>
      one.connection_id === id && one.raised_by === 'rule:log_plan_regression' && one.status !== 'cleared',
  );
}

/** The log was looked at so many milliseconds from now, and the plans in it compared. */
async function judge(
  { id, ahead, until = null }: { id: number; ahead: number; until?: number | null },
  items: readonly KeptRegression[],
) {
  const at = began + ahead;
  await looked(house.db, { connection_id: id, at, until });
  await compared(house.db, { connection_id: id, at }, items);
  await house.round({ now: at + 1000 });
}

describe('the rule on slower plans', () => {
  it('fires from its threshold on, names what changed, and clears when the plan has gone', async () => {
    const id = await house.leased();
    house.forget();
    await judge({ id, ahead: 0 }, [good]);
    expect(await openOf(id)).toEqual([]);
    await judge({ id, ahead: MINUTE_MS }, [bad]);
    expect(await openOf(id)).toMatchObject([
      {
        ...{ severity: 'warning', database_name: 'shop', object_name: 'statement 4711', metric_value: 3 },
        title: 'Slower plan of statement 4711 in database "shop"',
        description:
          'A run takes 3 times as long as with the previous plan (2 s before, 6 s in 40 runs since 2026-11-28 03:00:00 UTC; Index "orders_a" on "orders" was dropped; threshold 3). The planner chose another plan for the statement. It has cost at least one minute more so far.',
      },
    ]);
    // What is known later stands in the alert as well.
    const more = { ...bad, runs: 50, changes: ['work_mem went from 4MB to 64kB.'] };
    await judge({ id, ahead: 2 * MINUTE_MS }, [more]);
    expect((await openOf(id))[0]?.description).toMatch(/in 50 runs .*; work_mem went from 4MB to 64kB; /);
    await judge({ id, ahead: 3 * MINUTE_MS }, []);
    await judge({ id, ahead: 4 * MINUTE_MS }, []);
    expect(await openOf(id)).toEqual([]);
  });

  it('stays open while plans are not compared, or the log is not read as a whole', async () => {
    const id = await house.leased();
    house.forget();
    await judge({ id, ahead: 0 }, [bad]);
    expect(await openOf(id)).toHaveLength(1);
    // The log is read on, and nothing was compared since.
    await looked(house.db, { connection_id: id, at: began + HOUR_MS });
    for (const n of [0, 1]) await house.round({ now: began + HOUR_MS + n * MINUTE_MS });
    expect(await openOf(id)).toHaveLength(1);
    const until = began + HOUR_MS;
    for (const n of [61, 62]) await judge({ id, ahead: n * MINUTE_MS, until }, []);
    expect(await openOf(id)).toHaveLength(1);
    for (const n of [63, 64]) await judge({ id, ahead: n * MINUTE_MS }, []);
    expect(await openOf(id)).toEqual([]);
  });

  it('outlives an alerter that remembers nothing, and fires once', async () => {
    const id = await house.leased();
    await judge({ id, ahead: 0 }, [bad]);
    house.forget();
    await judge({ id, ahead: MINUTE_MS }, [bad]);
    const all = await house.db.rows(
      sql`select from matriarch.alerts a where a.connection_id = ${id} and a.raised_by = 'rule:log_plan_regression'`,
    );
    expect(all).toHaveLength(1);
  });
});
