// Windows at the ends of time and of what a date can be: an answer or a refusal in words, never a failure of the server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';

let test: TestApi;
let id: number;
beforeAll(async () => {
  test = await startTestApi();
  const body = { name: 'odd', host: '127.0.0.1', port: 1, database_name: 'd', username: 'u', password: 'p' };
  const made = await test.call('POST /api/v1/connections', { token: test.actors.superuser.session, body });
  expect(made.status, made.text).toBe(201);
  id = Number(Object(made.body).id);
});
afterAll(() => test.close());

it.each([
  ['0000-01-01T00:00:00Z', '0000-06-01T00:00:00Z'],
  ['0000-01-01T00:00:00+23:59', '0000-01-02T00:00:00Z'],
  ['9999-12-31T00:00:00Z', '9999-12-31T23:59:59-23:59'],
  ['2026-06-30T23:59:60Z', '2026-07-01T00:00:00Z'],
  ['2026-06-30t00:00:00z', '2026-07-01t00:00:00z'],
])('%s to %s', async (start, end) => {
  const window = `start_time=${encodeURIComponent(start)}&end_time=${encodeURIComponent(end)}`;
  for (const path of [
    `metrics/query?connection_id=${id}&probe_name=pg_stat_wal&`,
    `metrics/query?connection_id=${id}&probe_name=pg_stat_all_tables&compare=week&`,
    `metrics/performance-summary?connection_id=${id}&`,
    `metrics/database-summaries?connection_id=${id}&`,
    `metrics/top-queries?connection_id=${id}&`,
    'timeline/events?',
    `connections/${id}/load?`,
    `connections/${id}/load?split_by=user&compare=previous&`,
  ]) {
    const answer = await test.call(`GET /api/v1/${path}${window}`, { token: test.actors.superuser.session });
    expect([200, 400], `${path}: ${answer.text.slice(0, 200)}`).toContain(answer.status);
  }
});
