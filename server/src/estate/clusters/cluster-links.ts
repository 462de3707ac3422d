// Which sender serves which link of a cluster, and how far behind its receiver is. Pure. Guards: a sender that cannot be
// told from others counts for nobody, so that no server is shown another one's lag; a figure that is not of now is null,
// and says why and since when.
import type { Static } from '../../kernel/schema.ts';
import type { ClusterLink, ClusterSlot, LinkReading } from './cluster-detail.contract.ts';
import { type ReadState, type ServerReach, type Unknown, whyNotCurrent } from './figure-age.ts';
import { REPLICATION, untilOf, withoutStream } from './receiver.ts';
import type { TreeRelationshipRow } from './topology.queries.ts';

type Link = Static<typeof ClusterLink>;
type Reading = Static<typeof LinkReading>;
type Slot = Static<typeof ClusterSlot>;

export interface MemberFacts extends ServerReach {
  id: number;
  host: string;
  hostaddr: string | null;
  /** The setting cluster_name, which a standby calls itself by unless told otherwise. */
  cluster_name: string | null;
  receiver_slot_name: string | null;
  /** Slots on publishers that its subscriptions use. */
  subscribed_slots: readonly string[];
  /** Since when a standby has been without a receiver; null while it has one. */
  receiver_missing_since: string | null;
  /** What became of pg_stat_replication. */
  sent: ReadState | undefined;
  /** What became of pg_replication_slots. */
  slots: ReadState | undefined;
}

export interface SenderRow {
  connection_id: number;
  collected_at: string;
  role: string | null;
  pid: number | null;
  application_name: string | null;
  client_addr: string | null;
  state: string | null;
  sync_state: string | null;
  write_lag: number | null;
  flush_lag: number | null;
  replay_lag: number | null;
  lag_bytes: number | null;
  receiver_status: string | null;
  receiver_slot_name: string | null;
  replay_pause_state: string | null;
}

export interface SlotRow extends Omit<Static<typeof ClusterSlot>, 'current_until' | 'reason' | 'since'> {
  active_pid: number | null;
}

