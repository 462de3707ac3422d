// Every rule fires on samples that are beyond its threshold and clears on samples that are not, from what its probe stores. A
// rule without a case here fails.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Row } from '../../store/layout/types.ts';
import { dated, logged, planned, stored } from '../../testing/scenes/of-rules.gen.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { type Case, HOUR, MINUTE } from '../../testing/store/rule-case-rows.ts';
import { demandKnown } from '../alert-rules/known-rules.service.ts';
import { rules } from '../rules/catalog.gen.ts';

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

it('every rule has its case', () => {
  expect([stored, dated, logged, planned].flatMap((cases) => Object.keys(cases)).toSorted()).toEqual(
    rules.map(({ name }) => name).toSorted(),
  );
});

const STEP = 5 * MINUTE;
const intervals: Partial<Record<string, number>> = { pg_stat_wal: 10, pg_stat_checkpointer: 10 };

async function openOf(id: number, name: string) {
  const all = await house.alerts();
  return all.filter(
    (one) => one.connection_id === id && one.raised_by === `rule:${name}` && one.status !== 'cleared',
  );
}

const { metric_staleness: staleness, ...ofSamples } = stored;

it.for(Object.entries<Case>(ofSamples))('%s fires and clears', async ([name, of]) => {
  const { probe, database_name = '', beside, before, bad, good, lasts = 0, object = '', says = /./ } = of;
  const { rule } = demandKnown(name);
  const id = await house.leased();
  const step = (intervals[probe] ?? 5) * MINUTE;
  // All seconds count from here, however long the feeding takes: what an hour holds must not depend on the machine.
  const began = Date.now();
  const feed = (at: number, rows: Row[], of = probe) =>
    house.feed(id, of, { rows, at: began + at * 1000, database_name: of === probe ? database_name : '' });
  const round = (at: number) => house.round({ now: began + at * 1000 + 1000 });
  house.forget();
  if (beside) await feed(-MINUTE, beside.rows, beside.probe);
  const { lastsSeconds = 0 } = rule;
  const start = Math.max(lasts, lastsSeconds);
  if (before) await feed(-step - start, before);
  // Three hours in steps of ten minutes: a sample lies where their last hour begins. The day before ends with a whole hour,
  // which in the first minutes of one is right behind that sample.
  for (let at = -start; at < 0; at += Math.max(STEP, start / 18)) {
    await feed(at, bad(at));
    if (at > -lastsSeconds || lastsSeconds === 0) continue;
    await round(at);
    expect(await openOf(id, name)).toEqual([]);
  }
  await feed(0, bad(0));
  await round(0);
  expect(await openOf(id, name)).toMatchObject([
    {
      severity: rule.severity,
      database_name,
      object_name: object,
      threshold_value: rule.threshold,
      title: expect.stringContaining(rule.title),
      description: expect.stringMatching(says),
    },
  ]);
  // What grows in an hour is forgotten after one.
  const after = before ? HOUR + step : step;
  for (const n of [0, 1, 2]) {
    const at = after + n * step;
    if (beside) await feed(at - 1, beside.rows, beside.probe);
    await feed(at, good(at));
    await round(at);
  }
  expect(await openOf(id, name)).toEqual([]);
});

it('metric_staleness fires and clears', async () => {
  const id = await house.leased();
  const { probe, bad, object } = staleness;
  house.forget();
  const stopped = { rows: [{ num_requested: 1 }], ago: 31 * MINUTE };
  await house.feed(id, 'pg_stat_checkpointer', stopped);
  await house.feed(id, probe, { rows: bad(0), ago: 1 });
  await house.round();
  expect(await openOf(id, 'metric_staleness')).toMatchObject([{ object_name: object, severity: 'warning' }]);
  for (const at of [2 * MINUTE, 4 * MINUTE]) {
    await house.feed(id, 'pg_stat_checkpointer', { ...stopped, ago: -at });
    await house.feed(id, probe, { rows: bad(0), ago: -at });
    await house.round({ now: Date.now() + at * 1000 + 1000 });
  }
  expect(await openOf(id, 'metric_staleness')).toEqual([]);
});
