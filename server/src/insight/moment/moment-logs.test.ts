// What the log says around one second, over HTTP, on rows as the reader of logs stores them.
import { expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { historyApi, iso } from '../../testing/history-api.ts';
import { logged, looked } from '../../testing/store/logged.ts';
import type { MomentResponse } from './moment.contract.ts';
import { momentRoutes } from './moment.routes.ts';

type Logs = Static<typeof MomentResponse>['logs'];

const { api, T, connection } = historyApi([momentRoutes]);
const AT = T + 30 * SECOND_MS;

async function logsAt(id: number, as: string, at = AT): Promise<Logs> {
  const { status, text, body } = await api().call(`GET /api/v1/connections/${id}/moment?at=${iso(at)}`, {
    token: as,
  });
  expect(status, text).toBe(200);
  return Object(body).logs;
}
const asOwner = (id: number, at?: number) => logsAt(id, api().actors.owner.session, at);
const asReader = (id: number, at?: number) => logsAt(id, api().actors.superuser.session, at);

const event = (connection_id: number, second: number, message: string) =>
  api().db.run(sql`/* test.event */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    )
    values (
      ${connection_id}, ${iso(T + second * SECOND_MS)}::timestamptz, 'deadlock', 'ERROR', '40P01', 'shop', 'app', '', '7',
      ${message}, '', '', '', '', '{}', false
    )`);

const messages = ({ events }: Logs) => events?.map(({ message }) => message);

it('has events of the seconds around it, oldest first, and counts of its minute', async () => {
  const id = await connection();
  await looked(api().db, { connection_id: id, at: T + 5 * MINUTE_MS });
  await logged(api().db, { connection_id: id, at: T }, { class: 'statement_logged', events: 40 });
  await logged(api().db, { connection_id: id, at: T }, { class: 'deadlock', events: 2, severity: 'ERROR' });
  await logged(api().db, { connection_id: id, at: T + MINUTE_MS }, { class: 'deadlock', events: 9 });
  for (const second of [19.9, 20, 39.9, 40]) await event(id, second, `at ${second}`);
  const found = await asReader(id);
  expect(found).toMatchObject({
    as_of: iso(AT + 10 * SECOND_MS),
    reason: null,
    start_time: iso(AT - 10 * SECOND_MS),
    counted_from: iso(T),
    counted_to: iso(T + MINUTE_MS),
    is_cut: false,
    events_reason: null,
  });
  expect(found.classes).toEqual([
    { class: 'deadlock', title: 'Deadlock', weight: 'warning', events: 2 },
    { class: 'statement_logged', title: expect.any(String), weight: 'normal', events: 40 },
  ]);
  expect(messages(found)).toEqual(['at 20', 'at 39.9']);
});

it('has no text for those without read_logs, and says so; the counts are the same', async () => {
  const id = await connection();
  await looked(api().db, { connection_id: id, at: T + 5 * MINUTE_MS });
  await logged(api().db, { connection_id: id, at: T }, { class: 'deadlock', events: 2 });
  await event(id, 30, 'deadlock detected');
  const found = await asOwner(id);
  expect(found.events).toBeNull();
  expect(found.events_reason).toContain('read_logs');
  expect(JSON.stringify(found)).not.toContain('deadlock detected');
  expect(found.classes).toEqual((await asReader(id)).classes);
});

it('lists the events of fewer seconds where there are more than 100, and says so', async () => {
  const id = await connection();
  await looked(api().db, { connection_id: id, at: T + 5 * MINUTE_MS });
  for (let n = 0; n < 120; n += 1) await event(id, 24 + n / 20, `${n}`);
  const found = await asReader(id);
  expect(found).toMatchObject({ is_cut: true });
  // Those furthest from the instant, which is the time of the last one, are left out.
  expect(messages(found)).toEqual(Array.from({ length: 100 }, (_none, n) => `${n + 20}`));
});

it.each([
  ['was never read', undefined, /--collector-read-logs/],
  ['has only been read since', { at: T + 5 * MINUTE_MS, since: T + MINUTE_MS }, /after this moment/],
  ['is not read up to there', { at: T + 20 * SECOND_MS }, /up to .*, before this moment/],
  [
    'was looked at, and reading is behind',
    { at: T + 5 * MINUTE_MS, until: T },
    /up to .*, before this moment/,
  ],
  ['can no longer be read', { at: T + 5 * MINUTE_MS, format: null }, /switched off/],
])('is unknown where the log %s', async (_name, source, reason) => {
  const id = await connection();
  if (source) await looked(api().db, { connection_id: id, ...source });
  const found = await asReader(id);
  expect(found).toMatchObject({ as_of: null, classes: null, events: null });
  expect(found.reason).toMatch(reason);
});

it('is of the newest seconds that were read where the moment is now', async () => {
  const id = await connection();
  const now = Date.now();
  const [read, secondsAfterT] = [now - 20 * SECOND_MS, (now - T) / SECOND_MS];
  await looked(api().db, { connection_id: id, at: read });
  for (const before of [45, 30, 10]) await event(id, secondsAfterT - before, `${before} s ago`);
  const found = await asReader(id, now);
  expect(found).toMatchObject({ as_of: iso(read), end_time: iso(read), reason: null });
  expect(messages(found)).toEqual(['30 s ago']);
  await looked(api().db, { connection_id: id, at: now - 80 * SECOND_MS });
  expect((await asReader(id, now)).events).toBeNull();
});

it('says what is lacking of a second that was read in part', async () => {
  const id = await connection();
  await looked(api().db, { connection_id: id, at: T + 5 * MINUTE_MS, until: AT + 3 * SECOND_MS });
  expect(await asReader(id)).toMatchObject({
    as_of: iso(AT + 3 * SECOND_MS),
    reason: `The log has been read up to ${iso(AT + 3 * SECOND_MS)}.`,
    classes: [],
    events: [],
  });
  await api().db.run(sql`/* test.gap */
    insert into matriarch.log_gaps (connection_id, noticed_at, file_name, bytes, reason)
    values (${id}, ${iso(AT)}::timestamptz, 'a.log', 5, 'removed')`);
  expect((await asReader(id)).reason).toBe('Bytes of the log were lost around this moment.');
});
