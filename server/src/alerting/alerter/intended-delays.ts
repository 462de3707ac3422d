// Standbys that wait for recovery_min_apply_delay, seen from either end, for rules that allow it. Guards: read only where a value may
// matter at all; what a standby said of itself counts while it is of now.

import type { MetricValue } from '../../history/history.ts';
import { lateOnPurpose } from '../../probes/late-standby.ts';
import { probe } from '../../probes/pg-stat-replication.ts';
import { type Newest, newest } from '../../store/read/doors/newest.ts';
import type { Round } from './judge-rules.ts';
import { listClusterMembers } from './state.queries.ts';

const keyOf = (connection_id: number, pid: unknown) => `${connection_id} ${pid}`;

function replayingOf({ connection_id, row }: Newest) {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const is_on_time = typeof row.is_on_time === 'boolean' ? row.is_on_time : null;
  const [role, replay_lsn] = [text(row.role), text(row.replay_lsn)];
  return { key: keyOf(connection_id, row.pid), role, replay_lsn, is_on_time };
}

/** Of these servers: whether a value is of a standby that is late on purpose. Two statements. */
export async function intendedDelays(
  { ctx: { db }, isFresh }: Pick<Round, 'ctx' | 'isFresh'>,
  connection_ids: readonly number[],
): Promise<(value: MetricValue) => boolean> {
  const mates = Map.groupBy(await listClusterMembers(db, connection_ids), (row) => row.connection_id);
  const all = new Set([...connection_ids, ...[...mates.values()].flat().map(({ mate_id }) => mate_id)]);
  const columns = ['pid', 'role', 'replay_lsn', 'is_on_time'];
  const rows = await newest(db, { probe, columns, connection_ids: [...all] });
  const fresh = rows.filter(({ connection_id, collected_at }) =>
    isFresh({ probe, connection_id, at: Date.parse(collected_at ?? '') }),
  );
  const known = Map.groupBy(fresh, ({ connection_id }) => connection_id);
  const of = (id: number) => (known.get(id) ?? []).map(replayingOf);
  const intended = new Set(
    connection_ids.flatMap((id) => {
      const others = (mates.get(id) ?? []).flatMap(({ mate_id }) => of(mate_id));
      return [...lateOnPurpose(of(id), others)].map(({ key }) => key);
    }),
  );
  return ({ connection_id, object }) => intended.has(keyOf(connection_id, object.pid));
}
