// What a server does now, in lines.
import { expect, it } from 'vitest';
import { lockNode, momentAt, sessionRow } from '../../../testing/moment.ts';
import { linesOf } from './now-words.ts';

const AT = '2026-11-20T10:15:00.000Z';
const lineOf = (name: string, moment: Parameters<typeof linesOf>[0]) =>
  linesOf(moment).find((line) => line.name === name);

it('says who blocks whom, before all that is well', () => {
  const nodes = [
    lockNode(4242, {
      blocked_count: 3,
      application_name: 'nightly',
      transaction_seconds: 90,
      idle_in_transaction_seconds: 62,
    }),
    lockNode(4711, {
      depth: 1,
      waits: { since: null, lock_type: null, mode: null, object: null, seconds: 42 },
    }),
  ];
  const moment = momentAt(AT, {
    locks: { as_of: AT, reason: null, waiting_count: 3, root_count: 1, nodes },
  });
  expect(linesOf(moment)[0]).toEqual({
    name: 'Lock waits',
    value: '3 sessions wait, longest 42 s',
    detail: 'held by PID 4242 (nightly), idle in transaction for 1 min 2 s',
    isWrong: true,
    tab: 'locks',
    at: AT,
  });
});

it('names the longest query of a client, and the longest that idles in its transaction', () => {
  const rows = [
    sessionRow(1, { query_seconds: 500, state: 'idle' }),
    sessionRow(2, { query_seconds: 900, backend_type: 'walsender' }),
    sessionRow(3, { query_seconds: 20 }),
    sessionRow(4, { query_seconds: 61, query: 'select\n  2' }),
    sessionRow(5, { state: 'idle in transaction', state_seconds: 40, application_name: '' }),
  ];
  const moment = momentAt(AT, { sessions: { as_of: AT, reason: null, total_count: 5, rows } });
  expect(lineOf('Longest query', moment)).toMatchObject({
    value: '1 min 1 s (PID 4, checkout)',
    detail: 'select 2',
  });
  expect(lineOf('Idle in transaction', moment)).toMatchObject({ value: '40 s (PID 5, app)', isWrong: true });
});

it('says how many connections are used from 80 % of max_connections on, and by what', () => {
  const rows = [
    sessionRow(1, { backend_type: 'checkpointer', state: null, application_name: '' }),
    ...[2, 3, 4].map((pid) => sessionRow(pid, { state: 'idle' })),
    sessionRow(5, { application_name: 'nightly' }),
  ];
  const of = (max_connections: number | null, total_count = rows.length) => {
    const { server } = momentAt(AT);
    const sessions = { as_of: AT, reason: null, total_count, rows };
    return lineOf('Connections', momentAt(AT, { sessions, server: { ...server, max_connections } }));
  };
  expect(of(5)).toMatchObject({
    value: '4 of 5 used',
    detail: '3 sessions of checkout, 3 idle',
    isWrong: true,
    tab: 'sessions',
  });
  expect(of(6)).toBeUndefined();
  expect(of(null)).toBeUndefined();
  // Only some of them are listed: nothing is said of the others.
  expect(of(1000, 901)).toMatchObject({ value: '900 of 1,000 used', detail: undefined });
});

it('takes what was not read for unknown, with its reason, and none for none', () => {
  const reason = 'Locks are not collected.';
  const moment = momentAt(AT, {
    locks: { as_of: null, reason, waiting_count: null, root_count: null, nodes: null },
  });
  expect(lineOf('Lock waits', moment)).toMatchObject({ value: null, because: reason });
  expect(lineOf('CPU', moment)).toMatchObject({ value: null, because: 'No source knows this.' });
  expect(lineOf('Longest query', moment)).toMatchObject({ value: 'none running' });
  expect(lineOf('Lock waits', momentAt(AT))).toMatchObject({ value: 'none' });
  expect(lineOf('Replication lag', moment)).toMatchObject({ value: 'no standby connected' });
});

it('shows the standby that lags most', () => {
  const link = (application_name: string, replay_lag_seconds: number | null) => ({
    ...{ role: 'primary', pid: 1, application_name, client_address: null, state: 'streaming' },
    ...{ sync_state: 'async', receiver_status: null, sender_host: null, lag_bytes: 8192 },
    ...{ write_lag_seconds: null, flush_lag_seconds: null, replay_lag_seconds, replay_pause_state: null },
  });
  const rows = [link('near', null), link('far', 214)];
  const lag = lineOf('Replication lag', momentAt(AT, { replication: { as_of: AT, reason: null, rows } }));
  expect(lag).toMatchObject({ detail: 'to far', isWrong: true });
  const alone = { ...link('', null), role: 'standby', pid: 0 };
  const none = momentAt(AT, { replication: { as_of: AT, reason: null, rows: [alone] } });
  expect(lineOf('Replication lag', none)).toMatchObject({
    value: 'no WAL receiver: nothing reaches this standby',
    isWrong: true,
  });
  const paused = { ...link('', 4), role: 'standby', pid: 9, application_name: null, sender_host: 'db1' };
  const still = momentAt(AT, {
    replication: { as_of: AT, reason: null, rows: [{ ...paused, replay_pause_state: 'paused' }] },
  });
  expect(lineOf('Replication lag', still)).toMatchObject({
    value: '4 s',
    detail: 'WAL replay paused, from db1',
    isWrong: true,
  });
});

it('names the slot without a consumer that retains most, on a primary', () => {
  const slot = (slot_name: string, active: boolean, retained_bytes: number) => ({
    ...{ slot_name, active, retained_bytes },
    ...{ slot_type: 'physical', database: null, wal_status: 'reserved' },
  });
  const rows = [slot('used', true, 9e9), slot('small', false, 8192), slot('old', false, 70 * 1024 ** 2)];
  const on = (is_in_recovery: boolean) => {
    const moment = momentAt(AT, { slots: { as_of: AT, reason: null, rows } });
    return lineOf('Replication slots', { ...moment, server: { ...moment.server, is_in_recovery } });
  };
  expect(on(false)).toMatchObject({
    ...{ value: '2 without a consumer', detail: '"old" retains 70 MB of WAL' },
    ...{ isWrong: true, tab: 'replication', at: AT },
  });
  expect(on(true)).toBeUndefined();
  expect(lineOf('Replication slots', momentAt(AT))).toBeUndefined();
});

it('leaves out a share of waiting for disks that explains nothing', () => {
  const of = (io_wait_percent: number) => {
    const moment = momentAt(AT);
    const cpu = { ...moment.host.cpu, busy_percent: 95, io_wait_percent };
    return lineOf('CPU', { ...moment, host: { ...moment.host, cpu } })?.detail;
  };
  expect(of(0.0167)).toBeUndefined();
  expect(of(42)).toBe('42 % waiting for disks');
});
