// The ticks of one probe on one server: a grid that belongs to the server, a phase on it that belongs to the probe. Pure;
// times are monotonic milliseconds.

/** What the most frequent probes of a quiet server keep: all rarer ones come along with them, in one pipeline. */
const GRID_MS = 10_000;
/**
 * Ticks of all servers lie on whole seconds: what is done for one server after the other, while the processor still has
 * the code and its data at hand, takes a quarter less than the same work at times of its own.
 */
const BEAT_MS = 1000;

/** A number that stays the same for the same text, well spread: FNV-1a, and the last step of MurmurHash3. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n += 1) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The next time after `now` that lies on the probe's phase. */
export function nextTick(now: number, intervalMs: number, phaseMs: number): number {
  const next = Math.ceil((now - phaseMs) / intervalMs) * intervalMs + phaseMs;
  return next > now ? next : next + intervalMs;
}

export function phaseOf(serverKey: string, probeName: string, intervalMs: number): number {
  const grid = Math.min(GRID_MS, intervalMs);
  const steps = Math.max(1, Math.floor(intervalMs / grid));
  const offset = Math.floor((spread(serverKey) % grid) / BEAT_MS) * BEAT_MS;
  return offset + grid * (spread(`${serverKey}/${probeName}`) % steps);
}

/** The last tick of the server by then. */
export const lastTick = (serverKey: string, by: number): number =>
  nextTick(by - GRID_MS, GRID_MS, phaseOf(serverKey, '', GRID_MS));

const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 60_000;

/** How long to sleep. Timers count whole milliseconds and may fire one early, which would take a second sleep. */
export const pauseUntil = (due: number, now: number): number =>
  Math.max(SHORTEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, Math.ceil(due - now) + 1));

/**
 * After a change of how often it is read: the first tick of the new phase that is half an interval away from the last
 * run, so that nothing is read twice in a row or left out for longer; at once when that has passed.
 */
export function dueAfterChange(ranAt: number | undefined, intervalMs: number, phaseMs: number): number {
  return ranAt === undefined
    ? Number.NEGATIVE_INFINITY
    : nextTick(ranAt + intervalMs / 2, intervalMs, phaseMs);
}
