// Rows that probes store, which the cases of rules are made of.
import type { Row } from '../../store/layout/types.ts';

export const MINUTE = 60;
export const HOUR = 3600;

export interface Case {
  probe: string;
  /** What is beyond the threshold, and what is not; at so many seconds from now. */
  bad(at: number): Row[];
  good(at: number): Row[];
  /** What grows is judged by the last hour: rows of the run before the bad one. */
  before?: Row[];
  /** Of the database. */
  database_name?: string;
  /** What else has to be known. */
  beside?: { probe: string; rows: Row[] };
  /** As long the condition was met before it counts, in seconds. */
  lasts?: number;
  object?: string;
  /** In the alert's words. */
  says?: RegExp;
}

export const time = (at: number, seconds: number) =>
  new Date(Date.now() + (at - seconds) * 1000).toISOString();
const session = (more: Row): Row => ({
  pid: 7,
  backend_type: 'client backend',
  datname: 'shop',
  ...more,
});
export const sessions = (count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, (_none, n) => session({ pid: n + 1, ...more }));

/** A gauge: these rows, or those. */
export const levels = (
  probe: string,
  [bad, good]: readonly [Row[], Row[]],
  more: Partial<Case> = {},
): Case => ({
  probe,
  bad: () => bad,
  good: () => good,
  ...more,
});
/** A counter that goes from one value to another, and stays there. */
export const counts = (probe: string, [from, to]: readonly [Row, Row], more: Partial<Case> = {}): Case => ({
  probe,
  before: [from],
  bad: () => [to],
  good: () => [to],
  ...more,
});
/** A session that has been like that for so long. */
export const ages = (column: string, seconds: [bad: number, good: number], more: Row): Case => ({
  probe: 'pg_stat_activity',
  bad: (at) => [session({ ...more, [column]: time(at, seconds[0]) })],
  good: (at) => [session({ ...more, [column]: time(at, seconds[1]) })],
});

const spock = (probe: string, count: number): Row[] =>
  Array.from({ length: count }, (_none, n) =>
    probe === 'spock_resolutions'
      ? { id: n + 1, node_name: 'n1' }
      : {
          remote_origin: 1,
          remote_commit_ts: time(0, 60),
          command_counter: n + 1,
          retry_errored_at: time(0, 60),
        },
  );
export const logs = (probe: string, count: number) =>
  levels(probe, [spock(probe, count), []], { database_name: 'shop' });
export const slot = (more: Row): Row[] => [{ slot_name: 's', active: true, retained_bytes: 0, ...more }];
export const disk = (used_space: number): Row[] => [
  { mount_point: '/data', total_space: 100, used_space, free_space: 100 - used_space },
];
const table = (more: Row): Row[] => [
  { relid: 1, schemaname: 'public', relname: 'orders', n_live_tup: 10_000, n_dead_tup: 0, ...more },
];
export const tables = (bad: Row, good: Row, more: Partial<Case> = {}) =>
  levels('pg_stat_all_tables', [table(bad), table(good)], {
    ...{ database_name: 'shop', object: 'public.orders' },
    ...more,
  });
export const slow = (calls: number, total_exec_time: number): Row[] =>
  Array.from({ length: 12 }, (_none, n) => ({
    ...{ userid: 10, dbid: 5, toplevel: true, queryid: String(n + 1) },
    ...{ calls, total_exec_time },
  }));
/** A statement that runs once a second: of 10 ms until an hour ago, of 21 ms since, of 10 ms again and far more often after. */
export function slower(at: number): Row[] {
  const of = (queryid: string, calls: number, total_exec_time: number) => ({
    ...{ userid: 10, dbid: 5, toplevel: true, queryid, calls, total_exec_time },
  });
  const since = at + 3 * HOUR;
  const [before, slow, after] = [Math.min(since, 2 * HOUR), Math.min(since - 2 * HOUR, HOUR), 100 * at];
  const calls = before + Math.max(0, slow) + Math.max(0, after);
  return [
    of('1', calls, 10 * before + 21 * Math.max(0, slow) + 10 * Math.max(0, after)),
    // Slower by far, and of no weight.
    of('2', since, 0.1 * before + Math.max(0, slow)),
    // Slower by far, and run too rarely.
    of('3', Math.floor(since / 120), 0.5 * before + 5 * Math.max(0, slow)),
  ];
}
const sequence = (exhausted_percent: number): Row[] => [
  { seqrelid: 1, schemaname: 'public', sequencename: 'orders_id_seq', exhausted_percent },
];
export const sequences = (bad: number, good: number) =>
  levels('pg_sequence_usage', [sequence(bad), sequence(good)], {
    ...{ database_name: 'shop', object: 'public.orders_id_seq' },
  });
export const wraparound = (column: string, bad: number, good: number) =>
  levels('pg_wraparound', [[{ datname: 'shop', [column]: bad }], [{ datname: 'shop', [column]: good }]], {
    object: 'shop',
  });
export const index = (finding: string): Row[] => [
  { object_oid: 1, finding, schemaname: 'public', relname: 'orders', indexrelname: 'orders_buyer' },
];
export const blocks = (blks_hit: number, blks_read: number): Row => ({
  datname: 'shop',
  blks_hit,
  blks_read,
});
