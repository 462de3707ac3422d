// Work of this product that hangs, without failing: after a minute /health/ready says it, the doctor, and an alert, although the round
// itself says nothing. On a lock that a real session holds.
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { demandReadiness } from '../../api/utilities/utilities.service.ts';
import { examine } from '../../estate/estate/doctor.service.ts';
import type { Ctx } from '../../identity/access/principal.ts';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { startFindings } from '../../insight/findings/keep-findings.ts';
import { startReportTicks } from '../../insight/report-schedules/report-ticks.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { failingParts, type PartName, PartStates } from '../../kernel/part-states.ts';
import { sql } from '../../kernel/sql.ts';
import { startCompaction } from '../../store/compact/job.ts';
import { startMaintenance } from '../../store/upkeep/maintenance.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { channelsOf, channelsRoom } from '../../testing/rooms/channels.ts';
import { alerting } from '../../testing/store/alerting.ts';
import { judge } from '../../testing/store/judges.ts';
import { startDelivery } from '../notification-channels/delivery.ts';
import { startAlerter } from './alerter.ts';
import { startBlackoutTicks } from './blackout-ticks.ts';
import { judgeParts } from './self-watch.ts';

/** The claims of jobs, and what the others read first; the self-watch and the doctor read none of them. */
const LOCKED = [
  'matriarch.jobs',
  'matriarch.report_schedules',
  'matriarch.blackout_schedules',
  'matriarch.notification_holds',
];
const EVERY = ['alerter', 'blackouts', 'compaction', 'delivery', 'findings', 'maintenance', 'reports'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ rooms: [channelsRoom] });
  await makeConnection(api.db, { owner_id: api.actors.superuser.user_id, is_monitored: true });
});
afterAll(() => api.close());

/** Answers what to call to let go. */
async function lockTables(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: api.database.url.reveal() });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`lock table ${LOCKED.join(', ')} in access exclusive mode`);
  let ended: Promise<void> | undefined;
  const letGo = () => {
    ended ??= holder.end();
    return ended;
  };
  onTestFinished(letGo);
  return letGo;
}

async function startAll(parts: PartStates): Promise<void> {
  const { db } = api;
  const { url } = api.database;
  const of = { db, log: silentLog, clock: systemClock, parts };
  const { vault, sender } = await channelsOf(api.parts);
  const delivery = { vault, sender, base_url: undefined, group_seconds: 0, random: () => 0 };
  const started = [
    startAlerter({ ...of, url, everyMs: 50 }),
    startDelivery({ ...of, url, everyMs: 50, ...delivery }),
    startFindings({ ...of, everyMs: 50 }),
    startReportTicks(of),
    startBlackoutTicks({ ...of, everyMs: 50 }),
    startMaintenance({ ...of, probes: [] }),
    startCompaction({ ...of, probes: [] }),
  ];
  onTestFinished(async () => {
    await Promise.all(started.map((part) => part.stop()));
    await parts.leave();
  });
}

it('is said of every part while its round does not end', async () => {
  const { db } = api;
  const clock = manualClock(systemClock.now());
  const letGo = await lockTables();
  const parts = new PartStates(db, clock, 'me');
  await startAll(parts);
  const waiting = async () =>
    (
      await db.one<{ n: number }>(sql`/* test.waiting */
        select count(*)::integer as n from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`)
    ).n;
  await expect.poll(waiting).toBeGreaterThanOrEqual(EVERY.length);
  await parts.look();
  expect(await failingParts(db)).toEqual([]);
  clock.advance(61_000);
  await parts.look();
  const names = async () => (await failingParts(db)).map(({ part }) => part);
  expect(await names()).toEqual(EVERY);
  await expect(demandReadiness(db)).rejects.toThrow(
    /Alert evaluation is failing \(since 2.* Notification delivery is failing \(since 2/,
  );
  const { signal } = new AbortController();
  const principal = systemPrincipal('server');
  const ctx: Ctx = { db, log: silentLog, clock: systemClock, signal, principal };
  expect(await examine(ctx, async () => new Map())).toContainEqual({
    status: 'failed',
    subject: 'alerter',
    message: expect.stringMatching(
      /^Alert evaluation is failing \(since .* UTC\)\. It has not finished for more than a minute\. /,
    ),
    mend: null,
  });
  await judgeParts(ctx, {});
  const alerts = await db.rows<{ raised_by: string }>(sql`/* test.alerts */
    select raised_by from matriarch.alerts where status = 'active' order by 1`);
  expect(alerts.map(({ raised_by }) => raised_by)).toEqual(EVERY.map((part) => `part:${part}`));

  await letGo();
  await expect.poll(names, { timeout: 15_000 }).toEqual([]);
});

it('is not said of work that takes long and is answered', async () => {
  const { db } = api;
  const clock = manualClock(systemClock.now());
  const parts = new PartStates(db, clock, 'long');
  onTestFinished(() => parts.leave());
  const failing = sql`/* test.failing */
    select part from matriarch.part_states where owner = 'long' and failing_since is not null`;
  const minutes = async (part: PartName) => {
    await parts.during(part, async () => {
      for (let minute = 0; minute < 3; minute += 1) {
        clock.advance(50_000);
        await db.rows(sql`/* test.step */ select 1 as one`);
        await parts.look();
      }
    });
    return db.rows(failing);
  };
  // Packing a day may take its time; a round of the alerter may not.
  expect(await minutes('compaction')).toEqual([]);
  expect(await minutes('alerter')).toEqual([{ part: 'alerter' }]);
});

it('is said of rules that cannot be read, and all others are judged', async () => {
  const house = await alerting({ hasTables: true });
  onTestFinished(() => house.close());
  const id = await house.leased();
  const disk = { mount_point: '/', total_space: 100, used_space: 99, free_space: 1 };
  await house.feed(id, 'pg_sys_disk_info', { ago: 5, rows: [disk] });
  for (const [ago, deadlocks] of [
    [300, 0],
    [5, 7],
  ] as const)
    await house.feed(id, 'pg_stat_database', { ago, rows: [{ datid: 5, datname: 'shop', deadlocks }] });
  await house.db.withClient((client) =>
    client.query('alter table metrics.pg_stat_database rename column deadlocks to away'),
  );
  await house.db.run(sql`/* test.free */ delete from matriarch.jobs where name = 'alerter'`);
  const parts = new PartStates(house.db, systemClock, 'me');
  const stop = judge(house, 'me', { parts });
  const state = async () =>
    (
      await house.db.maybe<{ failure: string | null }>(sql`/* test.state */
        select failure from matriarch.part_states where part = 'alerter' and failure is not null`)
    )?.failure;
  await expect
    .poll(state)
    .toMatch(/^What these judge cannot be read: .*deadlocks_detected.*\. All others are judged\.$/);
  expect((await house.alerts()).map(({ raised_by }) => raised_by)).toContain('rule:disk_usage_percent');
  await stop();
  await parts.leave();
});
