// Alerts about the age of a session name the session, and say nothing of who it is where the sample does not.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting({ hasTables: true });
});
afterEach(() => house.close());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const client = (pid: number, more: object) => ({ pid, backend_type: 'client backend', ...more });

const textOf = async (rule: string) =>
  (await house.alerts())
    .filter(({ raised_by }) => raised_by === `rule:${rule}`)
    .map(({ description }) => description);

it('names the session that has been idle in its transaction longest, by its application', async () => {
  const id = await house.leased();
  const idle = 'idle in transaction';
  const rows = [
    client(1, { state: 'idle', application_name: 'pool', state_change: ago(9000) }),
    client(2, { state: idle, application_name: 'web', state_change: ago(320) }),
    client(3, { state: idle, application_name: 'analyst-notebook', state_change: ago(340) }),
  ];
  await house.feed(id, 'pg_stat_activity', { rows, ago: 2 });
  await house.round();
  expect(await textOf('idle_in_transaction')).toEqual([
    expect.stringMatching(
      /^Longest time idle in transaction: 5 min \d+ s \(threshold 5 min\)\. The session is PID 3 of "analyst-notebook"\. The session keeps /,
    ),
  ]);
});

it('names a session without an application by its user, and a walsender never', async () => {
  const id = await house.leased();
  const rows = [
    client(4, { state: 'active', usename: 'etl', application_name: '', query_start: ago(700) }),
    { pid: 5, backend_type: 'walsender', state: 'active', application_name: 'b', query_start: ago(9000) },
  ];
  await house.feed(id, 'pg_stat_activity', { rows, ago: 2 });
  await house.round();
  expect(await textOf('long_running_queries')).toEqual([
    expect.stringContaining('(threshold 10 min). The session is PID 4 of user "etl". '),
  ]);
});
