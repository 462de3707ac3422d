// The evidence of an alert over HTTP, of samples that the test wrote.

import { expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { historyApi, iso } from '../../testing/history-api.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import type { AlertEvidence } from './alert-evidence.contract.ts';
import { alertEvidenceRoutes } from './alert-evidence.routes.ts';

type Evidence = Static<typeof AlertEvidence>;

const { api, T, connection } = historyApi([alertEvidenceRoutes]);

interface Fired {
  connection_id: number;
  /** None: of a server that cannot be reached. */
  rule?: string;
  object_name?: string;
  /** After T. */
  at: number;
}

async function alertOf({ connection_id, rule, object_name = '', at }: Fired): Promise<number> {
  const raised_by = rule === undefined ? 'connection' : `rule:${rule}`;
  const { id } = await api().db.one<{ id: number }>(sql`/* test.alert */
    insert into matriarch.alerts (
      alert_type, raised_by, rule_id, connection_id, object_name, metric_name, operator, threshold_value, threshold_source,
      severity, title, description, triggered_at, last_updated
    )
    values (
      'threshold', ${raised_by}, (select r.id from matriarch.alert_rules r where r.name = ${rule ?? ''}),
      ${connection_id}, ${object_name}, 'm', '>', 80, 'cluster', 'warning', 't', 'd',
      ${iso(T + at)}::timestamptz, now()
    )
    returning id`);
  return id;
}

const ask = (id: number, token = api().actors.owner.session) =>
  api().call(`GET /api/v1/alerts/${id}/evidence`, { token });

async function evidence(id: number): Promise<Evidence> {
  const { status, text, body } = await ask(id);
  expect(status, text).toBe(200);
  return body as Evidence;
}

const session = (pid: number): Row => ({
  pid,
  datname: 'shop',
  usename: 'app',
  backend_type: 'client backend',
  state: 'active',
  query: `query ${pid}`,
  query_start: iso(T),
});

const disk = (mount_point: string, used_space: number): Row => ({
  mount_point,
  total_space: 100,
  used_space,
  free_space: 100 - used_space,
});

it('tells values of the very thing, the threshold, sessions of the moment and what had changed', async () => {
  const id = await connection();
  const run = (probe: string, at: number, rows: readonly Row[]) => ({
    connection_id: id,
    probe,
    at: T + at,
    rows,
  });
  const samples = [0, 10, 20].map((minute) =>
    run('pg_sys_disk_info', minute * MINUTE_MS, [disk('/data', 70 + minute), disk('/wal', 99)]),
  );
  const settings = (work_mem: string): Row[] => [{ name: 'work_mem', setting: work_mem, unit: 'kB' }];
  const look = (minute: number, work_mem: string) =>
    collected(api().db, {
      ...run('pg_settings', minute * MINUTE_MS, settings(work_mem)),
      history_by: ['name'],
    });
  await look(-120, '4096');
  await look(-30, '8192');
  await collectedHistory(api().db, [
    ...samples,
    run(
      'pg_stat_activity',
      20 * MINUTE_MS - 20 * SECOND_MS,
      Array.from({ length: 30 }, (_, n) => session(n + 1)),
    ),
  ]);
  const at = 20 * MINUTE_MS + SECOND_MS;
  const found = await evidence(
    await alertOf({ connection_id: id, rule: 'disk_usage_percent', object_name: '/data', at }),
  );
  expect(found.at).toBe(iso(T + at));
  expect(found.threshold).toEqual({ operator: '>', value: 80, source: 'cluster' });
  expect(found.values.reason).toBeNull();
  expect(found.values.values?.filter((value) => value !== null)).toEqual([70, 80, 90]);
  expect(found.values.values?.length).toBeLessThanOrEqual(300);
  expect(found.sessions).toMatchObject({ reason: null, total_count: 30 });
  expect(found.sessions.rows).toHaveLength(20);
  expect(found.locks).toMatchObject({ as_of: null, reason: expect.stringMatching(/./), nodes: null });
  expect(found.changes).toMatchObject({
    start_time: iso(T + at - 60 * MINUTE_MS),
    end_time: iso(T + at),
    server_count: 1,
  });
  const changed = found.changes.kinds.find(({ event_type }) => event_type === 'config_change');
  expect(changed).toMatchObject({ total_count: 1, events: [{ connection_id: id }] });
});

it('says why there is nothing, and is not there for whoever may not see the server', async () => {
  const id = await connection();
  const nothing = await evidence(
    await alertOf({ connection_id: id, rule: 'disk_usage_percent', object_name: '/x', at: 0 }),
  );
  expect(nothing.values).toMatchObject({
    reason: 'No samples of this metric are kept of that time.',
    values: null,
  });
  expect(nothing.sessions).toMatchObject({ as_of: null, reason: expect.stringMatching(/./), rows: null });
  const alert = await alertOf({ connection_id: id, at: MINUTE_MS });
  expect((await evidence(alert)).values.reason).toBe('This alert is not about a metric of a rule.');
  expect((await ask(alert, api().actors.other.session)).status).toBe(404);
  expect((await ask(2_000_000_000)).status).toBe(404);
});
