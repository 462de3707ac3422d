// The alert of a server that cannot be reached: it fires after three failed attempts in a row and clears after two answers.
// Pure.

import { type Condition, judge, type Reading } from '../areas/alert-rules/judge.service.ts';
import { shownName } from '../areas/alert-rules/places.service.ts';
import type { AlertChanges, WatchedRow } from '../areas/alerts/changes.service.ts';
import { CONNECTION, type KnownAlerts } from './standing.ts';

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
  const since = failing_since === null ? '' : ` since ${failing_since}`;
  return `${shownName(connection_error ?? 'The server does not answer.')} It has not answered${since}.`;
}

export interface ConnectionJudging {
  watched: readonly WatchedRow[];
  known: KnownAlerts;
  /** When each connection answered last, in milliseconds since the epoch. */
  answeredAt(connection_id: number): number | undefined;
}

/** Adds to `changes`; answers the connections whose other alerts wait. */
export function judgeConnections({ watched, known, answeredAt }: ConnectionJudging, changes: AlertChanges) {
  const waiting = new Set<number>();
  for (const row of watched) {
    const { connection_id } = row;
    const key = { connection_id, raised_by: CONNECTION, database_name: '', object_name: '' };
    const open = known.openOf(key);
    const reading = readingOf(row, answeredAt(connection_id));
    const verdict = reading ? judge(reading, CONDITION, known.of(key)) : 'nothing';
    if (verdict === 'fired' || (open && verdict !== 'cleared')) waiting.add(connection_id);
    if (!reading || reading.value === null) continue;
    const told = {
      metric_value: reading.value,
      operator: CONDITION.operator,
      threshold_value: FAILURES,
      threshold_source: 'built_in' as const,
      severity: CONDITION.severity,
      title: 'The server cannot be reached',
      description: described(row),
      sampled_at: new Date(reading.at).toISOString(),
    };
    if (verdict === 'fired')
      changes.fired.push({
        ...key,
        ...told,
        alert_type: 'connection',
        rule_id: null,
        probe_name: 'pg_connectivity',
        metric_name: null,
        metric_unit: null,
      });
    if (open && verdict === 'holds') changes.held.push({ id: open.id, ...told, well_samples: 0 });
    if (open && verdict === 'better') {
      const well_samples = open.well_samples + 1;
      changes.held.push({ id: open.id, ...told, title: null, description: null, well_samples });
    }
    if (open && verdict === 'cleared') changes.cleared.push({ id: open.id, message: null });
  }
  return waiting;
}
