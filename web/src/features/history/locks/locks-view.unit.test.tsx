// Who waits for whom at a moment: the root on top with what it does, those that wait beneath, and what stands there where
// nothing waits or nothing is known.
import { cleanup, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { loadFor, lockNode, momentAt } from '../../../testing/moment.ts';
import { show } from '../../../testing/show.tsx';
import type { Moment } from '../sessions/use-moment.ts';
import { LocksView } from './locks-view.tsx';

const PAST = '&from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&at=2026-11-20T11:00:00Z&zone=utc';
const AT = '2026-11-20T11:00:00.000Z';

async function open(locks: Moment['locks'], search = PAST) {
  await startApi({
    listTimelineEvents: { events: [], total_count: 0 },
    getConnectionLoad: ({ path }) => loadFor(path),
    getConnectionMoment: momentAt(AT, { locks }),
  });
  show(<LocksView id={1} />, {
    at: `/servers/1?tab=locks${search}`,
  });
  return within(await screen.findByRole('region', { name: 'Locks' }));
}

const waits = (seconds: number) => ({
  since: null,
  seconds,
  lock_type: 'transactionid',
  mode: 'ShareLock',
  object: 'transaction 7',
});

it('has the root on top, and says what it holds up and for how long', async () => {
  const locks = await open({
    as_of: '2026-11-20T10:59:57.000Z',
    reason: null,
    waiting_count: 2,
    root_count: 1,
    nodes: [
      lockNode(1, {
        blocked_count: 2,
        state: 'idle in transaction',
        application_name: 'nightly',
        transaction_seconds: 300,
        idle_in_transaction_seconds: 240,
      }),
      lockNode(2, { depth: 1, blocked_by_pid: 1, blocked_count: 1, waits: waits(45) }),
      lockNode(3, { depth: 2, blocked_by_pid: 2, also_blocked_by: [1], waits: waits(30) }),
    ],
  });
  expect(locks.getByText(/^read at/).textContent).toBe('read at 2026-11-20 10:59:57');
  locks.getByText('2 sessions wait for locks held by 1 blocker.');
  const nodes = locks.getAllByRole('listitem');
  expect(nodes.map((node) => [node.dataset.depth, node.querySelector('strong')?.textContent])).toEqual([
    ['0', 'Process 1'],
    ['1', 'Process 2'],
    ['2', 'Process 3'],
  ]);
  const [root, , last] = nodes;
  if (!root || !last) throw new Error('the tree is not on the screen');
  within(root).getByText('blocks 2 sessions, its transaction is open for 5 min, idle in it for 4 min');
  within(root).getByText('app on shop · nightly');
  within(last).getByText('waits for 30 s for ShareLock on transaction 7, blocked by 2, 1');
  expect(last.querySelector('summary')?.textContent).toBe('update stock set n = 3');
});

it('says that nothing waited, and how that is known', async () => {
  const locks = await open({
    as_of: AT,
    reason: 'Nothing was found in the 15 s before.',
    waiting_count: 0,
    root_count: 0,
    nodes: [],
  });
  locks.getByText('Nothing waited for a lock');
  locks.getByText('Nothing was found in the 15 s before.');
});

it('says why nothing is known, which is not that nothing waited', async () => {
  const reason = '2 sessions waited for a lock; who held it was not read before this instant.';
  const locks = await open({ as_of: null, reason, waiting_count: null, root_count: null, nodes: null });
  locks.getByText(reason);
  expect(locks.queryByText('Nothing waited for a lock')).toBeNull();
});

it('names blockers that are no sessions, and circles', async () => {
  const locks = await open({
    as_of: AT,
    reason: null,
    waiting_count: 5,
    root_count: 4,
    nodes: [
      lockNode(0, {
        kind: 'prepared_transaction',
        blocked_count: 1,
        user_name: null,
        database: null,
        query: null,
      }),
      lockNode(0, {
        kind: 'prepared_transaction',
        gid: "it's stuck",
        blocked_count: 2,
        user_name: 'owner',
        database: 'shop',
        query: null,
        transaction_seconds: 90,
      }),
      lockNode(5, { kind: 'unknown', blocked_count: 1 }),
      lockNode(6, { is_in_circle: true, blocked_count: 1, also_blocked_by: [7], waits: waits(1) }),
    ],
  });
  locks.getByText('A prepared transaction');
  locks.getByText("Prepared transaction it's stuck");
  locks.getByText(/^blocks 2 sessions, was prepared .+ ago/);
  locks.getByText("rollback prepared 'it''s stuck';");
  locks.getByText('blocks 1 session, it was gone when it was looked at');
  locks.getByText('blocks 1 session, part of a deadlock');
});

it('shows the statement that ends the blocker of now, and none of a moment of before', async () => {
  const found = {
    ...{ as_of: AT, reason: null, waiting_count: 1, root_count: 1 },
    nodes: [
      lockNode(1, { blocked_count: 1 }),
      lockNode(2, { depth: 1, blocked_by_pid: 1, waits: waits(45) }),
      lockNode(0, { kind: 'prepared_transaction', blocked_count: 1 }),
    ],
  };
  const now = await open(found, '');
  now.getByText('select pg_terminate_backend(1);');
  expect(now.getAllByRole('button', { name: /^Copy pg_terminate_backend/ })).toHaveLength(1);
  cleanup();
  const past = await open(found);
  expect(past.queryByText(/pg_terminate_backend/)).toBeNull();
});
