// Which sender serves which link, and what is said where that cannot be told.
import { describe, expect, it } from 'vitest';
import {
  linksOf,
  type MemberFacts,
  type Scene,
  type SenderRow,
  type SlotRow,
  slotsOf,
  unreadSlots,
} from './cluster-links.ts';
import type { ReadState } from './figure-age.ts';

const collected_at = '2026-11-20T10:00:00.000Z';
const now = Date.parse(collected_at) + 10_000;
const read = (more: Partial<ReadState> = {}): ReadState => ({
  collected_at,
  outcome: 'ran',
  reason: null,
  mend: null,
  interval_seconds: 30,
  ...more,
});

const member = (id: number, more: Partial<MemberFacts> = {}): MemberFacts => ({
  id,
  name: `server ${id}`,
  host: `10.0.0.${id}`,
  hostaddr: null,
  is_monitored: true,
  cluster_name: null,
  receiver_slot_name: null,
  subscribed_slots: [],
  connection_error: null,
  failing_since: null,
  receiver_missing_since: null,
  sent: read(),
  slots: read({ interval_seconds: 300 }),
  ...more,
});

const sender = (connection_id: number, pid: number, more: Partial<SenderRow> = {}): SenderRow => ({
  connection_id,
  collected_at,
  role: 'primary',
  pid,
  application_name: 'walreceiver',
  client_addr: '10.9.9.9',
  state: 'streaming',
  sync_state: 'async',
  write_lag: 0.1,
  flush_lag: 0.2,
  replay_lag: 0.3,
  lag_bytes: pid,
  receiver_status: null,
  receiver_slot_name: null,
  replay_pause_state: null,
  ...more,
});

const receiver = (connection_id: number, lag_bytes: number): SenderRow =>
  sender(connection_id, 1, { role: 'standby', lag_bytes, receiver_status: 'streaming', state: null });

const slot = (
  connection_id: number,
  slot_name: string,
  use: Pick<SlotRow, 'active_pid'> & { type?: string },
): SlotRow => ({
  connection_id,
  collected_at,
  slot_name,
  slot_type: use.type ?? 'physical',
  database_name: null,
  is_active: use.active_pid !== null,
  active_pid: use.active_pid,
  wal_status: 'reserved',
  retained_bytes: 0,
  safe_wal_size_bytes: null,
  invalidation_reason: null,
  inactive_since: null,
});

const stream = (source_connection_id: number, target_connection_id: number, is_auto_detected = true) => ({
  source_connection_id,
  target_connection_id,
  relationship_type: 'streams_from' as const,
  is_auto_detected,
});

const scene = (more: Partial<Scene>): Scene => ({
  members: [member(1), member(2), member(3)],
  senders: [],
  slots: [],
  relationships: [stream(2, 1), stream(3, 1)],
  now,
  ...more,
});

/** [lag in bytes as the sender says, as the receiver says] by the receiving server. */
const lags = (given: Scene) =>
  Object.fromEntries(
    linksOf(given).map(({ source_connection_id, readings }) => [
      source_connection_id,
      readings.map(({ measured_at, lag_bytes }) => `${measured_at} ${lag_bytes}`),
    ]),
  );

