// The alert of a server that cannot be reached: it fires after three failed attempts in a row and clears after two answers.
// Pure. Guards: a server that dies again soon after it came back is the same incident, and is sent at once.

import { shownTime } from '../../kernel/shown-value.ts';
import { type Condition, judge, type Reading } from '../alert-rules/judge.service.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import { type AlertChanges, applyToOpen } from './changes.ts';
import { CONNECTION, type OpenAlerts, serverKey } from './open-alerts.ts';
import type { WatchedRow } from './state.queries.ts';

const FAILURES = 3;
const CONDITION: Condition = { operator: '>=', threshold: FAILURES, severity: 'critical', lastsSeconds: 0 };

/** Undefined while nobody has tried. */
function readingOf(row: WatchedRow, answeredAt: number | undefined): Reading | undefined {
  if (row.consecutive_failures === 0)
    return answeredAt === undefined ? undefined : { at: answeredAt, value: 0 };
  if (row.last_error_at === null) return undefined;
  return { at: Date.parse(row.last_error_at), value: row.consecutive_failures };
}

function described({ connection_error, failing_since }: WatchedRow): string {
  const since = failing_since === null ? '' : ` since ${shownTime(failing_since)}`;
  return `${shownName(connection_error ?? 'The server does not respond.')} Unreachable${since}.`;
}

/** It answered again for a while: what was reported as over is not over. */
function describedAgain(row: WatchedRow, cleared_at: string | null): string {
  if (cleared_at === null) return described(row);
  return `${described(row)} This alert cleared at ${shownTime(cleared_at)}, then the server failed again.`;
}

interface Judging {
  alerts: OpenAlerts;
  changes: AlertChanges;
}

export interface ConnectionJudging {
  watched: readonly WatchedRow[];
  alerts: OpenAlerts;
  /** When each connection answered last, in milliseconds since the epoch. */
  answeredAt(connection_id: number): number | undefined;
}

const fieldsOf = (row: WatchedRow, { at, value }: Reading) => ({
  metric_value: value,
  operator: CONDITION.operator,
  threshold_value: FAILURES,
  threshold_source: 'built_in' as const,
  severity: CONDITION.severity,
  title: 'Server unreachable',
  description: described(row),
  sampled_at: new Date(at).toISOString(),
});

/** Adds to `changes`; answers whether the other alerts of the connection wait. */
function judgeOne(row: WatchedRow, reading: Reading, { alerts, changes }: Judging): boolean {
  const key = serverKey(row.connection_id, CONNECTION);
  const open = alerts.openOf(key);
  const before = alerts.stateOf(key);
  const verdict = judge(reading, CONDITION, before);
  const fields = fieldsOf(row, reading);
  const again = verdict === 'suppressed' && !before.isSuppressed ? alerts.clearedOf(key) : undefined;
  if (again) {
    const { metric_value, sampled_at } = fields;
    const description = describedAgain(row, again.cleared_at);
    changes.reopened.push({ id: again.id, metric_value, sampled_at, description });
  }
  if (verdict === 'fired')
    changes.fired.push({
      ...key,
      ...fields,
      alert_type: 'connection',
      probe_name: 'pg_connectivity',
    });
  if (!open) return verdict === 'fired' || again !== undefined;
  applyToOpen(changes, open, { verdict, fields, message: 'The server is reachable again.' });
  return verdict !== 'cleared';
}

/** Adds to `changes`; answers the connections whose other alerts wait. */
export function judgeConnections(
  { watched, alerts, answeredAt }: ConnectionJudging,
  changes: AlertChanges,
): ReadonlySet<number> {
  const waiting = new Set<number>();
  for (const row of watched) {
    const { connection_id } = row;
    const reading = readingOf(row, answeredAt(connection_id));
    const waits = reading
      ? judgeOne(row, reading, { alerts, changes })
      : alerts.openOf(serverKey(connection_id, CONNECTION)) !== undefined;
    if (waits) waiting.add(connection_id);
  }
  return waiting;
}
