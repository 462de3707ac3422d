// Alerts about lock waits name the session at the root of the lock tree, where a tree of the same time knows it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting({ hasTables: true });
});
afterEach(() => house.close());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** A session that has waited for a lock for a minute and a half. */
const waiting = (id: number) =>
  house.feed(id, 'pg_stat_activity', {
    rows: [
      {
        ...{ pid: 11, state: 'active', wait_event_type: 'Lock', backend_type: 'client backend' },
        ...{ query_start: ago(92), waitstart: ago(92), state_change: ago(92) },
      },
    ],
    ago: 2,
  });

const edge = (pid: number, blocking_pid: number, more: object = {}) => ({
  ...{ pid, blocking_pid, root_pid: 30444, depth: blocking_pid === 30444 ? 1 : 2 },
  ...{ blocking_application_name: 'payroll-import', blocking_state: 'idle in transaction', ...more },
});

const texts = async () =>
  (await house.alerts())
    .filter(({ raised_by }) => raised_by === 'rule:lock_wait_time')
    .map((one) => one.description);

/** As incidents show it. */
const details = async () =>
  (
    await house.db.rows<{ detail: string | null }>(sql`/* test.details */
      select a.detail from matriarch.alerts a where a.raised_by = 'rule:lock_wait_time' order by a.id`)
  ).map(({ detail }) => detail);

it('names the root behind which most sessions wait', async () => {
  const id = await house.leased();
  const rows = [
    edge(11, 30444),
    edge(12, 30444),
    edge(13, 12, { blocking_application_name: 'web', blocking_state: 'active' }),
    { ...edge(21, 20), root_pid: 20 },
  ];
  await house.feed(id, 'pg_locks_tree', { rows, ago: 5 });
  await waiting(id);
  await house.round();
  expect(await texts()).toEqual([
    expect.stringMatching(
      /^Longest lock wait: .* \(threshold 30 s\)\. PID 30444 of "payroll-import", idle in transaction, blocks 3 sessions\. A /,
    ),
  ]);
  expect(await details()).toEqual(['PID 30444 of "payroll-import", idle in transaction, blocks 3 sessions']);
});

it('names a prepared transaction by its identifier', async () => {
  const id = await house.leased();
  const rows = [
    { ...edge(11, 0, { blocking_gid: 'order-7', blocking_application_name: null }), root_pid: 0 },
  ];
  await house.feed(id, 'pg_locks_tree', { rows, ago: 5 });
  await waiting(id);
  await house.round();
  expect(await texts()).toEqual([
    expect.stringContaining('(threshold 30 s). Prepared transaction "order-7" blocks 1 session. '),
  ]);
});

it('names nothing where the lock tree is older, or of another server', async () => {
  const [id, other] = [await house.leased(), await house.leased()];
  await house.feed(id, 'pg_locks_tree', { rows: [edge(11, 30444)], ago: 300 });
  await house.feed(other, 'pg_locks_tree', { rows: [edge(11, 30444)], ago: 5 });
  await waiting(id);
  await house.round();
  expect(await texts()).toEqual([expect.stringMatching(/^Longest lock wait: [^(]*\(threshold 30 s\)\. /)]);
});
