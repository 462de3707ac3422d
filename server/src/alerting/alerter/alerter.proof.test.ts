// An alerter whose process is killed, and what no look can see. One that ends or freezes is in alerter.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { newKeyFile, startAlerterProcess } from '../../testing/api-process.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { judge, judging, unjudged } from '../../testing/store/judges.ts';
import { ALERTER_JOB } from './alerter.ts';

it('is replaced at once when it is killed, however long its lease would last', async () => {
  const house = await unjudged();
  onTestFinished(() => house.close());
  // The program makes an administrator.
  await house.db.run(sql`/* test.users */ select setval('matriarch.users_id_seq', 100)`);
  const killed = await startAlerterProcess(house.url, newKeyFile(), []);
  onTestFinished(async () => {
    await killed.kill('SIGKILL');
  });
  const holder = sql`/* test.holder */ select owner from matriarch.jobs where name = ${ALERTER_JOB}`;
  await expect.poll(() => house.db.rows(holder)).toHaveLength(1);
  const { owner, epoch } = await judging(house);
  // It would look by itself in an hour.
  judge(house, 'two', { everyMs: 3_600_000 });
  await killed.kill('SIGKILL');
  await house.db.run(sql`/* test.long */
    update matriarch.jobs set expires_at = now() + interval '1 hour'
    where name = ${ALERTER_JOB} and owner = ${owner} and epoch = ${epoch}`);
  await expect.poll(() => judging(house)).toMatchObject({ owner: 'two', epoch: epoch + 1 });
});

it('judges within a quarter of a minute what no look can see', async () => {
  const house = await unjudged();
  onTestFinished(() => house.close());
  const id = await house.leased();
  const counted = countedDb(house.db);
  judge({ ...house, db: counted }, 'one');
  const looks = () => counted.sent.filter((text) => text.includes('/* alerter.look */')).length;
  await expect.poll(looks).toBeGreaterThan(6);
  await house.db.run(sql`/* test.orphan */
    insert into matriarch.alerts (
      alert_type, raised_by, connection_id, severity, title, description, status, triggered_at, last_updated
    )
    values ('threshold', 'rule:of_before', ${id}, 'warning', 'Old', 'Old.', 'active', now(), now())`);
  counted.reset();
  await expect.poll(looks).toBeGreaterThan(6);
  const status = async () => (await house.alerts()).map((one) => one.status);
  expect(await status()).toEqual(['active']);
  await expect.poll(status, { timeout: 15_000 }).toEqual(['cleared']);
}, 30_000);
