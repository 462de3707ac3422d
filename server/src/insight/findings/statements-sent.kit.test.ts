// How many statements judging takes: at most three for each check of the catalog, and no more for many servers than for a few. All that
// the checks read is there, so that none of it is left out. Everyday all of them together, and each tenth by itself.

import { expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { isProof } from '../../testing/tier.ts';
import { checks } from '../checks/catalog.gen.ts';
import { columnsOf } from './collected-facts.service.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';

const { api, connection } = historyApi([findingsRoutes]);

const MOST_FOR_A_CHECK = 3;

it('all checks take at most three statements each, however many servers there are', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => connection()));
  const at = Date.now() - 5000;
  const wanted = [...columnsOf(checks).keys()];
  await collectedHistory(
    api().db,
    ids.flatMap((connection_id) =>
      wanted.map((probe) => ({
        ...{ connection_id, probe: probe.name, at, rows: [] },
        database_name: probe.level === 'D' ? 'shop' : '',
        ...(probe.keeps === 'change-tracked' && { history_by: [] }),
      })),
    ),
  );
  const { statements } = api();
  const ctx = {
    db: statements,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    principal: systemPrincipal('server'),
  };
  const sentFor = async (own: readonly number[], evaluated_at: number | null) => {
    statements.reset();
    const servers = own.map((connection_id) => ({ connection_id, cluster_id: null, evaluated_at }));
    expect(await evaluateFindings(ctx, { servers })).toMatchObject({ servers: own.length });
    return statements.sent.length;
  };
  // The first time tells the readers of days what there is.
  await sentFor(ids, null);
  const few = await sentFor(ids.slice(0, 2), Date.now());
  const all = await sentFor(ids, Date.now());
  expect(all).toBe(few);
  expect(await sentFor(ids, null)).toBeLessThanOrEqual(MOST_FOR_A_CHECK * checks.length);
  expect(all).toBeGreaterThan(wanted.length / 2);
  for (const check of checks.filter((_one, index) => isProof() || index % 10 === 0)) {
    statements.reset();
    const servers = ids.map((connection_id) => ({ connection_id, cluster_id: null, evaluated_at: null }));
    await evaluateFindings(ctx, { servers, checks: [check] });
    const own = statements.sent.filter(
      (text) => text.includes(' store.') && !text.includes('store.run_outcomes'),
    );
    expect({ check: check.name, most: own.length / columnsOf([check]).size }).toMatchObject({
      most: expect.toSatisfy((most: number) => most <= MOST_FOR_A_CHECK),
    });
  }
});
