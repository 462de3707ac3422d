// Questions answered by rules: what there is to ask, windows, and alerts. Of a real server under load: answers.proof.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { answersRoutes } from './answers.routes.ts';
import type { Answer } from './answers.schemas.ts';

type AnswerBody = Static<typeof Answer>;

it('lists its questions, and refuses windows that it cannot read', async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [answersRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const { body } = await api.call('GET /api/v1/questions', { token });
  expect(body).toMatchObject([
    { question: 'what_is_wrong', hours: 1 },
    { question: 'what_changed', hours: 24 },
    { question: 'who_blocks_whom', hours: 1 },
    { question: 'what_is_slow', hours: 1 },
    { question: 'what_runs_out', hours: 24 },
  ]);
  const { id } = await house.db.one<{ id: number }>(sql`/* test.connection */
    insert into matriarch.connections (owner_id, name, host, port, database_name, username)
    values (1, 'quiet', 'db.example.com', 5432, 'postgres', 'matriarch')
    returning id`);
  const statusOf = async (question: string, query: string) =>
    (await api.call(`GET /api/v1/connections/${id}/answers/${question}?${query}`, { token })).status;
  expect(await statusOf('what_is_wrong', '')).toBe(200);
  expect(await statusOf('why', '')).toBe(400);
  expect(
    await statusOf('what_changed', 'start_time=2026-01-01T00:00:00Z&end_time=2026-03-01T00:00:00Z'),
  ).toBe(400);
  expect(
    await statusOf('what_changed', 'start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z'),
  ).toBe(400);
  expect(await statusOf('what_changed', 'end_time=never')).toBe(400);
});

it('tells the alerts that were open in the window, also those that opened before it, and no others', async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [answersRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const { id } = await house.db.one<{ id: number }>(sql`/* test.connection */
    insert into matriarch.connections (owner_id, name, host, port, database_name, username)
    values (1, 'alerted', 'db.example.com', 5432, 'postgres', 'matriarch')
    returning id`);
  const at = (hour: number) => `2026-01-10T${String(hour).padStart(2, '0')}:30:00Z`;
  const alerts: [string, string, string | null][] = [
    ['long before, still open', '2026-01-02T00:00:00Z', null],
    ['before, cleared within', at(8), at(10)],
    ['before, cleared after', at(8), at(14)],
    ['before, cleared before', at(7), at(8)],
    ['within, cleared within', at(10), at(11)],
    ['after', at(13), null],
    ['longer ago than is looked', '2025-12-01T00:00:00Z', null],
  ];
  // Alerts of one kind and severity stand there once, so that each has its own.
  const kinds = ['threshold', 'anomaly', 'connection'].flatMap((type) =>
    ['warning', 'info', 'critical'].map((severity) => [type, severity] as const),
  );
  for (const [index, [title, triggered_at, cleared_at]] of alerts.entries())
    await house.db.run(sql`/* test.alert */
      insert into matriarch.alerts
        (alert_type, raised_by, object_name, connection_id, severity, title, description, status, triggered_at, cleared_at, last_updated)
      values (${kinds[index]?.[0]}, ${title}, ${title}, ${id}, ${kinds[index]?.[1]}, ${title}, 'x', ${cleared_at === null ? 'active' : 'cleared'},
        ${triggered_at}, ${cleared_at}, ${triggered_at})`);
  const path = `GET /api/v1/connections/${id}/answers/what_is_wrong?start_time=2026-01-10T10:00:00Z&end_time=2026-01-10T12:00:00Z`;
  const { status, text, body } = await api.call(path, { token });
  expect(status, text).toBe(200);
  const told = (body as AnswerBody).points.filter(({ kind }) => kind === 'alert');
  expect(told.map(({ says }) => says).sort()).toEqual([
    'before, cleared after: x',
    'before, cleared within: x',
    'long before, still open: x',
    'within, cleared within: x',
  ]);
});
