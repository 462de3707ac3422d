// What was read of logs over HTTP, on rows as the collector leaves them: counts by time, events page by page, and who may read which.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();
/** Minutes before now. */
const ago = (minutes: number) => NOW - minutes * MINUTE_MS;

let test: TestApi;
let id: number;
let token: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [serverLogsRoutes], clock: manualClock(NOW) });
  id = test.actors.own_connection;
  token = test.actors.superuser.session;
});
afterAll(() => test.close());

const get = async (path: string, as = token) => {
  const answer = await test.call(`GET /api/v1/connections/${path}`, { token: as });
  return { status: answer.status, error: answer.error, body: Object(answer.body) };
};
const counts = async (query = '') =>
  (await get(`${id}/log-counts?start_time=${iso(ago(10))}&end_time=${iso(NOW)}&buckets=10${query}`)).body;

interface SourceAt {
  looked: number;
  since: number | null;
  format?: string | null;
  is?: number;
  until?: number;
}

async function source(at: SourceAt) {
  const since = at.since === null ? null : iso(at.since);
  await test.db.run(sql`/* test.source */
    insert into matriarch.log_sources (connection_id, format, reason, mend, looked_at, reading_since, read_until)
    values (${at.is ?? id}, ${at.format === undefined ? 'stderr' : at.format}, null, null, ${iso(at.looked)}::timestamptz, ${since}::timestamptz,
      ${at.until === undefined ? null : iso(at.until)}::timestamptz)
    on conflict (connection_id) do update
    set format = excluded.format, looked_at = excluded.looked_at, reading_since = excluded.reading_since,
      read_until = excluded.read_until`);
}

interface Counted {
  minute: number;
  class: string;
  events: number;
  sqlstate?: string;
  database?: string;
}

const count = ({ minute, class: name, events, sqlstate = '', database = 'shop' }: Counted) =>
  test.db.run(sql`/* test.count */
    insert into matriarch.log_counts (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
    values (${id}, ${iso(minute)}::timestamptz, ${name}, ${sqlstate}, 'ERROR', ${database}, ${events}, 0)`);

const event = (at: number, name: string, message: string) =>
  test.db.run(sql`/* test.event */
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut
    ) values (
      ${id}, ${iso(at)}::timestamptz + interval '123 microseconds', ${name}, 'ERROR', '40P01', 'shop', 'app', '', '12', ${message}, '', '', '', '', '{"waited_ms": 1.5}', false
    )`);

describe('counts of a log', () => {
  it('say that nothing was ever read, and what turns it on', async () => {
    const other = test.actors.shared_connection;
    const { body } = await get(`${other}/log-counts`);
    expect(body).toMatchObject({ total_events: 0, classes: [], reading: { state: 'never', since: null } });
    expect(body.reading.reason).toContain('--collector-read-logs');
    expect(body.reading.mend).toContain('create function matriarch_logs.matriarch_log_file');
  });

  it('are zero where the log was read and null where it was not, and count what no class knows', async () => {
    const deadlock = { class: 'deadlock', sqlstate: '40P01' };
    await source({ looked: ago(2), since: ago(6) });
    await count({ ...deadlock, minute: ago(5), events: 2 });
    await count({ ...deadlock, minute: ago(5), events: 1, database: 'other' });
    await count({ minute: ago(3), class: '', events: 40 });
    await count({ minute: ago(3), class: 'no_event', events: 7 });
    // Beyond the window.
    await count({ ...deadlock, minute: NOW, events: 100 });
    await count({ ...deadlock, minute: ago(11), events: 100 });
    const found = await counts();
    expect(found).toMatchObject({ bucket_seconds: 60, start_time: iso(ago(10)), total_events: 43 });
    expect(found.reading).toMatchObject({ state: 'reading', format: 'stderr' });
    const values = Object.fromEntries(
      found.classes.map((one: { class: string; values: unknown }) => [one.class, one.values]),
    );
    expect(values.deadlock).toEqual([null, null, null, null, 0, 3, 0, 0, 0, null]);
    expect(values.unclassified).toEqual([null, null, null, null, 0, 0, 0, 40, 0, null]);
    expect(found.classes.map((one: { class: string }) => one.class)).toEqual([
      'deadlock',
      'no_event',
      'unclassified',
    ]);
    expect(found.sqlstates).toEqual([{ sqlstate: '40P01', events: 3 }]);
    expect((await counts('&database_name=other')).total_events).toBe(1);
  });

  it('are null, not zero, for minutes that are not read yet', async () => {
    await source({ looked: ago(1), since: ago(9), until: ago(4) + 30_000 });
    const found = await counts();
    expect(found.reading.read_until).toBe(iso(ago(4) + 30_000));
    const { values } = found.classes.find((one: { class: string }) => one.class === 'deadlock');
    expect(values).toEqual([null, 0, 0, 0, 0, 3, null, null, null, null]);
    await source({ looked: ago(2), since: ago(6) });
  });

  it('begin on a whole minute, whatever the window', async () => {
    const query = `start_time=${iso(ago(10) + 30_500)}&end_time=${iso(NOW - 1)}&buckets=7`;
    const { body } = await get(`${id}/log-counts?${query}`);
    expect(body).toMatchObject({ start_time: iso(ago(10)), bucket_seconds: 120, total_events: 43 });
    expect(body.classes[0].values).toHaveLength(5);
  });

  it('say that reading has stopped, that it is not possible, and which bytes are lost', async () => {
    await source({ looked: ago(26), since: ago(60) });
    expect((await counts()).reading.state).toBe('stale');
    await source({ looked: ago(1), since: ago(60), format: null });
    expect((await counts()).reading.state).toBe('unreadable');
    await source({ looked: ago(1), since: ago(60) });
    for (const bytes of [5, 3_000_000_000])
      await test.db.run(sql`/* test.gap */
        insert into matriarch.log_gaps (connection_id, noticed_at, file_name, bytes, reason)
        values (${id}, ${iso(ago(4))}::timestamptz, 'a.log', ${bytes}, 'removed')`);
    const found = await counts();
    expect(found.gap_bytes).toBe(3_000_000_005);
    expect(found.gaps[0]).toEqual({
      noticed_at: iso(ago(4)),
      file_name: 'a.log',
      bytes: 3_000_000_000,
      reason: 'removed',
    });
    // Without a count, the bucket in which bytes were lost is unknown, not zero.
    const { values } = found.classes[0] ?? expect.fail('no class');
    const bucket = Math.floor((ago(4) - Date.parse(found.start_time)) / (found.bucket_seconds * 1000));
    expect(values[bucket]).toBeNull();
  });
});

