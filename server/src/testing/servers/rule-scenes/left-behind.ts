// A slot of replication that was left behind, and retains WAL.
import type { TestCluster } from '../postgres.ts';
import { type Room, run, segments, set } from './scene.ts';

export const LEFT_BEHIND = "select pg_create_physical_replication_slot('left_behind', true)";
export const dropSlot = (server: TestCluster) =>
  run(server, "select pg_drop_replication_slot('left_behind')");

/** A slot that keeps more than it may. */
export async function keepsTooMuch({ primary }: Room): Promise<() => Promise<unknown>> {
  const mend = await set(primary, { wal_keep_size: '0', max_slot_wal_keep_size: '1MB' });
  await run(primary, LEFT_BEHIND, ...segments(3));
  return async () => {
    await dropSlot(primary);
    await mend();
  };
}
