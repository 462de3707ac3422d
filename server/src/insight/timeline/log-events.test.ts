// Grave events of logs on the timeline over HTTP: counted by minute and without texts, for those who see the server, and to those alone
// who ask for them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { timelineRoutes } from './timeline.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [timelineRoutes] });
});
afterAll(() => test.close());

it('are told by class and minute, and nothing of their texts', async () => {
  const connection_id = test.actors.own_connection;
  await test.db.run(sql`/* test.grave */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    )
    select
      ${connection_id}, r.at::timestamptz, r.class, 'ERROR', '', 'shop', 'app', '', '7', 'a secret text', '', '', '', '', '{}', false
    from (values
      ('2026-01-01T10:00:10Z', 'deadlock'), ('2026-01-01T10:00:40Z', 'deadlock'), ('2026-01-01T10:01:05Z', 'deadlock'),
      ('2026-01-01T10:00:20Z', 'panic'), ('2026-01-01T10:00:30Z', 'unique_violation'), ('2026-01-01T12:00:00Z', 'panic')
    ) r (at, class)`);
  const told = async (token: string, more = '&include=changes&event_types=log_event') => {
    const window = 'start_time=2026-01-01T10:00:00Z&end_time=2026-01-01T11:00:00Z';
    return test.call(`GET /api/v1/timeline/events?${window}${more}`, { token });
  };
  const { session } = test.actors.owner;
  const { body, text } = await told(session);
  expect(text).not.toContain('secret');
  expect(Object(body).total_count).toBe(3);
  const place = { event_type: 'log_event', connection_id };
  expect(Object(body).events).toMatchObject([
    { ...place, occurred_at: '2026-01-01T10:01:05.000Z', severity: 'warning', title: 'Deadlock' },
    {
      ...{ ...place, occurred_at: '2026-01-01T10:00:20.000Z', severity: 'critical', title: 'PANIC' },
      details: { class: 'panic', events: 1 },
    },
    {
      ...{ ...place, occurred_at: '2026-01-01T10:00:10.000Z', title: 'Deadlock, 2 in a minute' },
      details: { class: 'deadlock', events: 2 },
    },
  ]);
  const cut = Object((await told(session, '&include=changes&event_types=log_event&limit=1')).body);
  expect([cut.events.length, cut.total_count]).toEqual([1, 3]);
  expect(Object((await told((await makeUser(test.db)).session)).body).total_count).toBe(0);
  expect(Object((await told(session, '')).body).total_count).toBe(0);
  expect((await told(session, '&event_types=log_event')).status).toBe(400);
});
