// Alerts on the timeline over HTTP: fired, acknowledged and cleared, as they were at that time.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { clearAlerts, insertFired } from '../../alerting/alerter/changes.queries.ts';
import { alertsRoutes } from '../../alerting/alerts/alerts.routes.ts';
import { alertsFired } from '../../alerting/alerts/fired.queries.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { timelineRoutes } from './timeline.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertsRoutes, timelineRoutes] });
});
afterAll(() => test.close());

it('tells what happened to alerts, to those who see the server', async () => {
  const connection_id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const [fired] = await insertFired(test.db, [
    {
      alert_type: 'threshold',
      raised_by: 'rule:disk_usage_percent',
      rule_id: null,
      connection_id,
      database_name: 'shop',
      object_name: '/data',
      probe_name: 'pg_sys_disk_info',
      metric_name: 'pg_sys_disk_info.used_percent',
      metric_value: 90,
      metric_unit: 'percent',
      operator: '>',
      threshold_value: 80,
      threshold_source: 'built_in',
      severity: 'critical',
      title: 'A disk fills up',
      description: 'Nearly full.',
      sampled_at: '2026-01-01T00:00:00Z',
    },
  ]);
  const alert_id = fired?.id ?? expect.fail('it did not fire');
  const { session: token, username } = test.actors.owner;
  const body = { alert_id, message: 'Known.', false_positive: true };
  await test.call('POST /api/v1/alerts/acknowledge', { token, body });
  await clearAlerts(test.db, [{ id: alert_id, message: 'The rule was switched off here.' }]);
  const window = `start_time=${new Date(Date.now() - 60_000).toISOString()}&end_time=2199-01-01T00:00:00Z`;
  const told = async (as: string, more = '') =>
    Object((await test.call(`GET /api/v1/timeline/events?${window}${more}`, { token: as })).body);
  const { events, total_count } = await told(token);
  expect(total_count).toBe(3);
  expect(events).toMatchObject([
    {
      id: `alert-cleared-${alert_id}`,
      event_type: 'alert_cleared',
      severity: 'info',
      title: 'Cleared: A disk fills up',
      summary: expect.stringMatching(/^The alert lasted \d+ s\. The rule was switched off here\.$/),
      details: { alert_id, original_severity: 'critical', duration_seconds: expect.any(Number) },
    },
    {
      event_type: 'alert_acknowledged',
      severity: 'info',
      details: {
        acknowledged_by: username,
        acknowledge_type: 'false_positive',
        false_positive: true,
        message: 'Known.',
        original_severity: 'critical',
        alert_title: 'A disk fills up',
      },
    },
    {
      id: `alert-fired-${alert_id}`,
      event_type: 'alert_fired',
      severity: 'critical',
      summary: 'Nearly full.',
      details: { alert_id, metric_value: 90, threshold_value: 80, operator: '>', database_name: 'shop' },
    },
  ]);
  expect(await told(token, '&limit=1')).toMatchObject({
    events: [{ event_type: 'alert_cleared' }],
    total_count: 3,
  });
  expect((await told(token, '&event_types=alert_fired')).total_count).toBe(1);
  // About the own work of Matriarch: under its name, and under no server.
  await test.db.rows(sql`update matriarch.alerts set raised_by = 'channel:7' where id = ${alert_id}`);
  const own = await told(token, '&event_types=alert_fired');
  expect(own.events).toMatchObject([{ connection_id: 0, server_name: 'Matriarch', details: { alert_id } }]);
  expect((await told(token, `&connection_id=${connection_id}`)).total_count).toBe(0);
  const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2199-01-01T00:00:00Z' };
  expect(await alertsFired(test.db, { connection_ids: [connection_id], ...times, limit: 9 })).toEqual([]);
  const stranger = await makeUser(test.db);
  expect((await told(stranger.session)).total_count).toBe(0);
});
