// Answers that count once: of a provider, and of a passkey. Guards: of several processes that get the same answer one takes it; only a
// hash is kept, until the answer would be too old anyway.
import { createHash } from 'node:crypto';
import { iso } from '../../kernel/times.ts';
import type { PublicCtx } from '../access/principal.ts';
import * as queries from './used-once.queries.ts';

/** `what` begins with its kind; `until` is when it counts no more, in milliseconds since the epoch. False where it was used before. */
export async function isFirstUse(
  { db, clock }: Pick<PublicCtx, 'db' | 'clock'>,
  what: string,
  until: number,
): Promise<boolean> {
  await db.run(queries.cleanUsed(iso(clock.now())));
  return (await db.run(queries.useOnce(createHash('sha256').update(what).digest(), iso(until)))) === 1;
}
