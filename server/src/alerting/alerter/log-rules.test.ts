// Rules that judge the log fire and clear by what was counted of it, and keep quiet, or stay as they are, while nobody knows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { logged as LOG_CASES } from '../../testing/scenes/of-rules.gen.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import type { LogCase } from '../../testing/store/log-case-rows.ts';
import { logged, looked } from '../../testing/store/logged.ts';
import { demandKnown } from '../alert-rules/known-rules.service.ts';

/** The rules with their cases. */
const logRules = Object.entries<LogCase>(LOG_CASES).map(([name, of]) => ({
  rule: demandKnown(name).rule,
  of,
}));

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

async function openOf(id: number, name: string) {
  const all = await house.alerts();
  return all.filter(
    (one) => one.connection_id === id && one.raised_by === `rule:${name}` && one.status !== 'cleared',
  );
}

const began = Date.now();

/** The log of these servers is looked at so many milliseconds from now, and judged. */
async function judge(ids: readonly number[], ahead: number, more: object = {}): Promise<void> {
  const at = began + ahead;
  for (const connection_id of ids) await looked(house.db, { connection_id, at, ...more });
  await house.round({ now: at + 1000 });
}

/** A server with a usual day behind it. */
async function server(of: LogCase): Promise<number> {
  const id = await house.leased();
  if (of.usual)
    for (let hour = 1; hour <= 25; hour += 1)
      await logged(house.db, { connection_id: id, at: began - hour * HOUR_MS - 20 * MINUTE_MS }, of.usual);
  return id;
}

const log = (id: number, ahead: number, what: LogCase['bad']) =>
  logged(house.db, { connection_id: id, at: began + ahead }, what);

describe('a rule that judges the log', () => {
  it.for(logRules.map((one) => [one.rule.name, one] as const))(
    '%s fires and clears',
    async ([name, { rule, of }]) => {
      const [troubled, well] = [await server(of), await server(of)];
      const ids = [troubled, well];
      house.forget();
      await judge(ids, -2 * MINUTE_MS);
      expect(await openOf(troubled, name)).toEqual([]);
      // Read late: it occurred before the last look.
      await log(troubled, -2.5 * MINUTE_MS, of.bad);
      await log(well, -2.5 * MINUTE_MS, of.good);
      await judge(ids, 0);
      const lasts = (rule.lastsSeconds ?? 0) * 1000;
      if (lasts > 0) {
        expect(await openOf(troubled, name)).toEqual([]);
        await judge(ids, lasts);
      }
      expect(await openOf(well, name)).toEqual([]);
      expect(await openOf(troubled, name)).toMatchObject([
        {
          severity: rule.severity,
          database_name: '',
          object_name: of.object ?? '',
          threshold_value: rule.threshold,
          title: expect.stringContaining(rule.title),
        },
      ]);
      for (const n of [1, 2]) await judge(ids, HOUR_MS + n * MINUTE_MS);
      expect(await openOf(troubled, name)).toEqual([]);
    },
  );

  const panic = LOG_CASES.log_panic.bad;

  it('fires while reading is behind, and clears nothing until all is read', async () => {
    const id = await house.leased();
    house.forget();
    await log(id, -MINUTE_MS, panic);
    await judge([id], 0, { until: began - MINUTE_MS });
    expect(await openOf(id, 'log_panic')).toHaveLength(1);
    for (const n of [1, 2, 3]) await judge([id], HOUR_MS + n * MINUTE_MS, { until: began });
    expect(await openOf(id, 'log_panic')).toHaveLength(1);
    for (const n of [4, 5]) await judge([id], HOUR_MS + n * MINUTE_MS);
    expect(await openOf(id, 'log_panic')).toEqual([]);
  });

  it('is silent of a log that cannot be read, and keeps what is open', async () => {
    const id = await house.leased();
    house.forget();
    await log(id, -MINUTE_MS, panic);
    await judge([id], 0, { format: null });
    expect(await openOf(id, 'log_panic')).toEqual([]);
    await judge([id], MINUTE_MS);
    expect(await openOf(id, 'log_panic')).toHaveLength(1);
    for (const n of [1, 2, 3]) await judge([id], HOUR_MS + n * MINUTE_MS, { format: null });
    // Nobody looks any more.
    await house.round({ now: began + 3 * HOUR_MS });
    expect(await openOf(id, 'log_panic')).toHaveLength(1);
  });

  it('knows nothing usual before a day was read', async () => {
    const { bad, usual } = LOG_CASES.log_errors_above_usual;
    const id = await server({ bad, good: bad, ...(usual && { usual }) });
    house.forget();
    await log(id, -MINUTE_MS, bad);
    await judge([id], 0, { since: began - DAY_MS });
    expect(await openOf(id, 'log_errors_above_usual')).toEqual([]);
    await judge([id], MINUTE_MS);
    const [alert] = await openOf(id, 'log_errors_above_usual');
    expect(alert).toMatchObject({ title: 'Errors above the usual: "unique_violation"' });
    expect(alert?.description).toContain('101 in the last hour, usually 20 an hour');
  });

  it('follows from the rule that reads the same in statistics', async () => {
    const id = await house.leased();
    house.forget();
    await house.feed(id, 'pg_stat_wal', { rows: [{ failed_count: 1 }], at: began - 11 * MINUTE_MS });
    await house.feed(id, 'pg_stat_wal', { rows: [{ failed_count: 2 }], at: began - MINUTE_MS });
    await log(id, -11 * MINUTE_MS, LOG_CASES.log_archive_failed.bad);
    await judge([id], -10 * MINUTE_MS);
    await judge([id], 0);
    const [statistics] = await openOf(id, 'wal_archive_failed');
    expect(statistics?.cause_id).toBeNull();
    expect(await openOf(id, 'log_archive_failed')).toMatchObject([{ cause_id: statistics?.id }]);
  });

  it('takes four statements for all of them, whatever the number of servers', async () => {
    const ids = [await house.leased(), await house.leased(), await house.leased()];
    house.forget();
    await judge(ids, 0);
    const counted = countedDb(house.db);
    for (const connection_id of ids) await looked(house.db, { connection_id, at: began + MINUTE_MS });
    await house.round({ db: counted, now: began + MINUTE_MS + 1000 });
    const own = counted.sent.filter((text) => /store\.(known_logs|log_)/.test(text));
    expect(own.length).toBeLessThanOrEqual(4);
    expect(own.length).toBeGreaterThan(1);
  });
});
