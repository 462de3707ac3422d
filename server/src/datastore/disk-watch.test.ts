// A disk that is nearly full is an alert, makes /health/ready say so and calls the heartbeat's failing address, whichever process notices.
import { expect, it, onTestFinished } from 'vitest';
import { demandReadiness } from '../api/utilities/utilities.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { Fault } from '../kernel/errors.ts';
import { failingParts, PartStates } from '../kernel/part-states.ts';
import { sql } from '../kernel/sql.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { type DiskSpace, shortageOf, watchDisk } from './disk-watch.ts';

const GB = 1024 ** 3;
const space = (total: number, available: number): DiskSpace => ({
  total_bytes: total * GB,
  available_bytes: available * GB,
});

it.each([
  { disk: 'a small disk', total: 2, short: 0.19, fine: 0.21 },
  { disk: 'a disk of 16 GB', total: 16, short: 0.99, fine: 1.01 },
  { disk: 'a disk of 100 GB', total: 100, short: 4.99, fine: 5.01 },
  { disk: 'a large disk', total: 4096, short: 9.99, fine: 10.01 },
])('$disk is nearly full where little is left, and not before', ({ total, short, fine }) => {
  expect(shortageOf('/var/lib/matriarch', space(total, short))).toMatch(/are left on the disk of \/var\/lib/);
  expect(shortageOf('/var/lib/matriarch', space(total, fine))).toBeUndefined();
});

it('reads as a person would say it', () => {
  expect(shortageOf('/var/lib/matriarch', space(100, 0.75))).toBe(
    '768 MB of 100 GB are left on the disk of /var/lib/matriarch (less than 5 GB). Free space or enlarge the disk: when it is full, nothing more is stored.',
  );
});

const figureOf = (watch: ReturnType<typeof watchDisk>, name: string) =>
  watch.figures().find((figure) => figure.name === name)?.values[0]?.value;

it('fails while the disk is nearly full, ends with it, and is forgotten when the process ends', async () => {
  const { db, close } = await testDatabase();
  onTestFinished(close);
  let now: DiskSpace | Error = space(100, 1);
  const watch = watchDisk({
    db,
    clock: systemClock,
    directory: '/var/lib/matriarch',
    read: async () => {
      if (now instanceof Error) throw now;
      return now;
    },
    everyMs: 20,
  });
  const state = () =>
    db.rows<{ failure: string | null }>(sql`/* test.state */
      select s.failure from matriarch.part_states s where s.part = 'disk'`);
  await expect.poll(state).toEqual([{ failure: expect.stringMatching(/^1 GB of 100 GB are left/) }]);
  await db.run(sql`/* test.minute */
    update matriarch.part_states set failing_since = failing_since - interval '61 seconds'`);
  expect(await failingParts(db)).toMatchObject([{ part: 'disk', title: 'Free disk space is low' }]);
  await expect(demandReadiness(db)).rejects.toThrow(/^Free disk space is low \(since/);
  expect(figureOf(watch, 'matriarch_disk_available_bytes')).toBe(GB);

  // What cannot be read is not known: it neither raises nor ends anything.
  now = new Error('no answer');
  await expect.poll(() => figureOf(watch, 'matriarch_disk_available_bytes')).toBeNull();
  expect(await failingParts(db)).toHaveLength(1);

  now = space(100, 50);
  await expect.poll(state).toEqual([{ failure: null }]);
  await expect(demandReadiness(db)).resolves.toBeUndefined();
  await watch.stop();
  expect(await state()).toEqual([]);
});

it('counts from when it began, also where a full disk took no note of it at first', async () => {
  const { db, close } = await testDatabase();
  onTestFinished(close);
  const clock = manualClock(systemClock.now());
  const parts = new PartStates(db, clock);
  onTestFinished(() => parts.leave());
  const fail = () => parts.failed('disk', new Fault('unavailable', 'It is full.'));
  await db.run(sql`/* test.away */ alter table matriarch.part_states rename to part_states_away`);
  await fail();
  await db.run(sql`/* test.back */ alter table matriarch.part_states_away rename to part_states`);
  clock.advance(61_000);
  await fail();
  expect(await failingParts(db)).toMatchObject([{ part: 'disk' }]);
});

it('reads the disk of a real directory', async () => {
  const { db, close } = await testDatabase();
  onTestFinished(close);
  const watch = watchDisk({ db, clock: systemClock, directory: testDirectory('disk') });
  await expect.poll(() => figureOf(watch, 'matriarch_disk_size_bytes')).toBeGreaterThan(0);
  await watch.stop();
});