describe('the sender of a standby', () => {
  it.each([
    {
      by: 'its slot',
      given: scene({
        members: [member(1), member(2, { receiver_slot_name: 'b' }), member(3, { receiver_slot_name: 'c' })],
        senders: [sender(1, 12), sender(1, 13)],
        slots: [slot(1, 'c', { active_pid: 13 }), slot(1, 'b', { active_pid: 12 })],
      }),
    },
    {
      by: 'its name',
      given: scene({
        members: [member(1), member(2, { cluster_name: 'b' }), member(3, { cluster_name: 'c' })],
        senders: [sender(1, 12, { application_name: 'b' }), sender(1, 13, { application_name: 'c' })],
      }),
    },
    {
      by: 'its address',
      given: scene({
        senders: [sender(1, 13, { client_addr: '10.0.0.3' }), sender(1, 12, { client_addr: '10.0.0.2' })],
      }),
    },
  ])('is told by $by', ({ given }) => expect(lags(given)).toEqual({ 2: ['sender 12'], 3: ['sender 13'] }));

  it('is the only one where only one standby streams, whatever subscribers there are', () =>
    expect(
      lags(
        scene({
          senders: [sender(1, 12), sender(1, 99)],
          slots: [slot(1, 'subscriber', { active_pid: 99, type: 'logical' })],
          relationships: [stream(2, 1)],
        }),
      ),
    ).toEqual({ 2: ['sender 12'] }));

  it('is nobody where two look alike; then the standby itself is heard', () => {
    const given = scene({ senders: [sender(1, 12), sender(1, 13), receiver(2, 77)] });
    expect(lags(given)).toEqual({ 2: ['receiver 77'], 3: [] });
    expect(linksOf(given).map(({ reason }) => reason)).toEqual([
      null,
      'server 1 has no sender that is known to serve server 3.',
    ]);
  });
});

it('tells subscriptions by the slots they use', () => {
  const given = scene({
    members: [member(1), member(2, { subscribed_slots: ['two', 'deux'] })],
    senders: [sender(1, 12), sender(1, 13), sender(1, 14)],
    slots: [
      slot(1, 'two', { active_pid: 12, type: 'logical' }),
      slot(1, 'deux', { active_pid: 14, type: 'logical' }),
      slot(1, 'other', { active_pid: 13, type: 'logical' }),
    ],
    relationships: [{ ...stream(2, 1), relationship_type: 'subscribes_to' }],
  });
  expect(lags(given)).toEqual({ 2: ['sender 12', 'sender 14'] });
});

it('says why a lag is not known, and what mends it', () => {
  const of = (target: Partial<MemberFacts>) =>
    linksOf(scene({ members: [member(1, target), member(2)], relationships: [stream(2, 1)] })).map(
      ({ reason, mend }) => ({ reason, mend }),
    );
  expect(of({ is_monitored: false })).toEqual([{ reason: 'server 1 is not monitored.', mend: null }]);
  expect(of({ sent: undefined })).toEqual([
    { reason: 'Replication of server 1 was not read yet.', mend: null },
  ]);
  expect(of({ sent: read({ collected_at: null, outcome: 'failed', reason: 'It timed out.' }) })).toEqual([
    { reason: 'server 1: It timed out.', mend: null },
  ]);
  expect(of({ sent: read({ reason: 'Masked.', mend: 'grant pg_monitor to m' }) })).toEqual([
    { reason: 'Masked.', mend: 'grant pg_monitor to m' },
  ]);
});

it('joins what was detected and what was said to one link, and leaves out what is out of sight', () => {
  const given = scene({
    members: [member(1), member(2)],
    relationships: [stream(2, 1, false), stream(2, 1), stream(3, 1), stream(2, 9)],
  });
  expect(linksOf(given)).toMatchObject([
    { source_connection_id: 2, target_connection_id: 1, is_auto_detected: true, is_manual: true },
  ]);
});

it('names the servers whose slots were not read', () => {
  const skipped = read({ collected_at: null, outcome: 'skipped', reason: 'Switched off.', mend: 'x' });
  expect(unreadSlots([member(1), member(2, { slots: skipped })], now)).toEqual([
    { connection_id: 2, reason: 'server 2: Switched off.', since: null, mend: 'x' },
  ]);
});

