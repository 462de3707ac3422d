// Runs of autovacuum and checkpoints over HTTP, on rows as the collector leaves them.
import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { between, historyApi, iso } from '../../testing/history-api.ts';
import { collected } from '../../testing/store/collected.ts';
import { logged, looked } from '../../testing/store/logged.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const { api, T, connection, asked } = historyApi([serverLogsRoutes]);
const WINDOW = between(T, T + 60 * MINUTE_MS);

interface Told {
  minute: number;
  class: string;
  figures?: object;
  table?: string | null;
}

const event = (connection_id: number, { minute, class: name, figures = {}, table = null }: Told) =>
  api().db.run(sql`/* test.event */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, relation_name, is_cut
    )
    values (
      ${connection_id}, ${iso(T + minute * MINUTE_MS)}::timestamptz, ${name}, 'LOG', '', '', '', '', '7', 'secret text', '', '', '', '',
      ${JSON.stringify(figures)}::jsonb, ${table}, false
    )`);

const setting = (connection_id: number, name: string, value: string) =>
  collected(api().db, {
    ...{ connection_id, probe: 'pg_settings', at: T, history_by: ['name'] },
    rows: [{ name, setting: value, boot_val: value, unit: null, source: 'default' }],
  });

async function get(path: string) {
  const { status, text, body } = await asked(path);
  expect(status, text).toBe(200);
  expect(text).not.toContain('secret text');
  return Object(body);
}

it('lists runs newest first, of one table or of a part of its name, and says when the list is cut', async () => {
  const id = await connection();
  await looked(api().db, { connection_id: id, at: T + 60 * MINUTE_MS });
  await setting(id, 'log_autovacuum_min_duration', '600000');
  await logged(api().db, { connection_id: id, at: T }, { class: 'autovacuum', events: 9 });
  const figures = { tuples_removed: 5, tuples_dead_not_removable: 7, elapsed_seconds: 1.5 };
  await event(id, { minute: 1, class: 'autovacuum', table: 'shop.public.orders', figures });
  await event(id, { minute: 2, class: 'autoanalyze', table: 'shop.public.Orders_old' });
  await event(id, { minute: 3, class: 'autovacuum_cancelled', table: 'shop.public.orders' });
  await event(id, { minute: 4, class: 'autovacuum_wraparound' });
  await event(id, { minute: 5, class: 'deadlock', table: 'shop.public.orders' });
  await event(id, { minute: 61, class: 'autovacuum', table: 'shop.public.orders' });
  const kinds = async (query: string) => {
    const found = await get(`${id}/vacuum-runs?${WINDOW}&${query}`);
    return [...found.runs.map(({ kind }: { kind: string }) => kind), found.is_cut];
  };
  expect(await kinds('')).toEqual(['wraparound_vacuum', 'cancelled', 'analyze', 'vacuum', false]);
  expect(await kinds('table=shop.public.orders')).toEqual(['cancelled', 'vacuum', false]);
  expect(await kinds('search=ORDERS')).toEqual(['cancelled', 'analyze', 'vacuum', false]);
  expect(await kinds('search=%25')).toEqual([false]);
  expect(await kinds('limit=2')).toEqual(['wraparound_vacuum', 'cancelled', true]);
  const found = await get(`${id}/vacuum-runs?${WINDOW}&table=shop.public.orders`);
  expect(found).toMatchObject({ min_duration_ms: 600_000, events_logged: 9, events_kept: 0 });
  expect(found.runs[1]).toMatchObject({
    ended_at: iso(T + MINUTE_MS),
    table: 'shop.public.orders',
    tuples_removed: 5,
    tuples_not_removable: 7,
    elapsed_seconds: 1.5,
    wal_bytes: null,
  });
});

it('says of both that the log was never read and its settings are not known', async () => {
  const id = await connection();
  expect(await get(`${id}/vacuum-runs?${WINDOW}`)).toMatchObject({
    reading: { state: 'never' },
    min_duration_ms: null,
    runs: [],
  });
  expect(await get(`${id}/checkpoints?${WINDOW}`)).toMatchObject({
    reading: { state: 'never' },
    is_logged: null,
    checkpoints: [],
  });
});

it('lists checkpoints with the cause in the line before, also of before the window', async () => {
  const id = await connection();
  await setting(id, 'log_checkpoints', 'off');
  const began = (minute: number, by_wal: number, by_time: number) =>
    event(id, { minute, class: 'checkpoint_starting', figures: { by_wal, by_time } });
  const ended = (minute: number, name = 'checkpoint_complete') =>
    event(id, { minute, class: name, figures: { buffers: 3, distance_kb: 2 } });
  await ended(-20);
  await began(-4, 0, 1);
  await ended(1);
  await began(2, 1, 0);
  await ended(3);
  await began(4, 0, 0);
  await ended(5);
  // Its beginning was not kept.
  await ended(6);
  await event(id, { minute: 7, class: 'restartpoint_starting', figures: {} });
  await ended(8, 'restartpoint_complete');
  await began(9, 0, 1);
  const { checkpoints, is_logged, is_cut } = await get(`${id}/checkpoints?${WINDOW}`);
  expect({ is_logged, is_cut }).toEqual({ is_logged: false, is_cut: false });
  expect(
    checkpoints.map(({ kind, cause, started_at }: { kind: string; cause: string; started_at: string }) => [
      kind,
      cause,
      started_at,
    ]),
  ).toEqual([
    ['restartpoint', null, iso(T + 7 * MINUTE_MS)],
    ['checkpoint', null, null],
    ['checkpoint', 'request', iso(T + 4 * MINUTE_MS)],
    ['checkpoint', 'wal', iso(T + 2 * MINUTE_MS)],
    ['checkpoint', 'time', iso(T - 4 * MINUTE_MS)],
  ]);
  expect(checkpoints[1]).toMatchObject({ buffers: 3, distance_bytes: 2048, write_seconds: null });
  expect(await get(`${id}/checkpoints?${WINDOW}&limit=2`)).toMatchObject({
    is_cut: true,
    checkpoints: [{ kind: 'restartpoint' }, { kind: 'checkpoint' }],
  });
});