export interface Scene {
  members: readonly MemberFacts[];
  senders: readonly SenderRow[];
  slots: readonly SlotRow[];
  relationships: readonly TreeRelationshipRow[];
  /** Of standbys whose replay is paused; undefined where that is not asked. */
  pausedSince?: ReadonlyMap<number, string> | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

interface Ends {
  source: MemberFacts;
  target: MemberFacts;
}

const slotOf = ({ slots }: Scene, { connection_id, pid }: SenderRow) =>
  slots.find(
    (slot) => slot.connection_id === connection_id && slot.active_pid !== null && slot.active_pid === pid,
  )?.slot_name ?? null;

const sent = (scene: Scene, target: MemberFacts) =>
  scene.senders.filter(({ connection_id, role }) => connection_id === target.id && role === 'primary');

const received = (scene: Scene, source: MemberFacts) =>
  scene.senders.find(({ connection_id, role }) => connection_id === source.id && role === 'standby');

/** Each kind of evidence alone has to point at one sender. */
export function senderOfStandby(scene: Scene, { source, target }: Ends): SenderRow | undefined {
  const slot = source.receiver_slot_name ?? received(scene, source)?.receiver_slot_name ?? null;
  const addresses = new Set([source.host, source.hostaddr]);
  const streaming = sent(scene, target);
  const proofs: ((row: SenderRow) => boolean)[] = [
    (row) => slot !== null && slotOf(scene, row) === slot,
    ({ application_name }) => !!source.cluster_name && application_name === source.cluster_name,
    ({ client_addr }) => client_addr !== null && addresses.has(client_addr),
  ];
  let left = streaming;
  for (const proves of proofs) {
    const found = left.filter(proves);
    if (found.length === 1) return found[0];
    if (found.length > 1) left = found;
  }
  const standbys = scene.relationships.filter(
    (one) => one.relationship_type === 'streams_from' && one.target_connection_id === target.id,
  );
  const alone = new Set(standbys.map((one) => one.source_connection_id)).size === 1;
  const physical = streaming.filter((row) => !isLogical(scene, row));
  return alone && physical.length === 1 ? physical[0] : undefined;
}

function isLogical(scene: Scene, row: SenderRow): boolean {
  const name = slotOf(scene, row);
  return scene.slots.some(
    (slot) =>
      slot.connection_id === row.connection_id && slot.slot_name === name && slot.slot_type === 'logical',
  );
}

function sendersOf(scene: Scene, ends: Ends, type: Link['relationship_type']): SenderRow[] {
  if (type === 'streams_from') {
    const one = senderOfStandby(scene, ends);
    return one ? [one] : [];
  }
  const { source, target } = ends;
  return sent(scene, target).filter((row) => source.subscribed_slots.includes(slotOf(scene, row) ?? ''));
}

const senderUnknown = ({ now }: Scene, member: MemberFacts) =>
  whyNotCurrent(member, member.sent, { what: REPLICATION, now });

/** The sender was looked at later than the receiver, and sends to nobody. */
function contradicted(scene: Scene, { target }: Ends, row: SenderRow): Unknown | undefined {
  const { sent: read } = target;
  if (!read?.collected_at || senderUnknown(scene, target) || sent(scene, target).length > 0) return undefined;
  if (Date.parse(read.collected_at) <= Date.parse(row.collected_at)) return undefined;
  return { reason: `${target.name} has no connected standby.`, since: read.collected_at, mend: null };
}

const NO_FIGURES = {
  state: null,
  sync_state: null,
  write_lag_seconds: null,
  flush_lag_seconds: null,
  replay_lag_seconds: null,
  lag_bytes: null,
  replay_pause_state: null,
  replay_paused_since: null,
};

function reading(scene: Scene, ends: Ends, row: SenderRow): Reading {
  const isSender = row.role === 'primary';
  const member = isSender ? ends.target : ends.source;
  const unknown =
    senderUnknown(scene, member) ??
    (isSender ? undefined : (withoutStream(member, row) ?? contradicted(scene, ends, row)));
  const figures = {
    state: isSender ? row.state : row.receiver_status,
    sync_state: row.sync_state,
    write_lag_seconds: row.write_lag,
    flush_lag_seconds: row.flush_lag,
    replay_lag_seconds: row.replay_lag,
    lag_bytes: row.lag_bytes,
    replay_pause_state: isSender ? null : row.replay_pause_state,
    replay_paused_since: isSender ? null : (scene.pausedSince?.get(row.connection_id) ?? null),
  };
  return {
    measured_at: isSender ? 'sender' : 'receiver',
    collected_at: row.collected_at,
    current_until: untilOf(row.collected_at, member.sent),
    application_name: row.application_name,
    slot_name: isSender ? slotOf(scene, row) : row.receiver_slot_name,
    ...(unknown ? NO_FIGURES : figures),
    reason: unknown?.reason ?? null,
    since: unknown?.since ?? null,
  };
}

/** Why there is no number for a link. */
function whyUnknown(scene: Scene, { source, target }: Ends, readings: readonly Reading[]): Unknown {
  const away = senderUnknown(scene, target);
  if (away) return away;
  const { reason = null, since = null } = readings.find((one) => one.reason !== null) ?? {};
  if (reason !== null) return { reason, since, mend: null };
  const { reason: masked = null, mend = null } = target.sent ?? {};
  if (masked !== null) return { reason: masked, since: null, mend };
  return {
    reason: `${target.name} has no sender that is known to serve ${source.name}.`,
    since: null,
    mend: null,
  };
}

export function linksOf(scene: Scene): Link[] {
  const byId = new Map(scene.members.map((member) => [member.id, member]));
  const links = new Map<string, Link>();
  for (const row of scene.relationships) {
    const { source_connection_id, target_connection_id, relationship_type, is_auto_detected } = row;
    const [source, target] = [byId.get(source_connection_id), byId.get(target_connection_id)];
    if (!source || !target) continue;
    const key = `${source_connection_id} ${target_connection_id} ${relationship_type}`;
    const known = links.get(key);
    if (known) {
      known.is_auto_detected ||= is_auto_detected;
      known.is_manual ||= !is_auto_detected;
      continue;
    }
    const ends = { source, target };
    const receiver = relationship_type === 'streams_from' ? received(scene, source) : undefined;
    const readings = [...sendersOf(scene, ends, relationship_type), ...(receiver ? [receiver] : [])].map(
      (one) => reading(scene, ends, one),
    );
    const isKnown = readings.some(({ lag_bytes }) => lag_bytes !== null);
    const unknown = isKnown ? undefined : whyUnknown(scene, ends, readings);
    links.set(key, {
      source_connection_id,
      target_connection_id,
      relationship_type,
      is_auto_detected,
      is_manual: !is_auto_detected,
      readings,
      reason: unknown?.reason ?? null,
      since: unknown?.since ?? null,
      mend: unknown?.mend ?? null,
    });
  }
  return [...links.values()].sort(
    (a, b) =>
      a.target_connection_id - b.target_connection_id ||
      a.source_connection_id - b.source_connection_id ||
      (a.relationship_type < b.relationship_type ? -1 : 1),
  );
}

const slotsUnknown = (member: MemberFacts, now: number) =>
  whyNotCurrent(member, member.slots, { what: REPLICATION, now });

/** The session that held a physical slot was gone when the senders were read after it. */
function isLetGo(scene: Scene, slot: SlotRow, { sent: read, id }: MemberFacts): boolean {
  if (slot.slot_type !== 'physical' || slot.active_pid === null || !read?.collected_at) return false;
  if (Date.parse(read.collected_at) <= Date.parse(slot.collected_at)) return false;
  return !scene.senders.some(({ connection_id, pid }) => connection_id === id && pid === slot.active_pid);
}

const NO_SLOT_FIGURES = {
  is_active: null,
  wal_status: null,
  retained_bytes: null,
  safe_wal_size_bytes: null,
  invalidation_reason: null,
  inactive_since: null,
};

function slotView(scene: Scene, row: SlotRow, member: MemberFacts): Slot {
  const { active_pid: _internal, ...slot } = row;
  const current_until = untilOf(row.collected_at, member.slots);
  const unknown = slotsUnknown(member, scene.now);
  if (unknown) {
    const { reason, since } = unknown;
    return { ...slot, ...NO_SLOT_FIGURES, current_until, reason, since };
  }
  if (senderUnknown(scene, member) || !isLetGo(scene, row, member))
    return { ...slot, current_until, reason: null, since: null };
  const reason = 'The session that used it has ended; who uses it now was not read yet.';
  return { ...slot, current_until, is_active: null, reason, since: member.sent?.collected_at ?? null };
}

export function slotsOf(scene: Scene): Slot[] {
  const byId = new Map(scene.members.map((member) => [member.id, member]));
  return scene.slots.flatMap((slot) => {
    const member = byId.get(slot.connection_id);
    return member ? [slotView(scene, slot, member)] : [];
  });
}

/** Servers whose slots are not known, with the reason. */
export function unreadSlots(members: readonly MemberFacts[], now: number) {
  return members.flatMap((member) => {
    const unknown = slotsUnknown(member, now);
    return unknown ? [{ connection_id: member.id, ...unknown }] : [];
  });
}
