// Blackouts that schedules make: one for each time, whoever tries, however late, and whatever the clock does (F10, F11).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { startBlackoutTicks } from '../alerter/blackout-ticks.ts';
import { makeBlackouts } from './ticks.queries.ts';
import { type Memory, makeDueBlackouts, makeIfDue } from './ticks.service.ts';

const ms = (text: string) => Date.parse(text);

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.db.run(sql`/* test.clear */ delete from matriarch.blackouts`);
  await test.db.run(sql`/* test.clear */ delete from matriarch.blackout_schedules`);
});

interface Options {
  cron?: string;
  timezone?: string;
  minutes?: number;
  since?: string;
  enabled?: boolean;
}

async function schedule(options: Options = {}): Promise<number> {
  const { cron = '0 2 * * *', timezone = 'UTC', minutes = 90, enabled = true } = options;
  const { since = '2026-01-01T00:00:00Z' } = options;
  const { id } = await test.db.one<{ id: number }>(sql`/* test.schedule */
    insert into matriarch.blackout_schedules (scope, name, cron_expression, duration_minutes, timezone, reason, enabled,
      since, created_by, created_at, updated_at)
    values ('estate', 'Nightly', ${cron}, ${minutes}, ${timezone}, 'Quiet.', ${enabled}, ${since}::timestamptz, 'ada',
      now(), now())
    returning id`);
  return id;
}

const blackouts = () =>
  test.db.rows<{ id: number; start_time: string; end_time: string }>(sql`/* test.blackouts */
    select id, start_time, end_time from matriarch.blackouts order by start_time`);

const starts = async () => (await blackouts()).map(({ start_time }) => start_time.replace(':00.000Z', 'Z'));

const ctx = () => ({ db: test.db, clock: systemClock, log: silentLog });

/** A process that has just started and looks at `at`. */
const round = (at: string | number, memory: Memory = new Map()) =>
  makeDueBlackouts(ctx(), memory, typeof at === 'number' ? at : ms(at));

describe('a time of a schedule', () => {
  it('makes one blackout shortly before it begins, with what the schedule says', async () => {
    const id = await schedule();
    expect(await round('2026-05-02T01:59:00Z')).toBe(0);
    expect(await round('2026-05-02T01:59:50Z')).toBe(1);
    const rows = await test.db.rows(sql`/* test.rows */
      select scope, scope_id, database_name, reason, start_time, end_time, created_by, schedule_id
      from matriarch.blackouts`);
    expect(rows).toEqual([
      {
        scope: 'estate',
        scope_id: null,
        database_name: null,
        reason: 'Quiet.',
        start_time: '2026-05-02T02:00:00.000Z',
        end_time: '2026-05-02T03:30:00.000Z',
        created_by: 'ada',
        schedule_id: id,
      },
    ]);
  });

  it('is in the audit log, once, with the schedule and who made that', async () => {
    const schedule_id = await schedule();
    await Promise.all([1, 2, 3].map(() => round('2026-05-02T02:00:05Z')));
    const [made] = await blackouts();
    const rows = await test.db.rows(sql`/* test.audit */
      select actor_name, via, action, outcome, target_kind, target_id, details
      from matriarch.audit_events
      where target_kind = 'blackout' and target_id = ${String(made?.id)}`);
    expect(rows).toEqual([
      {
        ...{ actor_name: 'system: server', via: 'system', action: 'blackout.create', outcome: 'ok' },
        ...{ target_kind: 'blackout', target_id: String(made?.id) },
        details: {
          ...{
            scope: 'estate',
            reason: 'Quiet.',
            schedule_id,
            schedule: 'Nightly',
            schedule_created_by: 'ada',
          },
          ...{ start_time: '2026-05-02T02:00:00.000Z', end_time: '2026-05-02T03:30:00.000Z' },
        },
      },
    ]);
  });

  it('makes one, however many processes try it and however often', async () => {
    await schedule();
    const all = await Promise.all([1, 2, 3, 4].map(() => round('2026-05-02T02:00:05Z')));
    expect(all.reduce((sum, made) => sum + made, 0)).toBe(1);
    expect(await round('2026-05-02T03:29:59Z')).toBe(0);
    expect(await starts()).toEqual(['2026-05-02T02:00Z']);
  });

  it('that nobody looked at still starts while its end lies ahead, and no later', async () => {
    await schedule();
    expect(await round('2026-05-02T03:29:59Z')).toBe(1);
    expect(await blackouts()).toMatchObject([{ end_time: '2026-05-02T03:30:00.000Z' }]);
    expect(await round('2026-05-03T03:30:00Z')).toBe(0);
  });

  it('is begun although another one still runs', async () => {
    await schedule({ cron: '*/30 * * * *', minutes: 60 });
    const memory: Memory = new Map();
    for (let at = ms('2026-05-02T00:00:01Z'); at < ms('2026-05-02T02:00:00Z'); at += MINUTE_MS)
      await round(at, memory);
    expect(await starts()).toEqual([
      '2026-05-01T23:30Z',
      '2026-05-02T00:00Z',
      '2026-05-02T00:30Z',
      '2026-05-02T01:00Z',
      '2026-05-02T01:30Z',
    ]);
  });

  it('is not begun anew once somebody has deleted or stopped its blackout', async () => {
    await schedule();
    const memory: Memory = new Map();
    await round('2026-05-02T02:00:00Z', memory);
    await test.db.run(sql`/* test.delete */ delete from matriarch.blackouts`);
    expect(await round('2026-05-02T02:00:10Z', memory)).toBe(0);
    expect(await round('2026-05-02T02:00:20Z')).toBe(0);
    expect(await blackouts()).toEqual([]);
  });

  it('begins by the clocks of its zone: at the end of a gap, and once in an hour that repeats', async () => {
    await schedule({ cron: '30 2 * * *', timezone: 'Europe/Vienna', minutes: 30 });
    for (const day of ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25']) {
      const memory: Memory = new Map();
      for (let at = ms(`${day}T00:00:00Z`); at <= ms(`${day}T03:00:00Z`); at += 10 * MINUTE_MS)
        await round(at, memory);
    }
    expect(await starts()).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-10-24T00:30Z',
      '2026-10-25T00:30Z',
    ]);
  });
});

