// By when what nothing is known of yet is read next. Pure.
import type { CoverageEntry } from '../../../api/types.ts';
import { MINUTE_MS } from '../../../lib/units.ts';
import { hourText } from '../../../lib/zone.ts';

/** Of a server that is new, what needs two readings is read again within so long after the first one. */
const AGAIN_MS = MINUTE_MS;
/** So long takes the first reading of all that there is. */
const FIRST_MS = 45_000;

type Timed = Pick<CoverageEntry, 'collected_at' | 'effective_interval_seconds'>;

const readAt = (entries: readonly Timed[]): number =>
  entries.reduce(
    (least, { collected_at }) => (collected_at === null ? least : Math.min(least, Date.parse(collected_at))),
    Number.POSITIVE_INFINITY,
  );

/** Whether it was read once only, as far as the entries of the server tell. */
export const isFirstReading = (all: readonly Timed[], own: readonly Timed[]): boolean =>
  readAt(own) - readAt(all) <= FIRST_MS;

/** `own` of all entries of the server; undefined where that is not known. */
export function nextReading(all: readonly Timed[], own: readonly Timed[], now: number): number | undefined {
  const [first] = own;
  const read = readAt(own);
  if (!first || !Number.isFinite(read)) return undefined;
  const isFirst = isFirstReading(all, own) && read + AGAIN_MS > now;
  const at = read + (isFirst ? AGAIN_MS : 1000 * first.effective_interval_seconds);
  return at > now ? Math.ceil(at / MINUTE_MS) * MINUTE_MS : undefined;
}

export interface ClockOfPage {
  /** Milliseconds since 1970 by the clock of the server. */
  now: number;
  zone: string;
}

/** " Next reading by 14:03.", after another sentence; nothing where it is overdue. */
export function nextReadingText(
  all: readonly Timed[],
  own: readonly Timed[],
  clock: ClockOfPage | undefined,
): string {
  const at = clock && nextReading(all, own, clock.now);
  return at === undefined ? '' : ` Next reading by ${hourText(at, clock?.zone ?? '')}.`;
}
