// The last 24 hours of every visible server, and what it is like now, from stored samples only. Guards: what the caller may
// see is asked anew for each request, and only then is anything taken that was read before; a reply is as old as it says.

import type { Ctx } from '../../identity/identity.ts';
import { FingerprintCache } from '../../kernel/fingerprint-cache.ts';
import type { JsonText } from '../../kernel/json-text.ts';
import { lasting } from '../../kernel/leaving.ts';
import type { Static } from '../../kernel/schema.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { findVisibility } from './estate.queries.ts';
import { numbersIn } from './estate.service.ts';
import { type EstateHistory, type EstateTiles, estateHistory, type SessionsHour } from './estate-history.ts';
import type { EstateHistoryResponse, EstateTilesSchema, HOUR_STATUSES } from './history.contract.ts';
import { FRESH_MS, RECENT_MS } from './status.ts';

type Server = Static<typeof EstateTilesSchema>;
type HourStatus = (typeof HOUR_STATUSES)[number] | null;

/** Rates and sessions are of a minute ago and more; reading a thousand servers takes longer than anybody should wait. */
const KEEPING = { keep_ms: 10_000, while_reading_ms: 60_000 };

interface Kept {
  history: EstateHistory;
  /** Nobody monitors them. */
  paused: ReadonlySet<number>;
  /** When it was read, in milliseconds since the epoch. */
  at: number;
}

/** By how much of the time that is over was not measured. `begun`: it had been read before, and still is meant to be. */
function statusOfHour(
  hour: SessionsHour | undefined,
  { over_ms, begun }: { over_ms: number; begun: boolean },
): HourStatus {
  if (over_ms <= 0) return null;
  const missing = over_ms - 1000 * (hour?.covered_seconds ?? 0);
  if (missing < FRESH_MS && hour) return 'online';
  // Nobody knows since when it is there, or whether it was meant to be read.
  if (!begun) return null;
  return missing < RECENT_MS ? 'warning' : 'offline';
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000);

function stripOf(
  { hours, isRare, isSkipped, connection_id }: EstateTiles,
  { history: { from, hours: count, measured_until }, paused }: Kept,
) {
  const isMeant = !isSkipped && !paused.has(connection_id);
  const known = new Map(hours.map((hour) => [hour.at, hour]));
  const first = hours[0]?.at ?? Infinity;
  const begins = Array.from({ length: count }, (_none, index) => from + index * HOUR_MS);
  return {
    load: begins.map((at) => rounded(known.get(at)?.load ?? null)),
    worst_status: begins.map((at) => {
      const over_ms = Math.min((measured_until ?? 0) - at, HOUR_MS);
      return isRare ? null : statusOfHour(known.get(at), { over_ms, begun: isMeant && first < at });
    }),
  };
}

function serverOf(tiles: EstateTiles, kept: Kept): Server {
  const { connection_id, load, transactions, cache, lag, connections, disk } = tiles;
  return {
    connection_id,
    strip: stripOf(tiles, kept),
    load: { ...load, sessions: rounded(load.sessions) },
    transactions: { ...transactions, per_second: rounded(transactions.per_second) },
    cache: { ...cache, hit_percent: rounded(cache.hit_percent) },
    lag: { ...lag, seconds: rounded(lag.seconds) },
    connections,
    disk: { ...disk, used_percent: rounded(disk.used_percent) },
  };
}

function historyFor(ids: ReadonlySet<number>, kept: Kept): Static<typeof EstateHistoryResponse> {
  const { history, at } = kept;
  const { from, hours, measured_until, servers } = history;
  return {
    generated_at: new Date(at).toISOString(),
    strip_from: new Date(from).toISOString(),
    strip_hours: hours,
    measured_until: measured_until === null ? null : new Date(measured_until).toISOString(),
    servers: servers.filter(({ connection_id }) => ids.has(connection_id)).map((one) => serverOf(one, kept)),
  };
}

/** As JSON text, from what was read within the last ten seconds, or within the last minute while it is being
 * read anew. What is kept knows no caller (decision 014). */
export function createEstateHistory(): (ctx: Ctx) => Promise<JsonText> {
  const readings = new FingerprintCache<Kept>(KEEPING);
  return async ({ db, clock, principal }) => {
    const { ids, every, paused } = await findVisibility(db, principal);
    const at = clock.now();
    const read = async () => ({
      history: await estateHistory(lasting(db), { connection_ids: numbersIn(every), now: at }),
      paused: new Set(numbersIn(paused)),
      at,
    });
    const kept = await readings.of({ fingerprint: `${every} ${paused}`, now: clock.monotonic(), read });
    return kept.text(ids, (value) => JSON.stringify(historyFor(new Set(numbersIn(ids)), value)));
  };
}
