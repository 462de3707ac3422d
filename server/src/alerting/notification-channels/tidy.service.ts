// Between two rounds of delivering: what was lost comes back, what needs not be sent goes. Guards: what a blackout holds back does
// not get old, and what is given up is said.

import { iso } from '../../kernel/times.ts';
import { blackoutsInForce } from '../blackouts/in-force.service.ts';
import { giveUp } from './dead-letters.service.ts';
import { type Held, listWaiting } from './delivery.queries.ts';
import type { DeliveryCtx } from './delivery-messages.ts';
import * as queries from './tidy.queries.ts';

/** What blackouts hold back of what waits; undefined when nothing waits. */
async function heldBack(ctx: DeliveryCtx): Promise<Held[] | undefined> {
  const waiting = await listWaiting(ctx.db);
  if (waiting.length === 0) return undefined;
  const inForce = await blackoutsInForce(ctx.db, ctx.clock.now());
  return waiting.flatMap(({ connection_id, database_name }) =>
    connection_id !== null && inForce.covers(connection_id, database_name)
      ? [{ connection_id, database_name }]
      : [],
  );
}

async function expire(ctx: DeliveryCtx, which: 'fires' | 'all'): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const over = await queries.expire(db, iso(ctx.clock.now()), which);
    await giveUp(
      { ...ctx, db },
      over.filter(({ state }) => state === 'dead').map(({ id }) => id),
    );
  });
}

/**
 * Before each look for what is due: what was lost comes back, and what needs not be sent goes. Answers what is held back;
 * undefined when there is nothing to send.
 */
export async function tidy(ctx: DeliveryCtx): Promise<Held[] | undefined> {
  const now = iso(ctx.clock.now());
  const held = await heldBack(ctx);
  if (!held) return undefined;
  await queries.recoverLost(ctx.db, now);
  if (held.length > 0) {
    await queries.keepHeld(ctx.db, { now, held });
    await queries.skipQuiet(ctx.db, { now, held });
  }
  await expire(ctx, 'fires');
  await queries.skipUnfounded(ctx.db, now);
  await expire(ctx, 'all');
  return held;
}

/** Now and then. */
export async function pruneOutbox(ctx: DeliveryCtx): Promise<void> {
  await queries.prune(ctx.db, iso(ctx.clock.now()));
}
