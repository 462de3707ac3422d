// The tree of locks, of rows as the probe reads them.
import { describe, expect, it } from 'vitest';
import type { Row } from '../../store/layout/types.ts';
import { lockTree } from './lock-tree.ts';

const waits = (pid: number, blocking_pid: number, more: Row = {}): Row => ({
  pid,
  blocking_pid,
  datname: 'shop',
  usename: `user ${pid}`,
  application_name: 'app',
  query: `query ${pid}`,
  locktype: 'transactionid',
  mode: 'ShareLock',
  lock_object: 'transaction 7',
  waitstart: `2026-11-20T10:00:${String(pid % 60).padStart(2, '0')}.000Z`,
  wait_seconds: 60 - (pid % 60),
  blocking_datname: 'shop',
  blocking_usename: `user ${blocking_pid}`,
  blocking_application_name: 'app',
  blocking_client_addr: '10.0.0.1',
  blocking_state: 'idle in transaction',
  blocking_query: `query ${blocking_pid}`,
  blocking_xact_start: '2026-11-20T09:00:00.000Z',
  blocking_xact_seconds: 3600,
  blocking_idle_seconds: 3000,
  ...more,
});

const outline = (rows: readonly Row[]) =>
  lockTree(rows).nodes.map(
    ({ pid, depth, blocked_count }) => `${'  '.repeat(depth)}${pid} (${blocked_count})`,
  );

describe('the tree of locks', () => {
  it('has the root on top, and each session that waits once, beneath who holds it up', () => {
    // 3 queues behind 2, and is held up by 1 as well.
    const rows = [waits(2, 1), waits(3, 2), waits(3, 1), waits(4, 3), waits(11, 10)];
    expect(outline(rows)).toEqual(['1 (3)', '  3 (1)', '    4 (0)', '  2 (0)', '10 (1)', '  11 (0)']);
    const tree = lockTree(rows);
    expect([tree.waiting_count, tree.root_count]).toEqual([4, 2]);
    expect(tree.nodes[0]).toEqual({
      pid: 1,
      kind: 'session',
      blocked_by_pid: null,
      also_blocked_by: [],
      depth: 0,
      blocked_count: 3,
      is_in_circle: false,
      database: 'shop',
      user_name: 'user 1',
      application_name: 'app',
      client_address: '10.0.0.1',
      state: 'idle in transaction',
      query: 'query 1',
      gid: null,
      transaction_started_at: '2026-11-20T09:00:00.000Z',
      transaction_seconds: 3600,
      idle_in_transaction_seconds: 3000,
      waits: null,
    });
    expect(tree.nodes[1]).toMatchObject({
      pid: 3,
      blocked_by_pid: 1,
      also_blocked_by: [2],
      waits: {
        since: '2026-11-20T10:00:03.000Z',
        seconds: 57,
        lock_type: 'transactionid',
        mode: 'ShareLock',
        object: 'transaction 7',
      },
    });
  });

  it('is cut in a circle above the one that has waited longest', () => {
    const rows = [waits(21, 22), waits(22, 23), waits(23, 21), waits(24, 23)];
    expect(outline(rows)).toEqual(['21 (3)', '  23 (2)', '    22 (0)', '    24 (0)']);
    const { nodes, root_count } = lockTree(rows);
    expect(root_count).toBe(1);
    expect(nodes[0]).toMatchObject({ is_in_circle: true, blocked_by_pid: null, also_blocked_by: [22] });
    expect(nodes[0]?.waits).not.toBeNull();
  });

  it('has roots of which nothing is known, and prepared transactions', () => {
    const gone = {
      blocking_datname: null,
      blocking_usename: null,
      blocking_application_name: null,
      blocking_client_addr: null,
      blocking_state: null,
      blocking_query: null,
      blocking_xact_start: null,
      blocking_xact_seconds: null,
      blocking_idle_seconds: null,
    };
    const { nodes } = lockTree([waits(2, 1, gone), waits(4, 0, gone)]);
    expect(nodes.map(({ pid, kind, state }) => [pid, kind, state])).toEqual([
      [0, 'prepared_transaction', null],
      [4, 'session', null],
      [1, 'unknown', null],
      [2, 'session', null],
    ]);
  });

  it('tells prepared transactions apart, and says of each what ends it', () => {
    const prepared = (gid: string, seconds: number) => ({
      blocking_usename: 'owner',
      blocking_datname: 'shop',
      blocking_application_name: null,
      blocking_client_addr: null,
      blocking_state: null,
      blocking_query: null,
      blocking_gid: gid,
      blocking_xact_seconds: seconds,
      blocking_idle_seconds: null,
    });
    const { nodes, root_count } = lockTree([
      waits(2, 0, prepared('a', 90)),
      waits(3, 0, prepared('b', 30)),
      waits(4, 0, prepared('a', 90)),
    ]);
    expect(root_count).toBe(2);
    const kind = 'prepared_transaction';
    const owned = { pid: 0, kind, user_name: 'owner', database: 'shop' };
    expect(nodes.filter(({ depth }) => depth === 0)).toMatchObject([
      { ...owned, gid: 'a', blocked_count: 2, transaction_seconds: 90, idle_in_transaction_seconds: null },
      { ...owned, gid: 'b', blocked_count: 1, transaction_seconds: 30 },
    ]);
    expect(nodes.filter(({ depth }) => depth === 1).map((one) => one.blocked_by_pid)).toEqual([0, 0, 0]);
  });

  it('takes chains and crowds of thousands, and answers at most 500 sessions', () => {
    const chain = Array.from({ length: 5000 }, (_none, n) => waits(n + 2, n + 1));
    const tree = lockTree(chain);
    expect([tree.waiting_count, tree.root_count, tree.nodes.length]).toEqual([5000, 1, 500]);
    expect(tree.nodes[0]).toMatchObject({ pid: 1, blocked_count: 5000 });
    const circle = lockTree([...chain, waits(1, 5001)]);
    expect(circle.root_count).toBe(1);
    const crowd = lockTree(Array.from({ length: 5000 }, (_none, n) => waits(n + 2, 1)));
    expect(crowd.nodes.length).toBe(500);
    expect(crowd.nodes[0]?.blocked_count).toBe(5000);
    expect(lockTree([])).toEqual({ waiting_count: 0, root_count: 0, nodes: [] });
  });
});
