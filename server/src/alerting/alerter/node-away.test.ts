// A node of the datastore that does not answer: what the others hold is read, judged and shown, and the rest says why. On the stand-in
// of Citus, in whose words a real server fails what needs that node.
import { expect, it, onTestFinished } from 'vitest';
import { examine } from '../../estate/estate/doctor.service.ts';
import { estateHistory } from '../../estate/estate/estate-history.ts';
import type { Ctx } from '../../identity/access/principal.ts';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { evaluateDue } from '../../insight/findings/due.service.ts';
import { objectSource } from '../../insight/timeline/object-events.ts';
import { systemClock } from '../../kernel/clock.ts';
import { NodeAway } from '../../kernel/db.ts';
import { claimJob } from '../../kernel/jobs.queries.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import { alerting } from '../../testing/store/alerting.ts';
import { installStandIn, nodeAnswers, onlyWhereNodesAnswer } from '../../testing/store/store-extensions.ts';

it('keeps no server of the other nodes from being judged and shown', async () => {
  const database = await testDatabase({ choosesEngine: true });
  await installStandIn(database.db, 'citus', 'public');
  await openEngine(database.db);
  const house = await alerting({ hasTables: true, database });
  onTestFinished(() => house.close());
  const { db } = house;
  const [here, there] = [await house.leased(), await house.leased()];
  for (const id of [here, there])
    for (const [ago, deadlocks] of [
      [600, 0],
      [300, 0],
      [20, 7],
    ] as const) {
      const rows = [{ datid: 5, datname: 'shop', deadlocks, xact_commit: 900 - ago, xact_rollback: 0 }];
      await house.feed(id, 'pg_stat_database', { ago, rows });
    }
  const table = (relid: number) => ({ relid, schemaname: 'public', relname: `t${relid}`, n_live_tup: 100 });
  for (const id of [here, there])
    for (const [ago, ...relids] of [
      [700, 1, 2],
      [400, 1],
    ] as const)
      await house.feed(id, 'pg_stat_all_tables', { ago, database_name: 'shop', rows: relids.map(table) });
  await onlyWhereNodesAnswer(db);
  await nodeAnswers(db, false);

  await expect(db.rows(sql`select * from metrics.pg_stat_database`)).rejects.toThrow(NodeAway);
  const deadlocks = async () =>
    (await house.alerts())
      .filter(({ raised_by }) => raised_by === 'rule:deadlocks_detected')
      .map(({ connection_id }) => connection_id);
  expect(await house.round()).toMatchObject({ silent: 1 });
  expect(await deadlocks()).toEqual([here]);
  expect(await house.round()).toMatchObject({ silent: 1, fired: 0 });

  const now = Date.now();
  const { servers } = await estateHistory(db, { connection_ids: [here, there], now });
  expect(servers).toMatchObject([
    { connection_id: here, transactions: { per_second: expect.any(Number), reason: null } },
    {
      connection_id: there,
      transactions: {
        per_second: null,
        reason: 'The node of the datastore that keeps the metrics of this server does not answer.',
      },
    },
  ]);
  const seen = (id: number) => ({
    id,
    name: `c${id}`,
    primary_role: null,
    started_at: null,
    is_monitored: true,
    is_embedded: false,
  });
  const told = await objectSource(db, {
    servers: new Map([here, there].map((id) => [id, seen(id)])),
    types: new Set(['table_dropped']),
    ...{ from: now - 900_000, to: now, now, limit: 10 },
  });
  expect(told.events).toMatchObject([{ connection_id: here, title: 'Table t2 dropped' }]);
  expect(told.incomplete).toEqual([
    {
      event_type: 'table_dropped',
      reason: 'Without c2: the node of the datastore that keeps the metrics does not answer.',
    },
  ]);

  const principal = systemPrincipal('server');
  const { signal } = new AbortController();
  const ctx: Ctx = { db, log: silentLog, clock: systemClock, signal, principal };
  const claim = { name: 'findings', owner: 'test', every_seconds: 0, lease_seconds: 3600 };
  const { epoch } = await db.one<{ epoch: number }>(claimJob(claim));
  await expect(evaluateDue(ctx, { name: 'findings', epoch })).rejects.toThrow(
    'Of 1 server they are not: the node of the datastore that keeps their metrics does not answer.',
  );
  const judged = sql`/* test.judged */ select connection_id from matriarch.finding_runs`;
  expect(await db.rows(judged)).toEqual([{ connection_id: here }]);
  expect(await examine(ctx, async () => new Map())).toContainEqual({
    status: 'failed',
    subject: 'datastore',
    message: expect.stringMatching(/^PostgreSQL 1\d.*\. A node of the datastore does not answer, /),
    mend: null,
  });

  // Back again, what came meanwhile is judged within a minute.
  await nodeAnswers(db, true);
  await house.round();
  expect(await house.round({ now: Date.now() + 61_000 })).toMatchObject({ silent: 0 });
  expect(await deadlocks()).toEqual([here, there]);
});
