// Which sender serves which link of a cluster, and how far behind its receiver is. Pure. Guards: a sender that cannot be
// told from others counts for nobody, so that no server is shown another one's lag; unknown has a reason.
import type { Static } from '../../kernel/schema.ts';
import type { ClusterLink, LinkReading } from './cluster-detail.contract.ts';
import type { TreeRelationshipRow } from './topology.queries.ts';

type Link = Static<typeof ClusterLink>;
type Reading = Static<typeof LinkReading>;

export interface MemberFacts {
  id: number;
  name: string;
  host: string;
  hostaddr: string | null;
  is_monitored: boolean;
  /** The setting cluster_name, which a standby calls itself by unless told otherwise. */
  cluster_name: string | null;
  receiver_slot_name: string | null;
  /** Slots on publishers that its subscriptions use. */
  subscribed_slots: readonly string[];
  sent_outcome: string | null;
  sent_reason: string | null;
  sent_mend: string | null;
  slots_outcome: string | null;
  slots_reason: string | null;
  slots_mend: string | null;
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
}

export interface SlotRow {
  connection_id: number;
  collected_at: string;
  slot_name: string;
  slot_type: string | null;
  database_name: string | null;
  is_active: boolean | null;
  active_pid: number | null;
  wal_status: string | null;
  retained_bytes: number | null;
  safe_wal_size_bytes: number | null;
  invalidation_reason: string | null;
  inactive_since: string | null;
}

export interface Scene {
  members: readonly MemberFacts[];
  senders: readonly SenderRow[];
  slots: readonly SlotRow[];
  relationships: readonly TreeRelationshipRow[];
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
function senderOfStandby(scene: Scene, { source, target }: Ends): SenderRow | undefined {
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

function reading(scene: Scene, row: SenderRow): Reading {
  const isSender = row.role === 'primary';
  return {
    measured_at: isSender ? 'sender' : 'receiver',
    collected_at: row.collected_at,
    state: isSender ? row.state : row.receiver_status,
    sync_state: row.sync_state,
    application_name: row.application_name,
    slot_name: isSender ? slotOf(scene, row) : row.receiver_slot_name,
    write_lag_seconds: row.write_lag,
    flush_lag_seconds: row.flush_lag,
    replay_lag_seconds: row.replay_lag,
    lag_bytes: row.lag_bytes,
  };
}

const unread = (member: MemberFacts, outcome: string | null, reason: string | null): string | null => {
  if (!member.is_monitored) return `${member.name} is not monitored.`;
  if (outcome === null) return `Replication of ${member.name} was not read yet.`;
  return outcome === 'ran' ? null : `${member.name}: ${reason ?? 'it could not be read.'}`;
};

/** Why there is no number for a link. */
function whyUnknown({ source, target }: Ends): Pick<Link, 'reason' | 'mend'> {
  const reason = unread(target, target.sent_outcome, target.sent_reason);
  if (reason !== null) return { reason, mend: target.sent_mend };
  if (target.sent_reason !== null) return { reason: target.sent_reason, mend: target.sent_mend };
  return { reason: `${target.name} has no sender that is known to serve ${source.name}.`, mend: null };
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
      (one) => reading(scene, one),
    );
    const isKnown = readings.some(({ lag_bytes }) => lag_bytes !== null);
    links.set(key, {
      source_connection_id,
      target_connection_id,
      relationship_type,
      is_auto_detected,
      is_manual: !is_auto_detected,
      readings,
      ...(isKnown ? { reason: null, mend: null } : whyUnknown(ends)),
    });
  }
  return [...links.values()].sort(
    (a, b) =>
      a.target_connection_id - b.target_connection_id ||
      a.source_connection_id - b.source_connection_id ||
      (a.relationship_type < b.relationship_type ? -1 : 1),
  );
}

/** Servers whose slots are not known, with the reason. */
export function unreadSlots(members: readonly MemberFacts[]) {
  return members.flatMap((member) => {
    const reason = unread(member, member.slots_outcome, member.slots_reason);
    return reason === null ? [] : [{ connection_id: member.id, reason, mend: member.slots_mend }];
  });
}
