// Trouble of standbys and of replication slots.

import type { TestCluster } from '../postgres.ts';
import { follow } from '../server-sets.ts';
import { named, type Room, type RoomWithStandbys, run, type Scene, segments, set } from './scene.ts';

/** With standbys beside it. */
export const STANDBY_SCENES: readonly Scene<RoomWithStandbys>[] = [
  {
    rules: ['replication_standby_disconnected'],
    probes: ['pg_stat_replication'],
    on: 'near',
    lasts: 31,
    async make({ primary, near }) {
      await set(near, { primary_conninfo: '' });
      return () => follow(near, primary);
    },
    isThere: (rows) => rows.some(({ role, pid }) => role === 'standby' && pid === 0),
  },
  {
    rules: ['standby_replay_age'],
    probes: ['pg_stat_replication'],
    on: 'near',
    thresholds: { standby_replay_age: 0 },
    lasts: 61,
    async make({ primary, near }) {
      await run(near, 'select pg_wal_replay_pause()');
      await run(primary, 'create table late (id int)', 'drop table late');
      return () => run(near, 'select pg_wal_replay_resume()');
    },
    isThere: (rows) => rows.some(({ role, replay_lag }) => role === 'standby' && Number(replay_lag) > 0),
  },
  {
    rules: ['replication_lag_bytes', 'standby_behind_peers'],
    probes: ['pg_stat_replication'],
    thresholds: { replication_lag_bytes: 1e6, standby_behind_peers: 1e6 },
    lasts: 301,
    async make({ primary, far }) {
      await run(far, 'select pg_wal_replay_pause()');
      await run(primary, ...segments(1));
      return () => run(far, 'select pg_wal_replay_resume()');
    },
    isThere: (rows) => Number(named(rows, 'application_name', 'far')?.behind_peers_bytes) > 1e6,
  },
];

const LEFT_BEHIND = "select pg_create_physical_replication_slot('left_behind', true)";
const dropSlot = (server: TestCluster) => run(server, "select pg_drop_replication_slot('left_behind')");

/** A slot that keeps more than it may. */
async function keepsTooMuch({ primary }: Room): Promise<() => Promise<unknown>> {
  const mend = await set(primary, { wal_keep_size: '0', max_slot_wal_keep_size: '1MB' });
  await run(primary, LEFT_BEHIND, ...segments(3));
  return async () => {
    await dropSlot(primary);
    await mend();
  };
}

/** The last ones take WAL away that standbys would need. */
export const LAST_SCENES: readonly Scene[] = [
  {
    rules: ['replication_slot_inactive'],
    isDear: true,
    probes: ['pg_replication_slots'],
    async make({ primary }) {
      await run(primary, LEFT_BEHIND, ...segments(66));
      return () => dropSlot(primary);
    },
    // A minute later: a consumer may only have restarted.
    isThere: (rows) => rows.some(({ is_abandoned }) => is_abandoned === true),
  },
  {
    rules: ['replication_slot_retention_warn', 'replication_slot_retention_high'],
    probes: ['pg_replication_slots'],
    thresholds: { replication_slot_retention_warn: 1e7, replication_slot_retention_high: 2e7 },
    async make({ primary }) {
      await run(primary, LEFT_BEHIND, ...segments(2));
      return () => dropSlot(primary);
    },
    isThere: (rows) => rows.length > 0,
  },
  {
    rules: ['replication_slot_at_risk'],
    isDear: true,
    probes: ['pg_replication_slots'],
    make: keepsTooMuch,
    isThere: (rows) => rows.some(({ wal_status }) => wal_status === 'unreserved'),
  },
  {
    rules: ['replication_slot_lost'],
    isDear: true,
    probes: ['pg_replication_slots'],
    async make(room) {
      const mend = await keepsTooMuch(room);
      await run(room.primary, 'checkpoint');
      return mend;
    },
    isThere: (rows) => rows.some(({ wal_status }) => wal_status === 'lost'),
  },
];
