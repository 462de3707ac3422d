// What the WAL receiver of a standby says of itself. Pure. Guards: a standby that receives nothing is not called up to
// date, though it has replayed all that it got.
import type { Static } from '../../kernel/schema.ts';
import { gapMs } from '../../store/layout/intervals.ts';
import type { MemberFacts, SenderRow } from './cluster-links.ts';
import type { StandbyReceiver } from './clusters.schemas.ts';
import { type ReadState, type Unknown, whyNotCurrent } from './figure-age.ts';

type Receiver = Static<typeof StandbyReceiver>;

/** How sentences call what is read of replication. */
export const REPLICATION = 'Replication';

/** Until when figures of that moment are those of now. */
export const untilOf = (collected_at: string, read: ReadState | undefined): string =>
  new Date(Date.parse(collected_at) + gapMs(read?.interval_seconds ?? 0)).toISOString();

/** Undefined while WAL is streamed to the standby. */
export function withoutStream(
  { name, receiver_missing_since }: MemberFacts,
  { pid, receiver_status, collected_at }: SenderRow,
): Unknown | undefined {
  const since = pid === 0 ? (receiver_missing_since ?? collected_at) : collected_at;
  if (receiver_status !== null && receiver_status !== 'streaming')
    return { reason: `The WAL receiver of ${name} is ${receiver_status}, not streaming.`, since, mend: null };
  if (pid !== 0) return undefined;
  return { reason: `${name} has no WAL receiver: nothing reaches it.`, since, mend: null };
}

/** Null of a server that was no standby when it was read last. */
export function receiverOf(
  member: MemberFacts,
  { senders, now }: { senders: readonly SenderRow[]; now: number },
): Receiver | null {
  const row = senders.find(({ connection_id, role }) => connection_id === member.id && role === 'standby');
  if (!row) return null;
  const unknown = whyNotCurrent(member, member.sent, { what: REPLICATION, now });
  const missing = withoutStream(member, row);
  const { reason = null, since = null } = unknown ?? missing ?? {};
  return {
    is_receiving: unknown ? null : missing === undefined,
    reason,
    since,
    collected_at: row.collected_at,
    current_until: untilOf(row.collected_at, member.sent),
  };
}
