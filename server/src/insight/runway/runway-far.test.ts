// Dates that are far away: of a disk whose single readings are kept for a week, from the rollups of a month.

import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { probe as disk } from '../../probes/pg-sys-disk-info.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { runMaintenance } from '../../store/upkeep/maintenance.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collectedHistory } from '../../testing/store/collected.ts';
import { keepRunwayOf } from './keep.service.ts';
import { runwayRoutes } from './runway.routes.ts';

const { api, connection } = historyApi([runwayRoutes]);

const GIB = 1024 ** 3;
const DAYS = 28;

it('a disk that is full in two hundred days has that date, after its readings of more than a week ago are gone', async () => {
  const id = await connection();
  const { db, actors } = api();
  const newest = Date.now() - 10 * 60_000;
  const growth = 0.2 * GIB;
  await db.run(sql`
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
      values (${disk.name}, ${disk.intervalSeconds}, ${2 * DAYS})
      on conflict (probe_name) do update set default_retention_days = excluded.default_retention_days`);
  await runMaintenance({ db, probes: [disk], now: Date.now() });
  await collectedHistory(
    db,
    Array.from({ length: DAYS }, (_none, day) => {
      const used = Math.round(60 * GIB - (DAYS - 1 - day) * growth);
      return {
        ...{ connection_id: id, probe: disk.name, at: newest - (DAYS - 1 - day) * DAY_MS },
        rows: [
          { mount_point: '/data', total_space: 100 * GIB, used_space: used, free_space: 100 * GIB - used },
        ],
      };
    }),
  );
  const layout = layoutOf(disk);
  if (!layout) throw new Error('disks are kept');
  const report = await runCompaction({ db, layouts: [layout], now: Date.now() });
  expect(report).toMatchObject({ problems: [], hours: DAYS - 1 });
  // As retention drops it, day by day.
  await db.run(sql`
    delete from metrics.pg_sys_disk_info__packed p
    where p.connection_id = ${id} and p.collected_at < now() - make_interval(days => ${disk.retentionDays}::int)`);
  const { oldest } = await db.one<{ oldest: number }>(sql`
    select extract(day from now() - min(r.collected_at))::int as oldest
    from (
      select s.collected_at from metrics.pg_sys_disk_info s where s.connection_id = ${id}
      union all
      select p.collected_at from metrics.pg_sys_disk_info__packed p where p.connection_id = ${id}
    ) r`);
  expect(oldest).toBeGreaterThan(4);
  expect(oldest).toBeLessThan(10);
  await keepRunwayOf(db, [id], Date.now());
  const { body, text } = await api().call(`GET /api/v1/runway?connection_id=${id}&kind=disk`, {
    token: actors.owner.session,
  });
  expect(body, text).toMatchObject({ items: [{ state: 'runs_out', object_name: '/data' }] });
  const { items } = body as { items: { runs_out_at: string }[] };
  const days = (Date.parse(items[0]?.runs_out_at ?? '') - Date.now()) / DAY_MS;
  expect(days).toBeGreaterThan(190);
  expect(days).toBeLessThan(210);
});
