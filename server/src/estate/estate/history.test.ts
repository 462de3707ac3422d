// The estate's last 24 hours and tiles over HTTP, on histories written as the collector leaves them, rolled up by the real
// compaction, where every number is known beforehand. The clock stands still.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { compileReply } from '../../kernel/reply-filter.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import { probe as activeSessions } from '../../probes/pg-active-sessions.ts';
import { probe as databases } from '../../probes/pg-stat-database.ts';
import { runCompaction } from '../../store/compact/compact.ts';
import { layoutOf } from '../../store/layout/table-layout.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { SOON } from '../../testing/collecting-tests.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { type CollectedRun, collectedHistory } from '../../testing/store/collected.ts';
import { estateRoutes } from './estate.routes.ts';
import { type EstateHistoryResponse, getEstateHistory } from './history.contract.ts';

type History = Static<typeof EstateHistoryResponse>;

/** A whole hour; it is half past. */
const H = Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
const NOW = H + 30 * MINUTE_MS;
const clock = manualClock(NOW);

let test: TestApi;
let token: string;
let user: number;
let busy: number;
let quiet: number;
let silent: number;
let paused: number;
let off: number;
let young: number;

async function ask(as = token): Promise<History> {
  test.statements.reset();
  const { status, text } = await test.call('GET /api/v1/estate/history', { token: as });
  expect(status, text).toBe(200);
  return JSON.parse(text);
}

const serverIn = (history: History, id: number) => {
  const found = history.servers.find(({ connection_id }) => connection_id === id);
  if (!found) throw new Error(`server ${id} is not there`);
  return found;
};

/** Ticks of active sessions from one moment to another, every so many seconds. */
function ticks(
  from: number,
  to: number,
  of: { every: number; sessions: number; id?: number },
): CollectedRun[] {
  const row = { state: 'active', datname: 'shop', usename: 'app', backend_type: 'client backend' };
  const count = Math.floor((to - from) / (of.every * SECOND_MS));
  return Array.from({ length: count }, (_none, n) => ({
    connection_id: of.id ?? busy,
    probe: 'pg_active_sessions',
    at: from + (n + 1) * of.every * SECOND_MS,
    rows: of.sessions === 0 ? [] : [{ ...row, is_rest: false, sessions: of.sessions }],
  }));
}
const idleTicks = (from: number, to: number) => ticks(from, to, { every: 20, sessions: 0 });
const working = (from: number, to: number, sessions: number) => ticks(from, to, { every: 2, sessions });

const session = (pid: number, backend_type: string | null, state: string | null) => ({
  pid,
  backend_type,
  state,
});

const database = (datname: string, minute: number, row: Record<string, number>): CollectedRun => ({
  connection_id: busy,
  probe: 'pg_stat_database',
  database_name: datname,
  at: NOW - minute * MINUTE_MS,
  rows: [{ datname, stats_reset: iso(H - 24 * HOUR_MS), ...row }],
});