describe('what is not made', () => {
  it('anything of a disabled schedule, also not once it is enabled again', async () => {
    const id = await schedule({ enabled: false });
    expect(await round('2026-05-02T02:00:10Z')).toBe(0);
    await test.db.run(sql`/* test.enable */
      update matriarch.blackout_schedules
      set enabled = true, since = '2026-05-02T02:30:00Z', revision = revision + 1
      where id = ${id}`);
    expect(await round('2026-05-02T02:30:10Z')).toBe(0);
    expect(await round('2026-05-03T02:00:00Z')).toBe(1);
  });

  it('anything of what a schedule said before it was changed', async () => {
    const id = await schedule();
    const tick = { schedule_id: id, revision: 1, start_time: '2026-05-02T02:00:00Z' };
    await test.db.run(sql`/* test.change */
      update matriarch.blackout_schedules set revision = revision + 1 where id = ${id}`);
    expect(await makeBlackouts(test.db, [tick], '2026-05-02T02:00:00Z')).toEqual([]);
    expect(await makeBlackouts(test.db, [{ ...tick, revision: 2 }], '2026-05-02T02:00:00Z')).toHaveLength(1);
  });
});

describe('F10 a wall clock that jumps', () => {
  const NOON = ms('2026-05-02T12:00:00Z');

  /** By the minute, as a process that stays the same. */
  async function hourFrom(from: number, memory: Memory): Promise<void> {
    for (let at = from; at <= from + HOUR_MS; at += MINUTE_MS) await round(at, memory);
  }

  it.each([
    ['an hour ahead and back', HOUR_MS],
    ['ten years ahead and back', 87_672 * HOUR_MS],
    ['an hour back and ahead', -HOUR_MS],
  ])('%s makes no flood, and loses and doubles none', async (_name, jump) => {
    await schedule({ cron: '*/10 * * * *', minutes: 20 });
    const memory: Memory = new Map();
    await hourFrom(NOON, memory);
    const before = await starts();
    await round(NOON + HOUR_MS + jump, memory);
    // Those in force at that time, and no more.
    expect((await starts()).length).toBeLessThanOrEqual(before.length + 3);
    await hourFrom(NOON + HOUR_MS + MINUTE_MS, memory);
    const made = (await starts()).filter((at) => ms(at) >= NOON && ms(at) <= NOON + 2 * HOUR_MS);
    const wanted = Array.from({ length: 13 }, (_, index) => NOON + index * 10 * MINUTE_MS);
    expect(made.map(ms)).toEqual(wanted);
  });

  it('a schedule that was made while the clock was ahead goes on from now', async () => {
    await schedule({ cron: '*/10 * * * *', minutes: 20, since: '2036-05-02T00:00:00Z' });
    const memory: Memory = new Map();
    await hourFrom(NOON + MINUTE_MS, memory);
    expect((await starts()).map(ms)).toEqual(
      [1, 2, 3, 4, 5, 6].map((index) => NOON + index * 10 * MINUTE_MS),
    );
  });

  it('a year of silence of a schedule of every minute makes what is in force, in few statements', async () => {
    await schedule({ cron: '* * * * *', minutes: 10_080 });
    expect(await round('2027-05-02T12:00:30Z')).toBe(10_080);
    expect(await round('2027-05-02T12:00:40Z')).toBe(0);
  });
});

