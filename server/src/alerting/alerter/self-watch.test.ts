// Work of this product that fails for a minute is an alert that is sent, /health/ready says it and so does the doctor; it ends with the
// failure, and needs nothing of the alerter, which may be what fails.
import { expect, it, onTestFinished } from 'vitest';
import { demandReadiness } from '../../api/utilities/utilities.service.ts';
import { examine } from '../../estate/estate/doctor.service.ts';
import type { Ctx } from '../../identity/access/principal.ts';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { PartStates } from '../../kernel/part-states.ts';
import { sql } from '../../kernel/sql.ts';
import { alerting } from '../../testing/store/alerting.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { judge } from '../../testing/store/judges.ts';
import { judgeParts } from './self-watch.ts';

it('is said while it lasts, also of the alerter', async () => {
  const house = await alerting();
  onTestFinished(() => house.close());
  const { db } = house;
  const id = await house.leased();
  const principal = systemPrincipal('server');
  const ctx: Ctx = {
    db,
    log: silentLog,
    clock: systemClock,
    signal: new AbortController().signal,
    principal,
  };
  await house.channel();
  const look = () => judgeParts(ctx, {});
  const queued = () =>
    db.rows(sql`/* test.queued */ select kind, state from matriarch.notifications order by id`);
  const doctor = async () =>
    (await examine(ctx, async () => new Map()))
      .filter(({ status }) => status === 'failed')
      .map(({ subject }) => subject);

  // While all is well one statement says so.
  const counted = countedDb(db);
  expect(await judgeParts({ ...ctx, db: counted }, {})).toEqual([]);
  expect(counted.sent).toEqual([expect.stringContaining('alerts.any_part')]);

  // A round of the alerter that fails, as one does after an upgrade that left a table behind.
  await db.run(sql`/* test.free */ delete from matriarch.jobs where name = 'alerter'`);
  await db.run(sql`/* test.broken */ alter table matriarch.alert_mutes rename to alert_mutes_away`);
  const parts = new PartStates(db, systemClock, 'me');
  const stop = judge(house, 'me', { parts });
  const failing = sql`/* test.state */ select failing_since from matriarch.part_states where part = 'alerter'`;
  await expect
    .poll(async () => (await db.maybe<{ failing_since: string | null }>(failing))?.failing_since ?? null)
    .not.toBeNull();
  await look();
  expect(await queued()).toEqual([]);
  await expect(demandReadiness(db)).resolves.toBeUndefined();
  expect(await doctor()).not.toContain('alerter');

  await db.run(sql`/* test.minute */
    update matriarch.part_states set failing_since = failing_since - interval '61 seconds'`);
  await look();
  await look();
  expect(await queued()).toEqual([{ kind: 'fire', state: 'queued' }]);
  expect(await house.alerts()).toMatchObject([
    {
      connection_id: id,
      raised_by: 'part:alerter',
      severity: 'critical',
      status: 'active',
      title: 'Matriarch: Alert evaluation is failing',
      description: expect.stringMatching(
        /^Failing since 2.* UTC\. The datastore refused a statement: relation "matriarch\.alert_mutes" does not exist \(SQLSTATE 42P01\)\. Run "matriarch doctor"/,
      ),
    },
  ]);
  await expect(demandReadiness(db)).rejects.toThrow(
    /^Alert evaluation is failing \(since 2.* UTC\)\. Run matriarch doctor for details\.$/,
  );
  expect(await doctor()).toContain('alerter');

  await db.run(sql`/* test.mended */ alter table matriarch.alert_mutes_away rename to alert_mutes`);
  await expect
    .poll(async () => (await db.maybe<{ failing_since: string | null }>(failing))?.failing_since ?? null)
    .toBeNull();
  await look();
  expect(await queued()).toMatchObject([{ kind: 'fire' }, { kind: 'clear' }]);
  await expect(demandReadiness(db)).resolves.toBeUndefined();
  await stop();
});