describe('events of a log', () => {
  it('come newest first, page by page, each once, also where many have the same time', async () => {
    for (let n = 0; n < 5; n += 1) await event(ago(5), 'deadlock', `same ${n}`);
    await event(ago(4), 'deadlock', 'newest');
    await event(ago(6), 'temp_file', 'oldest');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof get>> = await get(
        `${id}/log-events?time_range=1h&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.error).toBeUndefined();
      seen.push(...page.body.events.map(({ message }: { message: string }) => message));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual(['newest', 'same 4', 'same 3', 'same 2', 'same 1', 'same 0', 'oldest']);
    const { body } = await get(`${id}/log-events?time_range=1h&class=temp_file,restartpoint_complete`);
    expect(body.events).toEqual([
      expect.objectContaining({
        title: 'Temporary file',
        message: 'oldest',
        detail: null,
        figures: { waited_ms: 1.5 },
        is_cut: false,
      }),
    ]);
    for (const none of ['severity=PANIC', 'sqlstate=42601', 'database_name=other'])
      expect((await get(`${id}/log-events?time_range=1h&${none}`)).body.events, none).toEqual([]);
  });

  it('are found by a part of their masked texts, in any case, and a long search says how far it came', async () => {
    const found = async (query: string) => (await get(`${id}/log-events?time_range=1h&${query}`)).body;
    const messages = async (query: string) =>
      (await found(query)).events.map(({ message }: { message: string }) => message);
    expect(await messages('search=NEWEST')).toEqual(['newest']);
    expect(await messages('search=same&class=temp_file')).toEqual([]);
    // No pattern: what is typed is what is looked for.
    for (const query of ['search=new%25', 'search=n_west', "search=';--"])
      expect(await messages(query)).toEqual([]);
    await test.db.run(sql`/* test.many */
      insert into matriarch.log_events (
        connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
        message, detail, hint, context, statement, figures, is_cut
      )
      select ${id}, ${iso(ago(3))}::timestamptz, 'deadlock', 'ERROR', '40P01', 'shop', '', '', '', 'filler', '', '', '', '', '{}', false
      from generate_series(1, 20000)`);
    const first = await found('search=oldest');
    expect(first).toMatchObject({ events: [], searched_back_to: iso(ago(3)) });
    const second = await found(`search=oldest&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({
      events: [{ message: 'oldest' }],
      next_cursor: null,
      searched_back_to: null,
    });
    await test.db.run(sql`/* test.fewer */ delete from matriarch.log_events where message = 'filler'`);
  });

  it.each([
    `search=${'x'.repeat(201)}`,
    'cursor=x',
    'cursor=1-',
    `cursor=${'9'.repeat(17)}-1`,
    'limit=0',
    'limit=201',
    "class=a';--",
    'sqlstate=abc',
  ])('refuse %s', async (query) => {
    expect((await get(`${id}/log-events?${query}`)).status).toBe(400);
  });

  it('take every cursor of the right form', async () => {
    for (const cursor of [`${'9'.repeat(16)}-${'9'.repeat(18)}`, '0-0'])
      expect((await get(`${id}/log-events?cursor=${cursor}`)).status, cursor).toBe(200);
  });

  it('need a permission beside the right to read the connection, where counts do not', async () => {
    const { owner, other } = test.actors;
    expect((await get(`${id}/log-counts`, owner.session)).status).toBe(200);
    const refused = await get(`${id}/log-events`, owner.session);
    expect(refused).toMatchObject({ status: 403, error: expect.stringContaining('read_logs') });
    const grant = (user_id: number, name: string) =>
      test.db.run(sql`/* test.grant */
        with g as (insert into matriarch.groups (name) values (${name}) returning id),
        member as (insert into matriarch.group_users (group_id, user_id) select g.id, ${user_id} from g)
        insert into matriarch.group_permissions (group_id, permission) select g.id, 'read_logs' from g`);
    await grant(owner.user_id, 'log readers');
    await grant(other.user_id, 'other log readers');
    expect((await get(`${id}/log-events`, owner.session)).status).toBe(200);
    expect((await get(`${id}/log-events`, other.session)).status).toBe(403);
    expect((await get(`${id}/log-counts`, other.session)).status).toBe(403);
  });
});
