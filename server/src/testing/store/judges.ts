// Alerters that take turns at judging a datastore, and who of them holds the lease.
import { onTestFinished } from 'vitest';
import { ALERTER_JOB, startAlerter } from '../../alerting/alerter/alerter.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import type { PartNotes } from '../../kernel/part-states.ts';
import { sql } from '../../kernel/sql.ts';
import { type Alerting, alerting } from './alerting.ts';

/** With the lease free. */
export async function unjudged(): Promise<Alerting> {
  const house = await alerting();
  await house.db.run(sql`/* test.free */ delete from matriarch.jobs where name = ${ALERTER_JOB}`);
  return house;
}

/** Ends with the test, or when what is answered is called. */
export function judge(
  house: Pick<Alerting, 'url'> & { db: Db },
  owner: string,
  more: { everyMs?: number; parts?: PartNotes } = {},
): () => Promise<void> {
  const part = startAlerter({
    ...{ db: house.db, log: silentLog, clock: systemClock, url: house.url, owner },
    everyMs: 50,
    ...more,
  });
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= part.stop();
    return ended;
  };
  onTestFinished(stop);
  return stop;
}

export const judging = ({ db }: Alerting) =>
  db.one<{ owner: string; epoch: number; report: { judged_until?: number } | null }>(sql`/* test.job */
    select owner, epoch, report from matriarch.jobs where name = ${ALERTER_JOB}`);
