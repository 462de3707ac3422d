// Trouble that a server writes into its log, for the proof of rules that judge it.
import type { RuleName } from '../../../alerting/rules/catalog.gen.ts';
import type { TestCluster } from '../postgres.ts';

export interface LoggedScene {
  /** Those that fire. */
  rules: readonly RuleName[];
  /** Instead of the built-in one, where the trouble itself would take too long or too much. */
  threshold?: number;
  /** So long it has to last, in seconds. */
  lasts?: number;
  make(server: TestCluster): Promise<unknown>;
}

export const LOGGED_SETTINGS = {
  deadlock_timeout: '100ms',
  log_lock_waits: true,
  archive_mode: true,
  archive_command: 'true',
  max_wal_size: '32MB',
};

/** Each statement fails. */
export async function fails(server: TestCluster, statement: string, times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) await server.query(statement).catch(() => undefined);
}

export async function restart(server: TestCluster): Promise<void> {
  await server.kill();
  await server.start();
}
