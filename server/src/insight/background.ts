// What of the wing insight works in the background, beside the alerter: servers checked for findings, and reports queued when they
// are due.
import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import type { Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import type { PartStates } from '../kernel/part-states.ts';
import { startFindings } from './findings/keep-findings.ts';
import { startReportTicks } from './report-schedules/report-ticks.ts';

export { writeReport } from './report-schedules/writing.service.ts';

export interface InsightOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** The collector of this process: whose leases it has are free at once when that dies. */
  owner: string | undefined;
  lifecycle: Parts;
  /** How the work of this process does. */
  parts: PartStates;
}

export function startInsight({ lifecycle, owner, ...options }: InsightOptions): void {
  lifecycle.add(startFindings({ ...options, ...(owner !== undefined && { owner }) }));
  lifecycle.add(startReportTicks(options));
}
