// What calls name: a connection, or the current one, and times as people say them. Guards: access is asked for with the
// caller's own rights before anything is read, and a refusal says what to do next.

import { getCurrentConnection } from '../../../estate/estate.ts';
import { type Ctx, demandConnection } from '../../../identity/identity.ts';
import { Fault } from '../../../kernel/errors.ts';
import { id, integer, optional, text } from '../../../kernel/schema.ts';
import { isWireTime } from '../../../kernel/times.ts';

export const connectionInput = {
  connection_id: optional(
    id({ description: 'From list_connections; the current connection when left out.' }),
  ),
};

/** The same where none means all that can be seen. */
export const anyConnectionInput = {
  connection_id: optional(id({ description: 'From list_connections; all that you can see when left out.' })),
};

export const timeInput = (what: string, fallback: string) =>
  optional(
    text({
      description: `${what}: RFC 3339, now, or so long ago as in 30m, 1h, 7d. ${fallback} when left out.`,
      maxLength: 40,
    }),
  );

export const limitInput = (fallback: number, most: number) =>
  optional(integer({ minimum: 1, maximum: most, default: fallback, description: 'How many at most.' }));

/** The id of the named connection or of the current one; the caller may read it. */
export async function connectionFor(ctx: Ctx, named: number | undefined): Promise<number> {
  if (named !== undefined) {
    await demandConnection(ctx, { connection_id: named, need: 'read' });
    return named;
  }
  try {
    return (await getCurrentConnection(ctx)).connection_id;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
    throw new Fault(
      'bad_request',
      'No connection is selected: give connection_id. list_connections shows those that you can see.',
    );
  }
}

const AGO = /^(\d{1,5})\s*(s|m|h|d|w)$/;
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds since the epoch. */
export function instantOf(name: string, said: string, now: number): number {
  if (said === 'now') return now;
  const ago = AGO.exec(said.replace(/^-/, ''));
  const unit = UNITS[ago?.[2] ?? ''];
  if (ago && unit !== undefined) return now - Number(ago[1]) * unit;
  if (!isWireTime(said))
    throw new Fault(
      'bad_request',
      `${name} must be a time such as 2026-01-31T12:00:00Z, now, or so long ago as in 1h or 7d.`,
    );
  return Temporal.Instant.from(said.toUpperCase()).epochMilliseconds;
}

export interface Span {
  from: number;
  to: number;
}

/** From the first to the second, as they are named in the input. */
export function spanOf(
  ctx: Ctx,
  [startName, start]: readonly [string, string],
  [endName, end]: readonly [string, string],
): Span {
  const now = ctx.clock.now();
  const [from, to] = [instantOf(startName, start, now), instantOf(endName, end, now)];
  if (from >= to) throw new Fault('bad_request', `${startName} must be before ${endName}.`);
  return { from, to };
}

export const wire = (ms: number) => new Date(ms).toISOString();
