// Windows at the ends of time and of what a date can be, in every operation that takes one: an answer or a refusal in
// words, never a failure of the server.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../api/operations.gen.ts';
import type { Operation } from '../../kernel/contract.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

/** What a path needs in place of its parameters. */
const PLACES: Readonly<Record<string, string>> = {
  '/api/v1/clusters/{id}/': '/api/v1/clusters/server-{server}/',
  '{queryid}': '17',
  '{id}': '{server}',
};
const NAMED: Readonly<Record<string, string>> = {
  connection_id: '{server}',
  probe_name: 'pg_stat_all_tables',
};

function pathsOf({ path, query }: Operation): string[] {
  const names = Object.keys(Object(query).properties ?? {});
  if (!names.includes('start_time') || !names.includes('end_time')) return [];
  const place = Object.entries(PLACES).reduce((text, [from, to]) => text.replace(from, to), path);
  const named = names.flatMap((name) => (NAMED[name] ? [`${name}=${NAMED[name]}`] : []));
  const plain = `${place}?${named.join('&')}`;
  return names.includes('compare') ? [plain, `${plain}&compare=week`] : [plain];
}
const PATHS = operations.filter(({ method }) => method === 'GET').flatMap(pathsOf);

let test: TestApi;
let id: number;
beforeAll(async () => {
  test = await startWholeApi();
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
  for (const path of PATHS.map((one) => one.replaceAll('{server}', String(id)))) {
    const answer = await test.call(`GET ${path}&${window}`, { token: test.actors.superuser.session });
    expect([200, 400, 404], `${path}: ${answer.text.slice(0, 200)}`).toContain(answer.status);
  }
});

it('is asked of all that take a window', () => {
  expect(PATHS.length).toBeGreaterThan(12);
  expect(PATHS.join(' ')).toContain('/api/v1/clusters/server-{server}/lag?');
});
