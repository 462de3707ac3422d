// Findings in the background: one process at a time judges the servers that are due. Guards: a lease with an epoch that every
// writing checks; a datastore that is away, or a server that offers too much, stops nothing; a new server is judged within a
// minute of its first samples, and again each minute while more of it becomes known.

import { randomUUID } from 'node:crypto';
import { type Ctx, systemPrincipal } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db.ts';
import { claimJob, leaveJob, renewJob } from '../../kernel/jobs.queries.ts';
import { until } from '../../kernel/leaving.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { NOT_NOTED, type PartNotes } from '../../kernel/part-states.ts';
import { startRounds } from '../../kernel/rounds.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { evaluateDue, forgetOldFindings } from './due.service.ts';

const FINDINGS_JOB = 'findings';
const EVERY_MS = 15_000;
const LEASE_SECONDS = 60;
const FORGET_MS = HOUR_MS;

export interface FindingsOptions {
  db: Database;
  log: Log;
  clock: Clock;
  /** Fifteen seconds when absent. */
  everyMs?: number;
  /** Of this process: whose lease it has is free at once when that dies. */
  owner?: string;
  /** Told whether the work goes on; not noted when absent. */
  parts?: PartNotes;
}

export function startFindings(options: FindingsOptions): Part {
  const { log, clock, everyMs = EVERY_MS, owner = randomUUID(), parts = NOT_NOTED } = options;
  const begin = (signal: AbortSignal) => {
    // A round that is under way at the end is broken off.
    const db = until(options.db, () => signal);
    const ctx: Ctx = { db, log, clock, signal, principal: systemPrincipal('server') };
    let epoch: number | undefined;
    let forgottenAt = Number.NEGATIVE_INFINITY;
    const hold = async () => {
      if (epoch !== undefined) {
        const kept = await db.maybe(renewJob(FINDINGS_JOB, epoch, LEASE_SECONDS));
        if (!kept) epoch = undefined;
        return epoch;
      }
      const claim = { name: FINDINGS_JOB, owner, every_seconds: 0, lease_seconds: LEASE_SECONDS };
      epoch = (await db.maybe<{ epoch: number }>(claimJob(claim)))?.epoch;
      return epoch;
    };
    const round = async () => {
      const held = await hold();
      if (held === undefined) return;
      const { servers, written, resolved } = await evaluateDue(ctx, { name: FINDINGS_JOB, epoch: held });
      if (written + resolved > 0) log.info({ event: 'findings.changed', servers, written, resolved });
      if (servers > 0 || clock.monotonic() - forgottenAt < FORGET_MS) return;
      if (!(await forgetOldFindings(ctx))) forgottenAt = clock.monotonic();
    };
    const end = async () => {
      if (epoch !== undefined) await options.db.run(leaveJob(FINDINGS_JOB, epoch)).catch(() => undefined);
    };
    return { round, end };
  };
  return startRounds({
    name: 'findings',
    pauseMs: everyMs,
    noted: { part: 'findings', parts },
    onFailure: (error) => log.warn({ event: 'findings.failed', err: error }),
    begin,
  });
}
