// Rules that judge dates fire and clear by what their probes stored over days, through the dates that are kept of it; and keep
// quiet, or stay as they are, while nobody can tell a date.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepRunwayOf } from '../../insight/runway/keep.service.ts';
import { sql } from '../../kernel/sql.ts';
import type { Row } from '../../store/layout/types.ts';
import { dated as DATE_CASES } from '../../testing/scenes/of-rules.gen.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { type DateCase, LAST_DAY } from '../../testing/store/date-case-rows.ts';
import { demandKnown } from '../alert-rules/known-rules.service.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** A little more than the time after which dates are found anew. */
const NEXT = 3 * HOUR + 60;

/** The rules with their cases. */
const dateRules = Object.entries<DateCase>(DATE_CASES).map(([name, of]) => ({
  rule: demandKnown(name).rule,
  of,
}));

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

/** What runs out of these servers is found so many seconds from now, and judged. */
async function find(ids: readonly number[], ahead: number): Promise<void> {
  const now = Date.now() + ahead * 1000;
  await keepRunwayOf(house.db, ids, now);
  await house.db.run(sql`/* test.found_at */
    update matriarch.runway set made_at = ${new Date(now).toISOString()}::timestamptz
    where connection_id = any (${ids}::int[])`);
  await house.round({ now: now + 1000 });
}

const feed = (id: number, of: DateCase, { rows, ahead }: { rows: Row[]; ahead: number }) =>
  house.feed(id, of.probe, { rows, ago: -ahead, database_name: of.database_name ?? '' });

/** A server on which something runs out that many days from now. */
async function server(of: DateCase, left: number): Promise<number> {
  const id = await house.leased();
  if (of.beside) await house.feed(id, of.beside.probe, { rows: of.beside.rows, ago: 60 });
  for (let day = 0; day <= LAST_DAY; day += 1)
    await feed(id, of, { rows: of.rows(day, left), ahead: (day - LAST_DAY) * DAY - 60 });
  return id;
}

async function openOf(id: number, name: string) {
  const all = await house.alerts();
  return all.filter(
    (one) => one.connection_id === id && one.raised_by === `rule:${name}` && one.status !== 'cleared',
  );
}

/** As long as the date has to be there before somebody is told. */
async function fired(of: DateCase, left: number): Promise<number> {
  const id = await server(of, left);
  await find([id], 0);
  await feed(id, of, { rows: of.rows(LAST_DAY, left), ahead: NEXT - 60 });
  await find([id], NEXT);
  return id;
}

describe('a rule that judges a date', () => {
  it.for(dateRules.map((one) => [one.rule.name, one] as const))(
    '%s fires and clears',
    async ([name, { rule, of }]) => {
      const [soon, late] = [await server(of, rule.threshold - 1), await server(of, rule.threshold + 1.5)];
      const ids = [soon, late];
      await find(ids, 0);
      expect(await openOf(soon, name), 'one find is not enough').toEqual([]);
      for (const [id, left] of [
        [soon, rule.threshold - 1],
        [late, rule.threshold + 1.5],
      ] as const)
        await feed(id, of, { rows: of.rows(LAST_DAY, left), ahead: NEXT - 60 });
      await find(ids, NEXT);
      expect(await openOf(late, name)).toEqual([]);
      const [alert] = await openOf(soon, name);
      expect(alert).toMatchObject({
        severity: rule.severity,
        database_name: of.database_name ?? '',
        object_name: of.object ?? '',
        threshold_value: rule.threshold,
        title: expect.stringContaining(rule.title),
        description: expect.stringMatching(/ \d[.\d]* days?\b.* \(expected \d{4}-\d\d-\d\d/),
      });
      expect(alert?.metric_value).toBeGreaterThan(rule.threshold - 2);
      expect(alert?.metric_value).toBeLessThan(rule.threshold);
      const after = NEXT + (of.seenAfter ?? NEXT);
      for (const ahead of [after, after + NEXT]) {
        await feed(soon, of, { rows: of.mended, ahead: ahead - 60 });
        await find([soon], ahead);
        expect(await openOf(soon, name)).toHaveLength(ahead === after ? 1 : 0);
      }
    },
  );
});

const disk = DATE_CASES.disk_full_soon;
const NAME = 'disk_full_soon';
const GIB = 1024 ** 3;
const volume = (used: number, free: number): Row[] => [
  {
    mount_point: '/data',
    total_space: (used + free) * GIB,
    used_space: used * GIB,
    free_space: free * GIB,
  },
];

describe('while nobody can tell a date', () => {
  it('nothing clears: the disks are not collected any more, or what runs out is not found any more', async () => {
    const id = await fired(disk, 5);
    expect(await openOf(id, NAME)).toHaveLength(1);
    for (const days of [2, 3, 4]) await find([id], days * DAY);
    expect(await openOf(id, NAME)).toHaveLength(1);
    for (const days of [5, 6]) await house.round({ now: Date.now() + days * DAY * 1000 });
    expect(await openOf(id, NAME)).toHaveLength(1);
  });

  it('nothing fires of dates that were found too long ago', async () => {
    const id = await server(disk, 5);
    await find([id], 0);
    house.forget();
    await house.round({ now: Date.now() + 8 * HOUR * 1000 });
    expect(await openOf(id, NAME)).toEqual([]);
  });

  it('a disk that was cleaned clears only if it is far enough away at the pace of before', async () => {
    const pace = (day: number) => volume(40 + 10 * day, 20 + 10 * (LAST_DAY - day));
    const steep: DateCase = { ...disk, rows: pace };
    const ids = [await fired(steep, 2), await fired(steep, 2)] as const;
    const [little, much] = ids;
    for (const ahead of [2 * NEXT, 3 * NEXT]) {
      await feed(little, disk, { rows: volume(60, 50), ahead: ahead - 60 });
      await feed(much, disk, { rows: volume(5, 105), ahead: ahead - 60 });
      await find(ids, ahead);
    }
    // 50 GiB last for five days, 105 for ten.
    expect(await openOf(little, NAME)).toHaveLength(1);
    expect(await openOf(much, NAME)).toEqual([]);
  });

  it('what does not grow neither fires nor is said to be unknown', async () => {
    const id = await fired({ ...disk, rows: () => volume(89, 1) }, 0);
    expect(await openOf(id, NAME)).toEqual([]);
  });
});

it('dates are read in one statement, whatever the number of rules and servers', async () => {
  const ids = [await server(disk, 5), await server(disk, 5), await server(disk, 5)];
  house.forget();
  const counted = countedDb(house.db);
  await keepRunwayOf(house.db, ids, Date.now());
  await house.round({ db: counted });
  expect(counted.sent.filter((text) => text.includes('store.days_left'))).toHaveLength(1);
});
