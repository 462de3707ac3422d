import { describe, expect, it } from 'vitest';
import {
  asOfNow,
  lagOf,
  mainReading,
  pauseOf,
  type Reading,
  relationOf,
  slotState,
  streamedUntil,
} from './link-words.ts';
import { type ClusterLink, type ClusterSlot, roleNow } from './model.ts';

const NOW = 1_790_000_000;
const reading = (more: Partial<Reading> = {}): Reading => ({
  measured_at: 'sender',
  collected_at: new Date((NOW - 10) * 1000).toISOString(),
  state: 'streaming',
  sync_state: 'async',
  application_name: 'b',
  slot_name: null,
  write_lag_seconds: null,
  flush_lag_seconds: null,
  replay_lag_seconds: null,
  lag_bytes: 0,
  replay_pause_state: null,
  replay_paused_since: null,
  current_until: new Date((NOW + 65) * 1000).toISOString(),
  reason: null,
  since: null,
  ...more,
});
const link = (...readings: Reading[]): ClusterLink => ({
  source_connection_id: 2,
  target_connection_id: 1,
  relationship_type: 'streams_from',
  is_auto_detected: true,
  is_manual: false,
  readings,
  reason: null,
  since: null,
  mend: null,
});

const since = new Date((NOW - 600) * 1000).toISOString();
const paused = reading({
  measured_at: 'receiver',
  replay_pause_state: 'paused',
  replay_paused_since: since,
});

it('says of a standby that its replay is paused, and nothing of it once that is old', () => {
  const one = link(reading(), paused);
  expect(pauseOf(one)).toEqual({ label: 'WAL replay paused', since });
  expect(pauseOf(link(reading(), { ...paused, replay_pause_state: 'not paused' }))).toBeUndefined();
  const [later] = asOfNow({ links: [one], slots: [], unread: [] }, NOW + 1000).links;
  expect(later && pauseOf(later)).toBeUndefined();
});

describe('the lag on a line', () => {
  it.each([
    ['nothing is known', [], 'lag not known', 'unknown'],
    ['bytes are masked', [reading({ lag_bytes: null })], 'lag not known', 'unknown'],
    ['it keeps up', [reading()], '0 B', 'plain'],
    ['it keeps up; an old time says nothing', [reading({ replay_lag_seconds: 90 })], '0 B', 'plain'],
    [
      'it is a little behind',
      [reading({ lag_bytes: 8192, replay_lag_seconds: 0.004 })],
      '8 kB · 4 ms',
      'plain',
    ],
    ['it is far behind', [reading({ lag_bytes: 2 ** 30 })], '1 GB', 'warn'],
    ['it is late', [reading({ lag_bytes: 100, replay_lag_seconds: 90 })], '100 B · 1 min 30 s', 'warn'],
    [
      'only the receiver is heard',
      [reading({ lag_bytes: null }), reading({ measured_at: 'receiver' })],
      '0 B to replay',
      'plain',
    ],
    [
      'its standby does not replay, though the sender says nothing of that',
      [reading({ lag_bytes: 8192, replay_lag_seconds: 90 }), paused],
      'paused · 8 kB',
      'warn',
    ],
    [
      'it does not replay, and nothing is known of bytes',
      [{ ...paused, lag_bytes: null }],
      'replay paused',
      'warn',
    ],
  ])('when %s', (...[, readings, text, tone]) =>
    expect(lagOf(link(...readings))).toMatchObject({ text, tone }),
  );
});

it('believes the sender before the receiver, and the worse of two senders', () => {
  const receiver = reading({ measured_at: 'receiver', lag_bytes: 9 });
  expect(mainReading(link(receiver, reading({ lag_bytes: 1 }), reading({ lag_bytes: 5 })))?.lag_bytes).toBe(
    5,
  );
  expect(mainReading(link(reading({ lag_bytes: null }), receiver))?.lag_bytes).toBe(9);
});

const slotWith = (facts: Pick<ClusterSlot, 'is_active' | 'wal_status'>): ClusterSlot => ({
  connection_id: 1,
  slot_name: 's',
  slot_type: 'physical',
  database_name: null,
  retained_bytes: null,
  safe_wal_size_bytes: null,
  invalidation_reason: null,
  inactive_since: null,
  collected_at: '2026-11-20T10:00:00.000Z',
  current_until: new Date((NOW + 65) * 1000).toISOString(),
  reason: null,
  since: null,
  ...facts,
});

it('lets no figure outlive what the server said of it', () => {
  const [one, slot] = [link(reading()), slotWith({ is_active: true, wal_status: 'reserved' })];
  const detail = { links: [one], slots: [slot], unread: [] };
  expect(asOfNow(detail, NOW + 65)).toEqual(detail);
  const old = asOfNow(detail, NOW + 66);
  const why = { reason: 'No newer data has come from Matriarch.', since: expect.any(String) };
  expect(old).toMatchObject({
    links: [{ ...why, readings: [{ lag_bytes: null, state: null, ...why }] }],
    slots: [{ is_active: null, ...why }],
  });
});

it.each([
  [{ is_active: true, wal_status: 'reserved' }, 'In use'],
  [{ is_active: false, wal_status: 'reserved' }, 'Not in use'],
  [{ is_active: null, wal_status: null }, 'Not known'],
  [{ is_active: false, wal_status: 'lost' }, 'Lost'],
  [{ is_active: true, wal_status: 'unreserved' }, 'About to be lost'],
])('a slot %j: %s', (facts, label) => {
  expect(slotState(slotWith(facts)).label).toBe(label);
});

describe('what is not known to be so any more is said of then', () => {
  const since = '2026-09-21T10:00:00Z';
  it('a link whose ends are not heard', () => {
    const one = link(reading());
    expect(relationOf(one)).toBe('streams from');
    expect(relationOf({ ...one, since })).toBe('last seen streaming from');
    const later = asOfNow({ links: [one], slots: [], unread: [] }, NOW + 1000);
    expect(later.links.map(relationOf)).toEqual(['last seen streaming from']);
  });

  it('a standby without a receiver, or one that nobody hears', () => {
    const receiver = { is_receiving: false, since, collected_at: '2026-09-21T11:00:00Z' };
    expect(streamedUntil('streams_from', receiver)).toBe(since);
    expect(streamedUntil('streams_from', { ...receiver, is_receiving: null, since: null })).toBe(
      receiver.collected_at,
    );
    expect(streamedUntil('streams_from', { ...receiver, is_receiving: true })).toBeNull();
    expect(streamedUntil('subscribes_to', receiver)).toBeNull();
    expect(streamedUntil('streams_from', null)).toBeNull();
  });

  it('the role of a server that cannot be reached', () => {
    expect(roleNow({ role: 'binary_primary', status: 'offline' })).toBe('Primary when last seen');
    expect(roleNow({ role: 'binary_primary', status: 'online' })).toBe('Primary');
    expect(roleNow({ role: 'unknown', status: 'offline' })).toBeNull();
  });
});
