// Scenes of a primary with a standby.
import { expect } from 'vitest';
import { type CheckRoom, type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';
import { segments, set } from '../../testing/servers/rule-scenes/scene.ts';
import { follow, untilTrue } from '../../testing/servers/server-sets.ts';

const standbyOf = ({ standby }: CheckRoom): TestCluster => {
  if (!standby) throw new Error('This room has no standby.');
  return standby;
};

const STREAMING = "exists (select from pg_stat_wal_receiver where status = 'streaming')";
const CAUGHT_UP = 'pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()';

export const scenesWithStandby: readonly CheckScene[] = [
  {
    check: 'log_says_too_little',
    on: 'standby',
    make: (room) => set(standbyOf(room), { log_recovery_conflict_waits: 'off' }),
    isIt: () => true,
    expect: (found) => {
      expect(found.message).toContain('waits of recovery for queries');
      expect(found.evidence).toMatchObject({ log_recovery_conflict_waits: 'off' });
    },
  },
  {
    check: 'replay_paused',
    on: 'standby',
    async make(room) {
      const standby = standbyOf(room);
      await run(standby, 'select pg_wal_replay_pause()');
      await run(room.primary, ...segments(1));
      await untilTrue(standby, 'pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) > 1e6');
      return () => untilTrue(standby, CAUGHT_UP);
    },
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.figure?.value).toBeGreaterThan(1e6);
    },
  },
  {
    check: 'standby_behind',
    isDear: true,
    async make(room) {
      const standby = standbyOf(room);
      await run(standby, 'select pg_wal_replay_pause()');
      await run(room.primary, ...segments(8));
      return () => untilTrue(standby, CAUGHT_UP);
    },
    isIt: ({ object_name }) => object_name === 'walreceiver' || object_name.startsWith('pg'),
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.figure?.value).toBeGreaterThan(104_857_600);
      expect(found.figure?.value).toBeLessThan(200 * 1024 ** 2);
    },
    remedy: async (found, room) => {
      expect(found.remedy).toContain('pg_get_wal_replay_pause_state');
      await run(standbyOf(room), 'select pg_wal_replay_resume()');
    },
  },
  {
    check: 'standby_without_receiver',
    title: 'without a source',
    on: 'standby',
    make: (room) => set(standbyOf(room), { primary_conninfo: '' }).then(() => undefined),
    // A session hears of a setting a moment after the server does.
    isIt: ({ evidence }) => Object(evidence).primary_conninfo === '',
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.message).toContain('neither primary_conninfo nor restore_command');
    },
    remedy: async (_found, room) => {
      await follow(standbyOf(room), room.primary);
      await untilTrue(standbyOf(room), STREAMING);
    },
  },
  {
    check: 'no_second_copy',
    isDear: true,
    async make(room) {
      await set(standbyOf(room), { primary_conninfo: '' });
      return async () => {
        await run(room.primary, 'alter system reset archive_mode');
        await room.restart();
        await follow(standbyOf(room), room.primary);
        await untilTrue(standbyOf(room), STREAMING);
      };
    },
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('info');
      expect(found.message).toContain('Whether backups exist is unknown');
    },
    remedy: 'restart',
  },
  {
    check: 'standby_limits_lower',
    isDear: true,
    on: 'standby',
    async make(room) {
      await run(room.primary, 'alter system set max_connections = 210');
      await room.restart();
      return async () => {
        await run(room.primary, 'alter system reset max_connections');
        await room.restart();
        // The standby keeps its higher limit, which does no harm.
      };
    },
    isIt: ({ evidence }) => evidence.is_paused === true,
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'critical',
        evidence: { max_connections: 200, primary_max_connections: 210 },
      }),
    remedy: 'restart',
  },
];
