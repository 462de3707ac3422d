// What a process counts of its sessions on the datastore.
import { counter, type Figure, gauge } from './figures.ts';

interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

export function poolFigures(pool: Pool, failures: number): readonly Figure[] {
  return [
    gauge('matriarch_datastore_pool_sessions', 'Sessions of this process on the datastore.', pool.totalCount),
    gauge('matriarch_datastore_pool_idle_sessions', 'Those of them that are idle.', pool.idleCount),
    gauge('matriarch_datastore_pool_waiting', 'Work that waits for a session.', pool.waitingCount),
    counter('matriarch_datastore_errors_total', 'Sessions that could not be had or were lost.', failures),
  ];
}
