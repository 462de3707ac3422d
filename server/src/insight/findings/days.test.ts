// The last day beside the day before, of readings that the test wrote: found with the right figures, and unknown where nothing was kept.

import { expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { Facts } from '../checks/facts.ts';
import { check as slower } from '../checks/statement-slower.ts';
import { check as uncounted } from '../checks/statements-not-counted.ts';
import { readDays } from './days.service.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';

const { api, connection } = historyApi([findingsRoutes]);

/** An hour of readings from `start` on, in which each call takes so many milliseconds. */
function hourOf(at: { id: number; start: number; from: number }, rates: Record<string, number>) {
  return Array.from({ length: 13 }, (_none, n) => ({
    connection_id: at.id,
    probe: 'pg_stat_statements',
    database_name: 'shop',
    at: at.start + n * 5 * MINUTE_MS,
    rows: Object.entries(rates).map(([queryid, mean]) => ({
      userid: 1,
      dbid: 2,
      toplevel: true,
      queryid,
      username: 'ada',
      calls: at.from + n * 100,
      total_exec_time: (at.from + n * 100) * mean,
    })),
  }));
}

it('finds the statement that became slower, and says nothing where only one day was kept', async () => {
  const [both, fresh] = [await connection(), await connection()];
  const now = Date.now();
  const end = Math.floor(now / HOUR_MS) * HOUR_MS;
  await collectedHistory(api().db, [
    ...hourOf({ id: both, start: end - 30 * HOUR_MS, from: 0 }, { '1': 20, '2': 50 }),
    ...hourOf({ id: both, start: end - 3 * HOUR_MS, from: 0 }, { '1': 100, '2': 50 }),
    ...hourOf({ id: fresh, start: end - 3 * HOUR_MS, from: 0 }, { '1': 100 }),
  ]);
  const servers = [both, fresh].map((connection_id) => ({ connection_id, cluster_id: null }));
  const days = await readDays(api().db, { servers, checks: [slower], now });
  const judged = (id: number) =>
    slower.judge(new Facts({ now, readings: new Map(), days: days.get(id) ?? new Map() }));
  expect(judged(both).found).toMatchObject([
    {
      database_name: 'shop',
      object_name: 'statement 1',
      severity: 'warning',
      figure: { value: expect.closeTo(100, 6), promised: expect.closeTo(20, 6) },
    },
  ]);
  expect(judged(fresh)).toEqual({
    found: [],
    unknown: [{ because: expect.stringContaining('Comparing needs readings of two days'), mend: null }],
  });
});

it('reads the days once an hour, and what was unknown of them stays until then', async () => {
  const id = await connection();
  const { statements } = api();
  const ctx = {
    db: statements,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    principal: systemPrincipal('server'),
  };
  const checks = [slower, uncounted];
  const unknown = async () => {
    const { names } = await api().db.one<{ names: string[] }>(sql`
      select array_agg(u ->> 'check_name' order by u ->> 'check_name') as names
      from matriarch.finding_runs r
      cross join lateral jsonb_array_elements(r.unknown) u
      where r.connection_id = ${id}`);
    return names;
  };
  const judge = (evaluated_at: number | null) =>
    evaluateFindings(ctx, { servers: [{ connection_id: id, cluster_id: null, evaluated_at }], checks });
  await judge(null);
  expect(await unknown()).toEqual(['statement_slower', 'statements_not_counted']);
  const now = Date.now();
  for (const [evaluated_at, isRead] of [
    [now, false],
    [now - HOUR_MS, true],
  ] as const) {
    const days = await readDays(api().db, {
      servers: [{ connection_id: id, cluster_id: null, evaluated_at }],
      checks,
      now,
    });
    expect(days.has(id)).toBe(isRead);
    await judge(evaluated_at);
    expect(await unknown()).toEqual(['statement_slower', 'statements_not_counted']);
  }
});