describe('the background', () => {
  it('is one process at a time, and the next one once that has ended', async () => {
    await schedule();
    const now = ms('2026-05-02T02:00:00Z');
    const claim = { ctx: ctx(), memory: new Map(), now, every_seconds: 0 };
    const both = await Promise.all([
      makeIfDue({ ...claim, owner: 'one' }),
      makeIfDue({ ...claim, memory: new Map(), owner: 'two' }),
    ]);
    expect(both.filter((made) => made !== undefined)).toContain(1);
    expect(await makeIfDue({ ...claim, owner: 'two' })).toBe(0);
    const anew = { ...claim, memory: new Map(), owner: 'two' };
    expect(await makeIfDue({ ...anew, every_seconds: 3600 })).toBeUndefined();
  });

  it('asks for no lease while nothing is due, and looks again at what another process was at', async () => {
    await schedule();
    const memory: Memory = new Map();
    const early = { ctx: ctx(), memory, now: ms('2026-05-02T01:00:00Z'), owner: 'one', every_seconds: 0 };
    const lease = () =>
      test.db.rows(sql`/* test.lease */ select from matriarch.jobs where name = 'blackout-ticks'`);
    await test.db.run(sql`/* test.job */ delete from matriarch.jobs where name = 'blackout-ticks'`);
    expect([await makeIfDue(early), await lease()]).toEqual([0, []]);
    await test.db.run(sql`/* test.taken */
      insert into matriarch.jobs (name, owner, epoch, expires_at, last_started_at)
      values ('blackout-ticks', 'two', 1, now() + interval '1 minute', now())`);
    const due = { ...early, now: ms('2026-05-02T02:00:00Z') };
    expect(await makeIfDue(due)).toBeUndefined();
    await test.db.run(sql`/* test.over */
      update matriarch.jobs set owner = '', expires_at = now() where name = 'blackout-ticks'`);
    expect(await makeIfDue({ ...due, now: due.now + 5000 })).toBe(1);
  });

  it('forgets what has been over for 90 days, by the earlier of both clocks', async () => {
    const now = systemClock.now();
    const day = 24 * HOUR_MS;
    for (const days of [1, 89, 91, 400])
      await test.db.run(sql`/* test.over */
        insert into matriarch.blackouts (scope, start_time, end_time, created_by, created_at, reason)
        values ('estate', ${iso(now - 500 * day)}::timestamptz, ${iso(now - days * day)}::timestamptz, 'ada', now(),
          ${String(days)})`);
    const left = async () =>
      (
        await test.db.rows<{ reason: string }>(sql`/* test.left */
        select reason from matriarch.blackouts order by end_time desc`)
      ).map(({ reason }) => reason);
    const ahead = startBlackoutTicks({ ...ctx(), clock: manualClock(now + 1000 * day), everyMs: 20 });
    await expect.poll(left).toEqual(['1', '89']);
    await ahead.stop();
    await test.db.run(sql`/* test.job */ delete from matriarch.jobs where name = 'blackout-ticks'`);
    await test.db.run(
      sql`/* test.behind */ update matriarch.blackouts set end_time = start_time where reason = '89'`,
    );
    const behind = startBlackoutTicks({ ...ctx(), clock: manualClock(now - 450 * day), everyMs: 20 });
    await behind.stop();
    expect(await left()).toEqual(['1', '89']);
  });

  it('makes them by itself and stops', async () => {
    await schedule();
    const clock = manualClock(ms('2026-05-02T02:00:00Z'));
    const part = startBlackoutTicks({ db: test.db, log: silentLog, clock, everyMs: 20 });
    await expect.poll(starts).toEqual(['2026-05-02T02:00Z']);
    await part.stop();
  });
});
