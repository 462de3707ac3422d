// Schedules through HTTP: what may be saved, what a change keeps, and what the preview tells of before it is saved.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { blackoutsRoutes } from './blackouts.routes.ts';

const clock = manualClock(Date.parse('2126-03-25T12:00:00Z'));
let test: TestApi;
let server: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [blackoutsRoutes], clock });
  // Sessions end by the clock of the API, which stands in another century.
  await test.db.run(sql`/* test.sessions */ update matriarch.sessions set expires_at = '2200-01-01Z'`);
  server = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
});
afterAll(() => test.close());
beforeEach(() => test.db.run(sql`/* test.clear */ delete from matriarch.blackout_schedules`));

const call = (request: string, body?: object) =>
  test.call(request, { token: test.actors.superuser.session, ...(body && { body }) });

const nightly = { scope: 'estate', name: 'Nightly', cron_expression: '0 2 * * *', duration_minutes: 90 };
const create = (body: object = {}) => call('POST /api/v1/blackout-schedules', { ...nightly, ...body });

async function made(body: object = {}): Promise<string> {
  const answer = await create(body);
  expect([answer.status, answer.error]).toEqual([201, undefined]);
  return `/api/v1/blackout-schedules/${Object(answer.body).id}`;
}

/** What was due until then makes no blackout. */
const sinceOf = async (path: string) =>
  (
    await test.db.one<{ since: string }>(sql`/* test.since */
      select since from matriarch.blackout_schedules where id = ${Number(path.split('/').at(-1))}`)
  ).since;

describe('createBlackoutSchedule', () => {
  it('answers with what it means in words, and when it begins next', async () => {
    const answer = await create({
      cron_expression: ' 30  2 * * sun',
      timezone: 'europe/vienna',
      reason: 'Quiet.',
    });
    expect(answer.body).toEqual({
      id: expect.any(Number),
      ...nightly,
      cron_expression: '30 2 * * sun',
      timezone: 'Europe/Vienna',
      reason: 'Quiet.',
      enabled: true,
      created_by: test.actors.superuser.username,
      created_at: '2126-03-25T12:00:00.000Z',
      updated_at: '2126-03-25T12:00:00.000Z',
      in_words: 'Every Sunday at 02:30, for 1 hour and 30 minutes, Europe/Vienna',
      // That night has no 02:30.
      next_start: '2126-03-31T01:00:00.000Z',
    });
  });

  it('is in UTC and enabled unless it is said', async () => {
    expect((await create()).body).toMatchObject({ timezone: 'UTC', enabled: true, reason: '' });
    expect((await create({ enabled: false })).body).toMatchObject({ enabled: false, next_start: null });
  });

  it.each([
    [{ cron_expression: '@daily' }, /macro/],
    [{ cron_expression: '0 0 30 2 *' }, /no such date/],
    [{ cron_expression: '' }, /cron_expression/],
    [{ timezone: 'Vienna' }, /IANA/],
    [{ duration_minutes: 0 }, /duration_minutes/],
    [{ duration_minutes: 10_081 }, /duration_minutes/],
    [{ name: ' ' }, /name/],
    [{ scope: 'server' }, /connection_id must be given/],
    [{ database_name: 'orders' }, /database_name/],
  ])('refuses %j', async (body, words) => {
    const answer = await create(body);
    expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(words)]);
  });
});

describe('updateBlackoutSchedule', () => {
  it('replaces what is required and keeps what is absent', async () => {
    const ofServer = { scope: 'server', connection_id: server, database_name: 'orders' };
    const path = await made({ ...ofServer, timezone: 'Asia/Kolkata', reason: 'Why.', enabled: false });
    const required = {
      ...nightly,
      scope: 'server',
      connection_id: server,
      name: 'Weekly',
      cron_expression: '0 3 * * 1',
    };
    const kept = await call(`PUT ${path}`, required);
    expect(kept.body).toMatchObject({
      ...required,
      database_name: 'orders',
      timezone: 'Asia/Kolkata',
      reason: 'Why.',
      enabled: false,
    });
    const estate = await call(`PUT ${path}`, { ...nightly, enabled: true });
    expect(estate.body).toMatchObject({ ...nightly, timezone: 'Asia/Kolkata', enabled: true });
    expect(estate.body).not.toHaveProperty('database_name');
    expect(estate.body).not.toHaveProperty('connection_id');
    const { name, ...rest } = nightly;
    expect((await call(`PUT ${path}`, rest)).error).toMatch(/name/);
  });

  it('never begins what was due before the change', async () => {
    const path = await made();
    const began = await sinceOf(path);
    clock.advance(60_000);
    await call(`PUT ${path}`, { ...nightly, name: 'Renamed', duration_minutes: 120 });
    expect(await sinceOf(path)).toBe(began);
    for (const change of [
      { cron_expression: '0 3 * * *' },
      { timezone: 'Asia/Kolkata' },
      { enabled: false },
    ]) {
      clock.advance(60_000);
      await call(`PUT ${path}`, { ...nightly, cron_expression: '0 3 * * *', ...change });
      expect(Date.parse(await sinceOf(path))).toBeGreaterThan(Date.parse(began));
    }
    clock.advance(60_000);
    await call(`PUT ${path}`, { ...nightly, cron_expression: '0 3 * * *', enabled: true });
    expect(Date.parse(await sinceOf(path))).toBe(clock.now());
  });
});

