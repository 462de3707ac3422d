// Scenes of archiving, synchronous replication and subscriptions.
import { expect } from 'vitest';
import { type CheckRoom, type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import { openClient } from '../../testing/servers/client.ts';
import { segments, set } from '../../testing/servers/rule-scenes/scene.ts';
import { untilTrue } from '../../testing/servers/server-sets.ts';

/** Archives by that command; answers what takes it back. */
const archiving =
  (command: string, ...more: readonly string[]): CheckScene['make'] =>
  async ({ primary, restart }) => {
    await run(
      primary,
      'alter system set archive_mode = on',
      `alter system set archive_command = '${command}'`,
    );
    await restart();
    await run(primary, ...more);
    return async () => {
      await run(primary, 'alter system reset archive_mode', 'alter system reset archive_command');
      await restart();
    };
  };

const OTHER = 'kit_published';

/** A subscription to another database of the same server, which waits for a slot that is made apart. */
async function subscribes({ primary }: CheckRoom): Promise<() => Promise<unknown>> {
  const { host, port, superuser, password } = primary;
  await run(
    primary,
    `create database ${OTHER}`,
    `create subscription kit_sub
    connection 'host=${host} port=${port} user=${superuser} password=${password} dbname=${OTHER}'
    publication everything with (connect = false, slot_name = 'kit_slot')`,
  );
  return async () => {
    await run(
      primary,
      'alter subscription kit_sub disable',
      'alter subscription kit_sub set (slot_name = none)',
    );
    await run(primary, 'drop subscription kit_sub');
    await untilTrue(
      primary,
      "not exists (select from pg_replication_slots where slot_name = 'kit_slot' and active)",
    );
    await primary.query(
      "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'kit_slot'",
    );
    await run(primary, `drop database ${OTHER} with (force)`);
  };
}

export const scenes: readonly CheckScene[] = [
  {
    check: 'archiving_fails',
    isDear: true,
    make: archiving('false', ...segments(1)),
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.figure?.value).toBeGreaterThan(0);
      expect(found.message).toMatch(
        /^Archiving of [0-9A-F]{24} failed, last at .* UTC\. Unarchived WAL files: \d/,
      );
    },
    async remedy(found, { primary }) {
      expect(found.remedy).toContain('alter system set archive_command = ');
      await set(primary, { archive_command: 'test -f %p' });
      await run(primary, ...segments(1));
    },
  },
  {
    check: 'archive_discarded',
    isDear: true,
    make: archiving('/bin/true'),
    isIt: () => true,
    expect: (found) => expect(found.message).toContain('archive_command is "/bin/true"'),
  },
  {
    check: 'archive_discarded',
    isDear: true,
    title: 'without a command',
    make: archiving(''),
    isIt: () => true,
    expect: (found) => expect(found.message).toContain('without archive_command or archive_library'),
  },
  {
    check: 'sync_standbys_missing',
    isDear: true,
    make: ({ primary }) =>
      set(primary, { synchronous_commit: 'local', synchronous_standby_names: 'ANY 2 (here, there)' }),
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'warning',
        figure: { value: 2 },
        evidence: { synchronous_commit: 'local', connected: 0 },
      }),
  },
  {
    check: 'sync_standbys_missing',
    title: 'when commits wait',
    make: ({ primary }) => set(primary, { synchronous_commit: 'on', synchronous_standby_names: 'nobody' }),
    isIt: () => true,
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.message).toBe('0 of 1 synchronous standbys is connected. Commits wait.');
    },
  },
  {
    check: 'subscription_stopped',
    isDear: true,
    make: subscribes,
    isIt: ({ object_name, message }) => object_name === 'kit_sub' && message.includes('disabled'),
    expect: (found) => expect(found).toMatchObject({ severity: 'critical', database_name: 'postgres' }),
  },
  {
    check: 'subscription_stopped',
    isDear: true,
    title: 'without a worker',
    async make(room) {
      const undo = await subscribes(room);
      await run(room.primary, 'alter subscription kit_sub enable');
      return undo;
    },
    isIt: ({ object_name, message }) => object_name === 'kit_sub' && message.includes('no apply worker'),
    expect: (found) => expect(found.evidence.subenabled).toBe(true),
    async remedy(_found, { primary }) {
      // What the log complained of.
      const { superuser, password, host, port } = primary;
      const url = `postgres://${superuser}:${password}@${host}:${port}/${OTHER}`;
      const client = await openClient({ url }, 'kit');
      await client.query('create publication everything for all tables');
      await client.query("select pg_create_logical_replication_slot('kit_slot', 'pgoutput')");
      await client.end();
      await untilTrue(
        primary,
        "exists (select from pg_stat_subscription where subname = 'kit_sub' and pid is not null)",
      );
    },
  },
  {
    check: 'replication_limits_used_up',
    isDear: true,
    async make({ primary, restart }) {
      for (let n = 1; n <= 10; n += 1)
        await run(primary, `select pg_create_physical_replication_slot('kit_${n}')`);
      return async () => {
        await run(primary, 'select pg_drop_replication_slot(slot_name) from pg_replication_slots');
        await run(primary, 'alter system reset max_replication_slots');
        await restart();
      };
    },
    isIt: ({ object_name }) => object_name === 'max_replication_slots',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 0 } });
      expect(found.message).toBe('10 of 10 replication slots are in use.');
    },
    remedy: 'restart',
  },
  {
    check: 'wal_level_minimal',
    isDear: true,
    async make({ primary, restart }) {
      await run(primary, 'alter system set wal_level = minimal', 'alter system set max_wal_senders = 0');
      await restart();
      return async () => {
        await run(primary, 'alter system reset wal_level', 'alter system reset max_wal_senders');
        await restart();
      };
    },
    isIt: () => true,
    expect: (found) => expect(found.evidence.max_wal_senders).toBe(0),
    remedy: 'restart',
  },
];
