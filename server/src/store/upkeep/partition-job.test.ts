// F12: for fourteen days nobody can make partitions ahead. The job's day moves; what it meets is a datastore that really
// refuses it.
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { storing } from '../../testing/store/storing.ts';
import { openEngine } from '../layout/engine/open.ts';
import { plain } from '../layout/engine/plain.ts';
import { dayOf } from '../layout/engine/types.ts';
import { runMaintenance } from './maintenance.ts';
import { verifyStore } from './verify.ts';

const PROBE = { ...SERVER, retentionDays: 30 };

it('F12: the partition job fails for fourteen days, and every sample is stored all the same', async () => {
  const store = await storing();
  onTestFinished(() => store.close());
  const applicationName = 'a job that may not';
  const job = new Database({ url: store.url, log: silentLog, applicationName, max: 2 });
  onTestFinished(() => job.stop());
  await openEngine(job);
  const maintain = (now: number) => runMaintenance({ db: job, probes: [PROBE], now });
  const id = await store.leased();
  const today = dayOf(systemClock.now());
  const begin = today - 14 * DAY_MS;
  expect(await maintain(begin + 1)).toMatchObject({ made: 4, problems: [] });
  await store.db.run(sql`/* test.refuse */
    create function public.refuse() returns event_trigger language plpgsql as $$
    begin
      if current_setting('application_name') = 'a job that may not' then
        raise exception 'no partitions today';
      end if;
    end $$`);
  await store.db.run(sql`/* test.refuse */
    create event trigger refuse on ddl_command_start when tag in ('CREATE TABLE')
    execute function public.refuse()`);
  const stored = async () =>
    (
      await store.db.one<{ n: number }>(
        sql`/* test.stored */ select count(*) as n from metrics.test_server where connection_id = ${id}`,
      )
    ).n;
  for (let day = 1; day <= 14; day += 1) {
    const at = begin + day * DAY_MS + 1;
    const report = await maintain(at);
    // Three days ahead were there; each day lacks one more, in the end the day itself, and the job says all of them.
    expect(report.made).toBe(0);
    expect(report.problems).toHaveLength(Math.min(day, 4));
    expect(report.problems[0]).toMatch(/^test_server: .*no partitions today/);
    const writer = store.writer({ probes: [PROBE], flushMs: 5 });
    writer.add(keptRun(PROBE, { connection_id: id, at, rows: [{ kind: 'a', reads: day, load: 1 }] }));
    await writer.stop();
    expect(await stored()).toBe(day);
  }
  const ahead = (checks: Awaited<ReturnType<typeof verifyStore>>) =>
    checks.find(({ what }) => what === 'test_server: days ahead')?.problem;
  expect(ahead(await verifyStore(store.db, { now: today + 1 }))).toMatch(/2 of the next two days/);
  await store.db.run(sql`/* test.relent */ drop event trigger refuse`);
  expect(await maintain(today + 1)).toMatchObject({ made: 3, problems: [] });
  expect(ahead(await verifyStore(store.db, { now: today + 1 }))).toBeNull();
  const days = (await plain.partitions(store.db, ['test_server'])).map(({ day }) => (day - begin) / DAY_MS);
  expect(days).toEqual(Array.from({ length: 18 }, (_, n) => n));
});
