// A link and its lag in words. Pure. The lag of a link is what its sender measures, else what the receiver says. What is
// not of now any more is null with its reason; the server says until when it is.
import { formatBytes, formatDuration } from '../../../lib/format.ts';
import { pausedReplay } from '../../history/replication/replay-pause.ts';
import {
  type ClusterDetail,
  type ClusterLink,
  type ClusterSlot,
  LAST_SEEN_WORDS,
  RELATION_WORDS,
  type RelationshipType,
} from './model.ts';

export type Reading = ClusterLink['readings'][number];

export const keyOf = (link: ClusterLink): string =>
  `${link.source_connection_id}-${link.target_connection_id}-${link.relationship_type}`;

/** "streams from" of now; "last seen streaming from" once the newest news of it is too old. */
export const relationOf = ({ relationship_type, since }: Pick<ClusterLink, 'relationship_type' | 'since'>) =>
  (since === null ? RELATION_WORDS : LAST_SEEN_WORDS)[relationship_type];

type Receiving = { is_receiving: boolean | null; since: string | null; collected_at: string };

/** Until when a standby was seen to stream; null while it streams, or of a relation that no receiver tells of. */
export function streamedUntil(type: RelationshipType, receiver: Receiving | null | undefined): string | null {
  if (type !== 'streams_from' || !receiver || receiver.is_receiving === true) return null;
  return receiver.since ?? receiver.collected_at;
}

const OLD = 'No newer data has come from Matriarch.';

interface OfOneMoment {
  collected_at: string;
  current_until: string;
  reason: string | null;
  since: string | null;
}

function ageOf<T extends OfOneMoment>(one: T, nowSeconds: number, nothing: Partial<T>): T {
  if (one.reason !== null || nowSeconds <= Date.parse(one.current_until) / 1000) return one;
  return { ...one, ...nothing, reason: OLD, since: one.collected_at };
}

/** The same at a later time, while nothing newer can be had: figures do not outlive what the server said of them. */
export function asOfNow(detail: ClusterDetail, nowSeconds: number): ClusterDetail {
  const slots = detail.slots.map((slot) =>
    ageOf(slot, nowSeconds, {
      is_active: null,
      wal_status: null,
      retained_bytes: null,
      safe_wal_size_bytes: null,
    }),
  );
  const links = detail.links.map((link) => {
    const readings = link.readings.map((one) =>
      ageOf(one, nowSeconds, {
        state: null,
        sync_state: null,
        write_lag_seconds: null,
        flush_lag_seconds: null,
        replay_lag_seconds: null,
        lag_bytes: null,
        replay_pause_state: null,
        replay_paused_since: null,
      }),
    );
    const old = readings.find((one) => one.reason !== null);
    const isKnown = readings.some(({ lag_bytes }) => lag_bytes !== null);
    const why = isKnown || !old ? {} : { reason: link.reason ?? old.reason, since: link.since ?? old.since };
    return { ...link, readings, ...why };
  });
  return { ...detail, links, slots };
}

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

/** Its standby receives WAL and applies none of it; `since` null: not known since when. */
export function pauseOf({ readings }: ClusterLink): { label: string; since: string | null } | undefined {
  for (const { replay_pause_state, replay_paused_since } of readings) {
    const label = pausedReplay(replay_pause_state);
    if (label !== undefined) return { label, since: replay_paused_since };
  }
  return undefined;
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

export function lagOf(link: ClusterLink): Lag {
  const reading = mainReading(link);
  const isPaused = pauseOf(link) !== undefined;
  if (reading?.lag_bytes == null)
    return isPaused
      ? { bytes: null, text: 'replay paused', tone: 'warn' }
      : { bytes: null, text: 'lag not known', tone: 'unknown' };
  const bytes = reading.lag_bytes;
  if (isPaused) return { bytes, text: `paused · ${formatBytes(bytes)}`, tone: 'warn' };
  // The receiver knows what it has not replayed, and not what it has not got.
  const behind = reading.measured_at === 'sender' ? formatBytes(bytes) : `${formatBytes(bytes)} to replay`;
  const seconds = bytes > 0 ? reading.replay_lag_seconds : null;
  const late = bytes >= WARN_BYTES || (seconds !== null && seconds >= WARN_SECONDS);
  return {
    bytes,
    text: seconds === null ? behind : `${behind} · ${formatDuration(seconds)}`,
    tone: late ? 'warn' : 'plain',
  };
}

export function slotState(slot: ClusterSlot): {
  label: string;
  mark: 'ok' | 'warning' | 'failed' | 'unknown';
} {
  if (slot.wal_status === 'lost') return { label: 'Lost', mark: 'failed' };
  if (slot.wal_status === 'unreserved') return { label: 'About to be lost', mark: 'failed' };
  if (slot.is_active === null) return { label: 'Not known', mark: 'unknown' };
  if (slot.is_active) return { label: 'In use', mark: 'ok' };
  return { label: 'Not in use', mark: 'warning' };
}
