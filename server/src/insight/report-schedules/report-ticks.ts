// Reports that are due, in the background of each process that delivers: looked for every fifteen seconds. Guards: a datastore that
// is away stops nothing; several processes do no harm, since each schedule is held by one at a time.

import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { queueDueReports } from './ticks.service.ts';

export interface ReportTicksOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

const EVERY_MS = 15_000;

export const startReportTicks = ({ log, clock, parts = NOT_NOTED, ...options }: ReportTicksOptions): Part =>
  startRounds({
    name: 'report-ticks',
    pauseMs: EVERY_MS,
    noted: { part: 'reports', parts },
    onFailure: (error) => log.warn({ event: 'reports.failed', err: error }),
    begin: (signal) => {
      const db = until(options.db, () => signal);
      return {
        round: async () => {
          const queued = await queueDueReports({ db, clock });
          if (queued > 0) log.info({ event: 'reports.queued', queued });
        },
      };
    },
  });
