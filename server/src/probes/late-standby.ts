// Which standbys are late on purpose: those that wait for recovery_min_apply_delay. The standby itself knows it (is_on_time of its own
// row), its primary does not. So rows of a sender are told by the monitored standbys of the cluster that say so. Pure. Guards: alert rules
// and checks judge by this alone; each such standby excuses one sender at most, the one whose replay is nearest to its own.

/** Of a row of pg_stat_replication. */
export interface Replaying {
  readonly role: string | null;
  readonly replay_lsn: string | null;
  readonly is_on_time: boolean | null;
}

const LSN = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

function positionOf(lsn: string | null): number | undefined {
  const [, high, low] = LSN.exec(lsn ?? '') ?? [];
  if (high === undefined || low === undefined) return undefined;
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

const isOnTime = ({ role, is_on_time }: Replaying) => role === 'standby' && is_on_time === true;

/** Of rows of one server those that are late on purpose, as the rows of the other servers of its cluster tell. */
export function lateOnPurpose<T extends Replaying>(
  rows: readonly T[],
  mates: readonly Replaying[],
): ReadonlySet<T> {
  const excused = new Set(rows.filter(isOnTime));
  const senders = rows.flatMap((row) => {
    const at = row.role === 'primary' ? positionOf(row.replay_lsn) : undefined;
    return at === undefined ? [] : [{ row, at }];
  });
  for (const mate of mates) {
    const here = isOnTime(mate) ? positionOf(mate.replay_lsn) : undefined;
    if (here === undefined) continue;
    const free = senders.filter(({ row }) => !excused.has(row));
    const [nearest] = free.sort((a, b) => Math.abs(a.at - here) - Math.abs(b.at - here));
    if (nearest) excused.add(nearest.row);
  }
  return excused;
}