describe('figures that are not of now', () => {
  const NOTHING = { state: null, lag_bytes: null, write_lag_seconds: null, replay_lag_seconds: null };
  const pair = (more: Partial<Scene>) =>
    scene({
      members: [member(1), member(2)],
      relationships: [stream(2, 1)],
      senders: [sender(1, 12)],
      ...more,
    });
  const linkOf = (given: Scene) => linksOf(given)[0] ?? expect.fail('no link');
  const after = (seconds: number) => Date.parse(collected_at) + seconds * 1000;

  it.each([
    ['as built', 30, 75],
    ['as set there', 5, 12.5],
    ['slowed down', 600, 1500],
  ])('are unknown beyond the gap rule at the interval in force: %s', (_how, interval_seconds, seconds) => {
    const members = [member(1, { sent: read({ interval_seconds }) }), member(2)];
    const before = linkOf(pair({ members, now: after(seconds) }));
    expect(before).toMatchObject({ reason: null, since: null });
    expect(before.readings).toMatchObject([
      { lag_bytes: 12, reason: null, current_until: new Date(after(seconds)).toISOString() },
    ]);
    const reason = `Replication of server 1 was not read again, though it is due every ${interval_seconds} s.`;
    const old = linkOf(pair({ members, now: after(seconds) + 1 }));
    expect(old).toMatchObject({ reason, since: collected_at });
    expect(old.readings).toMatchObject([{ ...NOTHING, collected_at, reason, since: collected_at }]);
  });

  it('are unknown at once on a server that does not answer, since it does not', () => {
    const failing_since = new Date(after(3)).toISOString();
    const dead = member(1, { connection_error: 'Nothing listens there.', failing_since });
    const given = pair({ members: [dead, member(2)], slots: [slot(1, 'b', { active_pid: 12 })] });
    const why = { reason: 'server 1 cannot be read: Nothing listens there.', since: failing_since };
    expect(linkOf(given)).toMatchObject(why);
    expect(linkOf(given).readings).toMatchObject([{ ...NOTHING, ...why, slot_name: 'b' }]);
    expect(slotsOf(given)).toMatchObject([
      { slot_name: 'b', is_active: null, wal_status: null, retained_bytes: null, collected_at, ...why },
    ]);
    expect(unreadSlots(given.members, now)).toMatchObject([{ connection_id: 1, ...why }]);
  });

  it('are unknown of a standby without a receiver, which has replayed all that it got', () => {
    const since = '2026-11-20T09:00:00.000Z';
    const alone = member(2, { receiver_missing_since: since });
    const nobody = { ...receiver(2, 0), pid: 0, receiver_status: null };
    const given = pair({ members: [member(1), alone], senders: [nobody] });
    const why = { reason: 'server 2 has no WAL receiver: nothing reaches it.', since };
    expect(linkOf(given)).toMatchObject(why);
    expect(linkOf(given).readings).toMatchObject([{ measured_at: 'receiver', ...NOTHING, ...why }]);
    const waiting = { ...receiver(2, 0), receiver_status: 'waiting' };
    expect(linkOf(pair({ senders: [waiting] })).reason).toBe(
      'The WAL receiver of server 2 is waiting, not streaming.',
    );
    const connecting = { ...nobody, receiver_status: 'connecting' };
    expect(linkOf(pair({ members: [member(1), alone], senders: [connecting] }))).toMatchObject({
      reason: 'The WAL receiver of server 2 is connecting, not streaming.',
      since,
    });
  });

  it('are unknown where the sender was seen later, and sends to nobody', () => {
    const later = new Date(after(5)).toISOString();
    const members = [member(1, { sent: read({ collected_at: later }) }), member(2)];
    const given = pair({ members, senders: [receiver(2, 0)] });
    expect(linkOf(given)).toMatchObject({ reason: 'server 1 has no connected standby.', since: later });
    const earlier = pair({ senders: [receiver(2, 0)] });
    expect(linkOf(earlier).readings).toMatchObject([{ lag_bytes: 0, reason: null }]);
  });

  it('hold for whether a slot is in use, once its session is seen to be gone', () => {
    const later = new Date(after(5)).toISOString();
    const members = [member(1, { sent: read({ collected_at: later }) }), member(2)];
    const slots = [slot(1, 'b', { active_pid: 11 }), slot(1, 'c', { active_pid: 12 })];
    expect(slotsOf(pair({ members, slots }))).toMatchObject([
      { slot_name: 'b', is_active: null, wal_status: 'reserved', since: later },
      { slot_name: 'c', is_active: true, reason: null },
    ]);
    expect(slotsOf(pair({ slots }))).toMatchObject([{ is_active: true }, { is_active: true }]);
  });
});
