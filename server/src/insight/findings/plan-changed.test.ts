// Plans from one evaluation to the next, through the store: kept, compared, found, and gone with a plan that is as fast as the first.

import { expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { check } from '../checks/plan-changed.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';

const { api, connection } = historyApi([findingsRoutes]);

interface Seen {
  plan: string;
  calls: number;
  time_ms: number;
}

async function collected(connection_id: number, ago: number, { plan, calls, time_ms }: Seen): Promise<void> {
  const at = Date.now() - ago;
  const run = { connection_id, database_name: 'shop', at };
  const advice = { role: 'matriarch', statements: [{ queryid: '7', plan, calls, time_ms }], candidates: [] };
  const table = { relid: 1, schemaname: 'public', relname: 'orders', table_bytes: 20_000_000, advice };
  await collectedHistory(api().db, [
    { ...run, probe: 'pg_index_advice', rows: [table] },
    {
      ...{ ...run, probe: 'pg_costly_statements' },
      rows: [{ dbid: 1, userid: 1, queryid: '7', calls, total_exec_time: time_ms }],
    },
    {
      ...{ ...run, probe: 'pg_server_info', database_name: '' },
      rows: [{ server_version: '18.0', server_version_num: 180_000, is_in_recovery: false }],
      history_by: [],
    },
  ]);
}

it('is found after the plan changed and its statement got slower, resolved and confirmed by a better plan', async () => {
  const id = await connection();
  const { statements, db } = api();
  const ctx = {
    db: statements,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    principal: systemPrincipal('server'),
  };
  const judge = async (ago: number, seen: Seen) => {
    await collected(id, ago, seen);
    await evaluateFindings(ctx, { servers: [{ connection_id: id, cluster_id: null }], checks: [check] });
    return db.rows(sql`
      select f.message, f.figure, f.promised, f.remedy, f.proof, f.resolved_at is null as is_open, f.figure_after
      from matriarch.findings f
      where f.connection_id = ${id}`);
  };
  const fast = { plan: 'Index Scan on orders using a', calls: 1000, time_ms: 1000 };
  expect(await judge(4000, fast)).toEqual([]);
  const slow = { plan: 'Seq Scan on orders', calls: 1100, time_ms: 3000 };
  expect(await judge(3000, slow)).toMatchObject([
    {
      message: expect.stringMatching(
        /^Statement 7 takes 20 ms since its plan changed at .* UTC\. It took 1 ms/,
      ),
      ...{ figure: 20, promised: 1, is_open: true, remedy: 'analyze "public"."orders";' },
    },
  ]);
  const again = { plan: 'Index Scan on orders using b', calls: 1200, time_ms: 3100 };
  expect(await judge(2000, again)).toMatchObject([{ is_open: false, proof: 'confirmed', figure_after: 1 }]);
});
