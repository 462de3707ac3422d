// A link and its lag in words. Pure. The lag of a link is what its sender measures, else what the receiver says; one
// that was read too long ago is not called the lag of now.
import { formatBytes, formatMilliseconds } from '../../lib/format.ts';
import type { ClusterLink, ClusterSlot } from './model.ts';

export type Reading = ClusterLink['readings'][number];

/** Five times the interval of pg_stat_replication. */
const FRESH_SECONDS = 150;

export const keyOf = (link: ClusterLink): string =>
  `${link.source_connection_id}-${link.target_connection_id}-${link.relationship_type}`;

/** 0.004 → "4 ms", 90 → "1.5 min", 7200 → "2 h". */
export function lagTime(seconds: number): string {
  if (seconds < 60) return formatMilliseconds(seconds * 1000);
  const [value, unit] = seconds < 3600 ? [seconds / 60, 'min'] : [seconds / 3600, 'h'];
  return `${Number(value.toPrecision(2))} ${unit}`;
}

const isFresh = (at: string, nowSeconds: number): boolean =>
  nowSeconds - Date.parse(at) / 1000 <= FRESH_SECONDS;

/** The reading that counts: with a lag, from the sender; of several the one farthest behind. */
export function mainReading({ readings }: ClusterLink): Reading | undefined {
  const known = readings.filter(({ lag_bytes }) => lag_bytes !== null);
  const senders = known.filter(({ measured_at }) => measured_at === 'sender');
  const from = senders.length > 0 ? senders : known;
  return from.reduce<Reading | undefined>(
    (a, b) => (a && (a.lag_bytes ?? 0) >= (b.lag_bytes ?? 0) ? a : b),
    undefined,
  );
}

export interface Lag {
  /** Null: not known, or not known of now. */
  bytes: number | null;
  text: string;
  tone: 'plain' | 'warn' | 'unknown';
}

/** Far enough behind for a second look. */
const WARN_BYTES = 64 * 1024 * 1024;
const WARN_SECONDS = 60;

export function lagOf(link: ClusterLink, nowSeconds: number): Lag {
  const reading = mainReading(link);
  if (reading?.lag_bytes == null) return { bytes: null, text: 'lag not known', tone: 'unknown' };
  if (!isFresh(reading.collected_at, nowSeconds)) return { bytes: null, text: 'no news', tone: 'unknown' };
  const bytes = reading.lag_bytes;
  const seconds = bytes > 0 ? reading.replay_lag_seconds : null;
  const late = bytes >= WARN_BYTES || (seconds !== null && seconds >= WARN_SECONDS);
  return {
    bytes,
    text: seconds === null ? formatBytes(bytes) : `${formatBytes(bytes)} · ${lagTime(seconds)}`,
    tone: late ? 'warn' : 'plain',
  };
}

export function slotState(slot: ClusterSlot): { label: string; mark: 'ok' | 'warning' | 'failed' } {
  if (slot.wal_status === 'lost') return { label: 'Lost', mark: 'failed' };
  if (slot.wal_status === 'unreserved') return { label: 'About to be lost', mark: 'failed' };
  if (slot.is_active === true) return { label: 'In use', mark: 'ok' };
  return { label: 'Not in use', mark: 'warning' };
}
