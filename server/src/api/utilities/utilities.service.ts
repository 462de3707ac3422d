// Whether this process serves: it does when its datastore answers within two seconds.
import { sleep } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { failingParts } from '../../kernel/part-states.ts';
import { shownTime } from '../../kernel/shown-value.ts';
import { askDatastore } from './utilities.queries.ts';

const PATIENCE_MS = 2000;

/** Resolves when the datastore answered in time; throws `unavailable` otherwise. */
export async function demandHealth(db: Db): Promise<void> {
  const patience = new AbortController();
  const late = sleep(PATIENCE_MS, patience.signal).then(() => 'late' as const);
  try {
    const outcome = await Promise.race([askDatastore(db), late]);
    if (outcome === 'late')
      throw new Fault('unavailable', 'The datastore does not answer within two seconds.');
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('unavailable', 'The datastore does not answer.', { cause });
  } finally {
    patience.abort();
  }
}

/** Throws `unavailable` while any work of this product has failed for a minute, here or in another process. */
export async function demandReadiness(db: Db): Promise<void> {
  const failing = await failingParts(db);
  if (failing.length === 0) return;
  const what = failing.map(({ title, since }) => `${title} (since ${shownTime(since)}).`);
  throw new Fault('unavailable', `${what.join(' ')} Run matriarch doctor for details.`);
}
