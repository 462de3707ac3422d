// Which classes of events matter, and are kept as rows with their texts for long; all others are lines. Pure.
import type { EventClass } from './types.ts';

/** Of those that are no trouble, the ones that explain it: what ran when, and what was changed. */
const ALSO: ReadonlySet<string> = new Set([
  'autoanalyze',
  'autovacuum',
  'autovacuum_skipped',
  'background_worker_ended',
  'checkpoint_complete',
  'checkpoint_starting',
  'configuration_reloaded',
  'deadlock_avoided',
  'deadlock_while_waiting',
  'lock_acquired',
  'lock_wait_failed',
  'log_output_changed',
  'parameter_changed',
  'restartpoint_complete',
  'restartpoint_starting',
  'serialization_failure',
  'server_ready',
  'server_starting',
  'server_stopped',
  'server_stopping',
  'standby_streaming',
  'temp_file',
]);

export const isKept = ({ name, weight }: EventClass): boolean =>
  weight === 'critical' || weight === 'warning' || ALSO.has(name);
