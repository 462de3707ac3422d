// Findings on our own reading, from what the collector leaves in the store: what our role may not read, what runs less often to stay
// within the budget, what has read nothing for long; and that these go when it is mended.

import { expect, it } from 'vitest';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collected } from '../../testing/store/collected.ts';
import { checks } from '../checks/catalog.gen.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';

const { api, connection } = historyApi([findingsRoutes]);
const OURS = checks.filter(({ ofRuns }) => ofRuns);

async function judged(connection_id: number) {
  const principal = systemPrincipal('server');
  const ctx = {
    db: api().db,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    principal,
  };
  await evaluateFindings(ctx, { servers: [{ connection_id, cluster_id: null }], checks: OURS });
  return api().db.rows(sql`/* test.findings */
    select f.check_name, f.object_name, f.severity, f.figure, f.message, f.remedy
    from matriarch.findings f
    where f.connection_id = ${connection_id} and f.resolved_at is null
    order by f.check_name, f.object_name`);
}

it('are found from the store, and go', async () => {
  const connection_id = await connection();
  const of = (probe: string) => ({ connection_id, probe });
  const mend = 'grant pg_monitor to plain;';
  const skipped = { reason: 'The role plain may not read it.', mend, cause: 'missing_grant' as const };
  await collected(
    api().db,
    { ...of('pg_server_info'), rows: [{ server_version_num: 180_000 }] },
    ...['pg_stat_wal', 'pg_wal_directory', 'pg_roles', 'pg_tablespace', 'pg_database'].map((probe) => ({
      ...of(probe),
      skipped,
    })),
    {
      ...{ ...of('pg_sequence_usage'), database_name: 'shop\ndrop table t; --' },
      skipped: { ...skipped, mend: 'grant select on all sequences in schema public to plain;' },
    },
    { ...of('pg_wraparound'), at: Date.now() - 2 * HOUR_MS, rows: [] },
    { ...of('pg_wraparound'), failed: 'canceling statement due to statement timeout' },
    { ...of('pg_stat_activity'), rows: [] },
    // Older than its interval allows, and no more than a moment all the same.
    { ...of('pg_stat_progress'), at: Date.now() - 60_000, rows: [] },
  );
  const note = 'Slowed down to stay within the budget of 0.5 % of one core.';
  await api().db.run(sql`/* test.slowed */
    insert into matriarch.probe_costs (connection_id, probe, since, runs, total_ms, max_ms, rows, interval_seconds, note)
    values (${connection_id}, 'pg_stat_activity', now(), 1, 1, 1, 1, 60 * 8, ${note})`);
  expect(await judged(connection_id)).toMatchObject([
    {
      check_name: 'probe_not_permitted',
      object_name: '6 probes',
      severity: 'warning',
      figure: 6,
      // One block, whose lines are statements or comments.
      remedy: `${mend}\n-- In database "shop?drop table t; --":\ngrant select on all sequences in schema public to plain;`,
    },
    { check_name: 'probe_slowed_down', object_name: 'pg_stat_activity', severity: 'info', figure: 8 },
    {
      ...{ check_name: 'readings_missing', object_name: 'pg_wraparound', severity: 'warning' },
      message:
        'Probe "pg_wraparound" has collected no data for 2 h: canceling statement due to statement timeout',
    },
  ]);

  await collected(
    api().db,
    ...['pg_stat_wal', 'pg_wal_directory', 'pg_roles', 'pg_tablespace', 'pg_database', 'pg_wraparound'].map(
      (probe) => ({ ...of(probe), rows: [] }),
    ),
    { ...of('pg_sequence_usage'), database_name: 'shop\ndrop table t; --', rows: [] },
  );
  await api().db.run(
    sql`/* test.as_set */ delete from matriarch.probe_costs where connection_id = ${connection_id}`,
  );
  expect(await judged(connection_id)).toEqual([]);
});

it('databases that are closed to us for one reason are one finding', async () => {
  const connection_id = await connection();
  const because = (database: string) => `A reject line keeps plain out of ${database} from here.`;
  await collected(api().db, {
    connection_id,
    probe: 'pg_server_info',
    rows: [{ server_version_num: 180_000 }],
  });
  for (const database_name of ['payroll', 'stock'])
    for (const probe of ['pg_extension', 'pg_stat_all_tables', 'pg_stat_all_indexes'])
      await collected(api().db, { connection_id, probe, database_name, failed: because(database_name) });
  expect(await judged(connection_id)).toMatchObject([
    {
      ...{ check_name: 'readings_missing', object_name: '2 databases', severity: 'info' },
      message: `No data have been collected from 2 databases so far: ${because('payroll')}`,
    },
  ]);
});

it('a server of which nothing is read any more is one finding', async () => {
  const connection_id = await connection();
  for (const probe of ['pg_server_info', 'pg_stat_activity', 'pg_database'])
    await collected(
      api().db,
      { connection_id, probe, at: Date.now() - 5 * HOUR_MS, rows: [] },
      { connection_id, probe, failed: 'The server does not answer.' },
    );
  expect(await judged(connection_id)).toMatchObject([
    {
      check_name: 'readings_missing',
      object_name: '',
      message: 'No data have been collected from this server for 5 h.',
    },
  ]);
});