it('listBlackoutSchedules goes by name, counted before it is cut, and by what they are for', async () => {
  await made({ name: 'b' });
  await made({ name: 'a', enabled: false });
  await made({ name: 'c', scope: 'server', connection_id: server });
  const names = async (query: string, token = test.actors.superuser.session) => {
    const { body } = await test.call(`GET /api/v1/blackout-schedules?${query}`, { token });
    return [Object(body).total_count, ...Object(body).schedules.map(({ name }: { name: string }) => name)];
  };
  expect(await names('')).toEqual([3, 'a', 'b', 'c']);
  expect(await names('limit=1&offset=1')).toEqual([3, 'b']);
  expect(await names('enabled=true')).toEqual([2, 'b', 'c']);
  expect(await names(`connection_id=${server}`)).toEqual([1, 'c']);
  expect(await names('', test.actors.other.session)).toEqual([2, 'a', 'b']);
});

it('deleteBlackoutSchedule leaves what it made', async () => {
  const path = await made();
  const id = Number(path.split('/').at(-1));
  await test.db.run(sql`/* test.made */
    insert into matriarch.blackouts (scope, start_time, end_time, created_by, created_at, schedule_id)
    values ('estate', now(), now() + interval '1 hour', 'ada', now(), ${id})`);
  expect((await call(`DELETE ${path}`)).body).toEqual({ status: 'deleted' });
  expect((await call(`GET ${path}`)).status).toBe(404);
  const { body } = await call('GET /api/v1/blackouts');
  expect(Object(body).blackouts).toMatchObject([{ scope: 'estate', created_by: 'ada' }]);
  expect(Object(body).blackouts[0]).not.toHaveProperty('schedule_id');
});

describe('previewBlackoutSchedule', () => {
  const preview = (body: object) => call('POST /api/v1/blackout-schedules/preview', body);

  it('tells the next ten with what the clocks do to them', async () => {
    const { status, body } = await preview({
      cron_expression: '30 2 * * *',
      duration_minutes: 60,
      timezone: 'Europe/Vienna',
    });
    expect(status).toBe(200);
    const { in_words, occurrences } = Object(body);
    expect(in_words).toBe('Every day at 02:30, for 1 hour, Europe/Vienna');
    expect(occurrences).toHaveLength(10);
    expect(occurrences[0]).toEqual({
      start_time: '2126-03-26T01:30:00.000Z',
      end_time: '2126-03-26T02:30:00.000Z',
      local_start: '2126-03-26T02:30',
      local_end: '2126-03-26T03:30',
      utc_offset: '+01:00',
      shift: null,
      note: null,
    });
    const skipped = occurrences.filter(({ shift }: { shift: string | null }) => shift !== null);
    expect(skipped).toEqual([
      {
        start_time: '2126-03-31T01:00:00.000Z',
        end_time: '2126-03-31T02:00:00.000Z',
        local_start: '2126-03-31T03:00',
        local_end: '2126-03-31T04:00',
        utc_offset: '+02:00',
        shift: 'skipped',
        note: 'There is no 02:30 on 2126-03-31: the clocks go from 02:00 to 03:00, and it starts then.',
      },
    ]);
  });

  it('may be asked by anybody who is signed in, and refuses as saving does', async () => {
    const times = { cron_expression: '0 0 31 6 *', duration_minutes: 60 };
    const answer = await test.call('POST /api/v1/blackout-schedules/preview', {
      token: test.actors.other.session,
      body: times,
    });
    expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(/no such date/)]);
  });
});

describe('listPlannedBlackouts', () => {
  const planned = async (query: string, token = test.actors.superuser.session) => {
    const answer = await test.call(`GET /api/v1/blackout-schedules/planned?${query}`, { token });
    return { status: answer.status, error: answer.error, ...Object(answer.body) };
  };
  const MONTH = 'start_time=2126-03-01T00:00:00Z&end_time=2126-04-05T00:00:00Z';

  it('says all that are still to come in a month, over a change of the clocks, and none of what is disabled', async () => {
    await made({ cron_expression: '30 2 * * *', timezone: 'Europe/Vienna' });
    await made({ name: 'off', enabled: false });
    const { status, planned: times, is_cut } = await planned(MONTH);
    expect([status, is_cut]).toEqual([200, false]);
    const starts = times.map(({ start_time }: { start_time: string }) => start_time);
    expect(starts).toHaveLength(10);
    expect(starts.slice(0, 1)).toEqual(['2126-03-26T01:30:00.000Z']);
    // The night without 02:30, and the one after.
    expect(starts.slice(5, 7)).toEqual(['2126-03-31T01:00:00.000Z', '2126-04-01T00:30:00.000Z']);
    expect(times[0].end_time).toBe('2126-03-26T03:00:00.000Z');
  });

  it('holds what began before the span and lasts into it', async () => {
    await made({ cron_expression: '0 22 * * *', duration_minutes: 240 });
    const { planned: times } = await planned('start_time=2126-04-02T00:00:00Z&end_time=2126-04-02T12:00:00Z');
    expect(times).toMatchObject([
      { start_time: '2126-04-01T22:00:00.000Z', end_time: '2126-04-02T02:00:00.000Z' },
    ]);
  });

  it('cuts one that is due too often and says so, and leaves out what the caller cannot see', async () => {
    await made({ name: 'a', cron_expression: '* * * * *', duration_minutes: 1 });
    await made({ name: 'b', scope: 'server', connection_id: server });
    const all = await planned(MONTH);
    expect([all.planned.length, all.is_cut]).toEqual([1200 + 10, true]);
    const other = await planned(MONTH, test.actors.other.session);
    expect(other.planned).toHaveLength(1200);
  });

  it.each([
    ['start_time=2126-04-02T00:00:00Z&end_time=2126-04-02T00:00:00Z', /after start_time/],
    ['start_time=2126-01-01T00:00:00Z&end_time=2126-04-02T00:00:00Z', /62 days/],
    ['start_time=2126-01-01T00:00:00Z', /end_time/],
  ])('refuses %s', async (query, words) => {
    const answer = await planned(query);
    expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(words)]);
  });
});
