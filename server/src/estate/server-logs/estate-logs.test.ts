// The logs of all servers over HTTP: sums by class, server and time of those that the caller sees, and nothing of others.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetLogs } from '../../collector/logs/log-store.queries.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { addCounts } from './log-writes.queries.ts';
import { serverLogsRoutes } from './server-logs.routes.ts';

const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const ago = (minutes: number) => NOW - minutes * MINUTE_MS;
const WINDOW = `start_time=${iso(ago(4))}&end_time=${iso(NOW)}&buckets=4`;

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [serverLogsRoutes], clock: manualClock(NOW) });
});
afterAll(() => test.close());

const get = async (token: string, query = WINDOW) => {
  const answer = await test.call(`GET /api/v1/log-counts?${query}`, { token });
  return { status: answer.status, body: Object(answer.body) };
};

const read = (id: number, since: number) =>
  test.db.run(sql`/* test.source */
    insert into matriarch.log_sources (connection_id, format, looked_at, reading_since)
    values (${id}, 'stderr', ${iso(NOW)}::timestamptz, ${iso(since)}::timestamptz)`);

const count = (id: number, minute: number, [name, events]: [string, number]) =>
  test.db.run(sql`/* test.count */
    insert into matriarch.log_counts (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
    values (${id}, ${iso(minute)}::timestamptz, ${name}, '', 'LOG', '', ${events}, 0)`);

it('sums what is seen alone, the gravest server first, with gaps where nothing was read', async () => {
  const { user_id, session } = await makeUser(test.db);
  const add = (name: string) => makeConnection(test.db, { owner_id: user_id, name });
  const [calm, grave, silent] = [await add('calm'), await add('grave'), await add('silent')];
  await read(calm, ago(2));
  await read(grave, ago(3));
  await count(calm, ago(1), ['connection_received', 50]);
  await count(calm, ago(1), ['no_event', 9]);
  await count(grave, ago(2), ['panic', 1]);
  await count(grave, ago(1), ['deadlock', 2]);
  await count(grave, ago(1), ['', 4]);
  // Beyond the window, and of another server.
  await count(grave, ago(9), ['panic', 70]);
  await count(test.actors.own_connection, ago(1), ['panic', 1000]);
  const isOwn = ({ connection_id }: { connection_id: number }) =>
    [calm, grave, silent].includes(connection_id);
  const { body } = await get(session);
  expect(body).toMatchObject({ bucket_seconds: 60, start_time: iso(ago(4)), total_events: 57, left_out: 0 });
  expect(body.classes.map((one: { class: string; values: unknown }) => [one.class, one.values])).toEqual([
    ['panic', [null, 0, 1, 0]],
    ['deadlock', [null, 0, 0, 2]],
    ['no_event', [null, 0, 0, 9]],
    ['connection_received', [null, 0, 0, 50]],
    ['unclassified', [null, 0, 0, 4]],
  ]);
  const own = body.servers.filter(isOwn);
  expect(own).toMatchObject([
    {
      ...{ connection_id: grave, connection_name: 'grave', state: 'reading', reason: null },
      ...{ critical: 1, warning: 2, others: 4, values: [null, 0, 1, 2] },
      classes: [{ class: 'panic', events: 1 }, { class: 'deadlock' }, { class: 'unclassified', events: 4 }],
    },
    { connection_id: calm, critical: 0, warning: 0, others: 50, values: [null, null, 0, 0] },
    { connection_id: silent, state: 'never', others: 0, values: [null, null, null, null], classes: [] },
  ]);
  const stranger = await makeUser(test.db);
  const strange = (await get(stranger.session)).body;
  expect(strange).toMatchObject({ total_events: 0, classes: [] });
  expect(strange.servers.filter(isOwn)).toEqual([]);
});

it.each(['buckets=0', 'buckets=61', 'time_range=x'])('refuses %s', async (query) => {
  expect((await get(test.actors.superuser.session, query)).status).toBe(400);
});

