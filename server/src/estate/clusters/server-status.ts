// The status of a server by the rules of the estate, from what trees and lists of servers read. Pure.
import { type ServerStatus, statusOf } from '../estate/estate.service.ts';
import type { ServerStateRow } from './servers.queries.ts';

export function stateOf(row: Omit<ServerStateRow, 'connection_error'>, now: number): ServerStatus {
  const { is_monitored, is_fresh, created_at, last_sample_at, interval_seconds } = row;
  if (!is_monitored) return 'unknown';
  // Half a minute is younger than any age that means more than online.
  if (is_fresh || created_at === null) return 'online';
  return statusOf({ is_monitored, created_at, last_sample_at, interval_seconds }, now);
}
