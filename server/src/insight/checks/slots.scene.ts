// Scenes of replication slots.
import { expect } from 'vitest';
import { type CheckRoom, type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import { segments, set } from '../../testing/servers/rule-scenes/scene.ts';
import { untilTrue } from '../../testing/servers/server-sets.ts';

const NAME = 'left_behind';
const CREATE = `select pg_create_physical_replication_slot('${NAME}', true)`;
const SEGMENT = 16 * 1024 ** 2;
const isIt: CheckScene['isIt'] = ({ object_name }) => object_name === NAME;

/** A slot that keeps more than it may; answers what takes the limit back. */
async function keepsTooMuch({ primary }: CheckRoom): Promise<() => Promise<unknown>> {
  const mend = await set(primary, { wal_keep_size: '0', max_slot_wal_keep_size: '1MB' });
  await run(primary, CREATE, ...segments(3));
  return mend;
}

export const scenes: readonly CheckScene[] = [
  {
    check: 'inactive_slot',
    isDear: true,
    isBeside: true,
    async make({ primary }) {
      await run(primary, CREATE, ...segments(2));
      // A consumer may only have restarted.
      if (primary.major >= 17)
        await untilTrue(
          primary,
          `(select inactive_since < now() - interval '1 minute' from pg_replication_slots where slot_name = '${NAME}')`,
        );
      return undefined;
    },
    isIt,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', evidence: { active: false } });
      expect(found.figure?.value).toBeGreaterThan(SEGMENT);
      expect(found.figure?.value).toBeLessThan(4 * SEGMENT);
    },
  },
  {
    check: 'slots_without_limit',
    async make({ primary }) {
      await run(primary, CREATE);
      return () =>
        run(
          primary,
          `select pg_drop_replication_slot('${NAME}')`,
          'alter system reset max_slot_wal_keep_size',
          'select pg_reload_conf()',
        );
    },
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'info', evidence: { slots: 1, max_slot_wal_keep_size: -1 } }),
  },
  {
    check: 'slot_at_risk',
    isDear: true,
    async make(room) {
      const mend = await keepsTooMuch(room);
      return async () => {
        await run(room.primary, `select pg_drop_replication_slot('${NAME}')`);
        await mend();
      };
    },
    isIt,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', evidence: { max_slot_wal_keep_size: 1024 ** 2 } });
      expect(found.evidence.retained_bytes).toBeGreaterThan(2 * SEGMENT);
    },
  },
  {
    check: 'lost_slot',
    isDear: true,
    async make(room) {
      const mend = await keepsTooMuch(room);
      await run(room.primary, 'checkpoint');
      return mend;
    },
    isIt,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'critical', evidence: { wal_status: 'lost' } }),
  },
];