describe('of a long window', () => {
  const MINUTES = [0, 3, 9, 10, 61, 200, 359, 361, 700, 1000, 1439, 1441, 3000];
  let id: number;
  let session: string;
  beforeAll(async () => {
    const user = await makeUser(test.db);
    session = user.session;
    id = await makeConnection(test.db, { owner_id: user.user_id, name: 'long' });
    await read(id, ago(5000));
    for (const [index, minute] of MINUTES.entries()) await count(id, ago(minute), ['deadlock', 2 ** index]);
    for (const more of [1, 2])
      await addCounts(test.db, id, [
        {
          ...{ minute: ago(3), class: 'deadlock', sqlstate: '', severity: 'LOG', database_name: '' },
          ...{ events: 10_000 * more, kept: 0 },
        },
      ]);
  });

  /** Events of minutes before now, out of what is stored by the minute. */
  const expected = (from: number, to: number) =>
    MINUTES.reduce((sum, minute, at) => sum + (minute <= from && minute > to ? 2 ** at : 0), 0) +
    (from >= 3 && to < 3 ? 30_000 : 0);

  const WINDOWS = [
    [1441, -1],
    [1440, -1],
    [700, 3],
    [699, 2],
    [4000, 200],
    [361, 9],
  ] as const;

  const totals = async () => {
    const all: number[][] = [];
    for (const [from, to] of WINDOWS) {
      const { body } = await get(session, `start_time=${iso(ago(from))}&end_time=${iso(ago(to))}`);
      expect(Date.parse(body.start_time) % (body.bucket_seconds * 1000)).toBe(0);
      const [{ values }] = body.classes;
      const sum = values.reduce((all: number, value: number | null) => all + (value ?? 0), 0);
      all.push([body.total_events, sum, body.servers[0].warning]);
    }
    return all;
  };
  const right = WINDOWS.map(([from, to]) => [1, 1, 1].map((one) => one * expected(from, to)));

  it('counts the minutes that were asked for, and no other', async () => {
    expect(await totals()).toEqual(right);
  });

  it('counts what was stored before there were sums', async () => {
    await test.db.run(sql`/* test.sums */
      delete from matriarch.log_sums where connection_id = ${id} and slot < ${iso(ago(360))}::timestamptz`);
    const since = (time: string) =>
      test.db.run(sql`/* test.whole */
      update matriarch.log_sums_state set whole_from = ${time}::timestamptz`);
    await since(iso(ago(360)));
    expect(await totals()).toEqual(right);
    await since(iso(0));
    expect((await totals())[0]?.[0]).toBeLessThan(expected(1441, -1));
  });

  it('sums a large datastore from the hour of the migration on, and a small one as a whole', async () => {
    const migration = await readFile(
      new URL('../../../migrations/0072_log_sums.sql', import.meta.url),
      'utf8',
    );
    const run = (text: string) => ({ text: `/* test.migration */ ${text}`, values: [] });
    const summedOf = async (rows: number) => {
      const undone = new Error('undone');
      let seen: unknown;
      await test.database.db
        .transaction(async (tx) => {
          await tx.run(run('drop table matriarch.log_sums, matriarch.log_sums_state'));
          await tx.run(run('drop function matriarch.add_log_sums cascade'));
          await tx.run(run('delete from matriarch.log_counts'));
          await tx.run({
            text: `/* test.large */ insert into matriarch.log_counts (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
              select 1, date_trunc('hour', now(), 'UTC') + make_interval(hours => 1 - n), 'panic', '', '', '', 1, 0
              from generate_series(1, $1::int) n`,
            values: [rows],
          });
          await tx.run(run(migration));
          seen = await tx.one(sql`/* test.sums */
            select s.whole_from = date_trunc('hour', now(), 'UTC') as is_hour, s.whole_from = 'epoch' as is_epoch,
              (select sum(l.events)::int from matriarch.log_sums l where l.slot_seconds = 600) as summed
            from matriarch.log_sums_state s`);
          throw undone;
        })
        .catch((error: unknown) => expect(error).toBe(undone));
      return seen;
    };
    expect(await summedOf(100_001)).toEqual({ is_hour: true, is_epoch: false, summed: 1 });
    expect(await summedOf(50)).toEqual({ is_hour: false, is_epoch: true, summed: 50 });
  });

  it('forgets sums with their age and their server', async () => {
    const sums = async (of: number) =>
      (
        await test.db.one<{ n: number }>(sql`/* test.count_sums */
        select count(*)::int as n from matriarch.log_sums s where s.connection_id = ${of}`)
      ).n;
    const before = await sums(id);
    await count(id, NOW - 401 * DAY_MS, ['panic', 1]);
    expect(await sums(id)).toBe(before + 3);
    await forgetLogs(test.db);
    expect(await sums(id)).toBe(before);
    await test.db.run(sql`/* test.gone */
      update matriarch.connections set deleted_at = now() where id = ${id}`);
    await forgetLogs(test.db);
    expect(await sums(id)).toBe(0);
  });
});