beforeAll(async () => {
  test = await startTestApi({ rooms: [estateRoutes], clock });
  const made = await makeUser(test.db);
  [token, user] = [made.session, made.user_id];
  const add = (name: string) => makeConnection(test.db, { owner_id: user, name, is_monitored: true });
  [busy, quiet, silent] = [await add('busy'), await add('quiet'), await add('silent')];
  paused = await makeConnection(test.db, { owner_id: user, name: 'paused' });
  off = await add('off');
  young = await add('young');
  const one = (probe: string, rows: Record<string, unknown>[], at = NOW - 5 * SECOND_MS): CollectedRun => ({
    connection_id: busy,
    probe,
    at,
    rows,
  });
  await collectedHistory(test.db, [
    // Three hours ago nothing went on. Then 20 minutes of three sessions and nobody could read it for four minutes; in the
    // hour before this one for ninety seconds. From ten past this hour on there are two.
    ...idleTicks(H - 3 * HOUR_MS, H - 2 * HOUR_MS),
    ...working(H - 2 * HOUR_MS, H - 2 * HOUR_MS + 20 * MINUTE_MS, 3),
    ...idleTicks(H - 2 * HOUR_MS + 24 * MINUTE_MS, H - HOUR_MS),
    ...idleTicks(H - HOUR_MS, H - HOUR_MS + 10 * MINUTE_MS),
    ...idleTicks(H - HOUR_MS + 11.5 * MINUTE_MS, H + 10 * MINUTE_MS),
    ...working(H + 10 * MINUTE_MS, NOW, 2),
    // In five minutes 300 commits and 100 rollbacks in one database, 600 commits in the other; 90 % found.
    ...[0, 1, 2].flatMap((n) => [
      database('shop', 5 * n, {
        xact_commit: 900 - 300 * n,
        xact_rollback: 300 - 100 * n,
        blks_hit: 9000 - 900 * n,
        blks_read: 900 - 100 * n,
      }),
      database('zoo', 5 * n, { xact_commit: 1800 - 600 * n, xact_rollback: 0, blks_hit: 0, blks_read: 0 }),
    ]),
    one('pg_stat_activity', [
      session(1, 'client backend', 'active'),
      session(2, 'client backend', 'idle'),
      session(3, 'client backend', 'idle'),
      session(4, null, null),
      session(5, 'checkpointer', null),
    ]),
    one('pg_stat_replication', [
      { role: 'primary', pid: 7, replay_lag: 0.5, lag_bytes: 9000 },
      { role: 'primary', pid: 8, replay_lag: 4, lag_bytes: 100 },
    ]),
    one('pg_sys_cpu_info', [{ logical_processor: 8 }]),
    // A control group allows less.
    one('host', [{ kind: 'value', field: 'cgroup_cpu_limit', value: 2.5 }]),
    one('pg_sys_disk_info', [
      { mount_point: '/', total_space: 1000, used_space: 900, free_space: 100 },
      {
        mount_point: '/data',
        total_space: 8_000_000_000_000,
        used_space: 4_000_000_000_000,
        free_space: 4_000_000_000_000,
      },
    ]),
    { ...one('pg_server_info', [{ max_connections: 100 }]), history_by: [] },
    // Both were read an hour ago for the last time: one is paused since, of the other it was switched off.
    ...[paused, off].flatMap((id) => ticks(H - 2 * HOUR_MS, H - HOUR_MS, { every: 20, sessions: 0, id })),
    {
      connection_id: off,
      probe: 'pg_active_sessions',
      at: NOW,
      skipped: { reason: 'Switched off.', mend: null, cause: 'disabled' },
    },
    // Just added: its active sessions are sampled, and not rolled up yet.
    {
      connection_id: young,
      probe: 'pg_stat_activity',
      at: NOW - SECOND_MS,
      rows: [session(1, 'client backend', 'active'), session(2, 'client backend', 'idle')],
    },
    { connection_id: quiet, probe: 'pg_stat_replication', at: NOW - SECOND_MS, rows: [] },
    {
      connection_id: quiet,
      probe: 'pg_stat_activity',
      at: NOW - 10 * MINUTE_MS,
      rows: [session(1, null, null)],
    },
    {
      connection_id: quiet,
      probe: 'pg_sys_disk_info',
      at: NOW,
      skipped: { reason: 'Nobody tells of its machine.', mend: null },
    },
  ]);
  const layouts = [activeSessions, databases].flatMap((probe) => layoutOf(probe) ?? []);
  const report = await runCompaction({ db: test.db, layouts, now: NOW });
  expect(report.problems).toEqual([]);
});
afterAll(() => test.close());

describe('getEstateHistory', () => {
  it('has a strip of 24 hours of what was measured, and none of what was not', async () => {
    const history = await ask();
    expect(history).toMatchObject({
      generated_at: iso(NOW),
      strip_from: iso(H - 23 * HOUR_MS),
      strip_hours: 24,
      measured_until: iso(H + 20 * MINUTE_MS),
    });
    const { load, worst_status } = serverIn(history, busy).strip;
    const before = Array.from({ length: 20 }, () => null);
    expect(worst_status).toEqual([...before, 'online', 'offline', 'warning', 'online']);
    expect(load).toEqual([
      ...before,
      0,
      // 20 minutes of three sessions in 56 that were measured; a tick stands for at most 2.5 intervals.
      expect.closeTo((20 * 3) / 56, 1),
      0,
      // Nothing for ten minutes, then two for twenty.
      expect.closeTo((20 * 2) / 30, 1),
    ]);
    const none = Array.from({ length: 24 }, () => null);
    expect(serverIn(history, silent).strip).toEqual({ load: none, worst_status: none });
  });

  it('does not call offline what nobody was meant to read', async () => {
    const history = await ask();
    const last = (id: number) => serverIn(history, id).strip.worst_status.slice(20);
    expect(last(paused)).toEqual([null, 'online', null, null]);
    expect(last(off)).toEqual([null, 'online', null, null]);
  });

  it('has tiles, each with when it is of', async () => {
    const { connection_id: _id, strip: _strip, ...tiles } = serverIn(await ask(), busy);
    const now = { at: iso(NOW - 5 * SECOND_MS), reason: null };
    expect(tiles).toEqual({
      load: { sessions: 2, processors: 2.5, at: iso(NOW), reason: null },
      transactions: { per_second: 3.333, at: iso(NOW), reason: null },
      cache: { hit_percent: 90, at: iso(NOW), reason: null },
      lag: { seconds: 4, bytes: 9000, ...now },
      connections: { used: 4, active: 1, max: 100, ...now },
      disk: { used_percent: 90, used_bytes: 900, total_bytes: 1000, mount_point: '/', ...now },
    });
  });

  it('has the load of a server that was just added from its newest reading', async () => {
    const { load } = serverIn(await ask(), young);
    expect(load).toEqual({ sessions: 1, processors: null, at: iso(NOW - SECOND_MS), reason: null });
  });

  it('says why it does not know: not collected, too old, not to be had', async () => {
    const history = await ask();
    const tiles = serverIn(history, quiet);
    expect(tiles.connections).toEqual({
      used: null,
      active: null,
      max: null,
      at: iso(NOW - 10 * MINUTE_MS),
      reason: 'No newer sample has come for two and a half intervals.',
    });
    expect(tiles.lag).toEqual({
      seconds: null,
      bytes: null,
      at: iso(NOW - SECOND_MS),
      reason: 'The server is no standby, and no standby is connected to it.',
    });
    expect(tiles.disk).toMatchObject({
      used_percent: null,
      at: null,
      reason: 'Nobody tells of its machine.',
    });
    const { connection_id: _id, strip: _strip, ...nothing } = serverIn(history, silent);
    for (const tile of Object.values(nothing))
      expect(tile).toMatchObject({ at: null, reason: 'Not collected yet.' });
  });

  it('costs three statements beside the sign-in, one while it is kept, and nobody waits while it is read anew', async () => {
    const readings = () => test.statements.sent.filter((one) => /\/\* (store|estate)\./.test(one)).length;
    const first = await ask();
    clock.advance(60_000);
    expect((await ask()).generated_at).toBe(iso(clock.now()));
    expect(readings()).toBe(3);
    clock.advance(9_999);
    expect((await ask()).generated_at).toBe(iso(clock.now() - 9_999));
    expect(readings()).toBe(1);
    clock.advance(1);
    expect((await ask()).generated_at).toBe(iso(clock.now() - 10_000));
    await expect.poll(async () => (await ask()).generated_at, SOON).toBe(iso(clock.now()));
    expect(Date.parse(first.generated_at)).toBeLessThan(clock.now());
  });

  it('shows nobody more than they may see, from what is kept as well', async () => {
    const ids = async (as: string) => (await ask(as)).servers.map(({ connection_id }) => connection_id);
    const { session: stranger } = await makeUser(test.db);
    const shared = test.actors.shared_connection;
    expect(await ids(token)).toEqual(expect.arrayContaining([busy, quiet, silent, shared]));
    expect(await ids(stranger)).toEqual([shared]);
    const scope = { connections: [{ connection_id: quiet, level: 'read' as const }] };
    expect(await ids(await makeToken(test.db, user, { scope }))).toEqual([quiet]);
    expect(await ids(await makeToken(test.db, user, { scope: { connections: [] } }))).toEqual([]);
    expect((await test.call('GET /api/v1/estate/history')).status).toBe(401);
  });

  it('is written as its schema says', async () => {
    const history = await ask(test.actors.superuser.session);
    const { schema } = getEstateHistory.success;
    expect(JSON.parse(compileReply(schema)(history))).toEqual(history);
  });
});
