// The rows of the estate in groups that fold, as the navigation has them. Pure. Guards: the group whose server hurts most comes first,
// and within a group the order is that of the table.
import { type Group, serversOf, worstState } from '../../estate/clusters/model.ts';
import { stateOf } from '../../estate/estate/server-state.ts';
import type { EstateRow } from './estate-row.ts';

export interface GroupHead {
  key: string;
  name: string;
  count: number;
  isOpen: boolean;
  state: { label: string; mark: ReturnType<typeof stateOf>['mark'] };
}

export type TableRow = { head: GroupHead; row?: undefined } | { row: EstateRow; head?: undefined };

/** Names of the group and cluster of each server, to be searched. */
export function scopeNames(groups: readonly Group[]): ReadonlyMap<number, string> {
  const names = groups.flatMap((group) =>
    group.clusters.flatMap((cluster) =>
      serversOf(cluster).map(({ id }) => [id, `${group.name}\n${cluster.name}`] as const),
    ),
  );
  return new Map(names);
}

/** Groups with servers; fewer than two are no groups to fold. */
export const isGrouped = (groups: readonly Group[]): boolean =>
  groups.filter(({ clusters }) => clusters.length > 0).length > 1;

export function groupedRows(
  rows: readonly EstateRow[],
  { groups, folded }: { groups: readonly Group[]; folded: ReadonlySet<string> },
): TableRow[] {
  const groupOf = new Map(
    groups.flatMap((group) =>
      group.clusters.flatMap((cluster) => serversOf(cluster).map(({ id }) => [id, group])),
    ),
  );
  const byGroup = Map.groupBy(rows, ({ server }) => groupOf.get(server.connection_id)?.id ?? '');
  return [...byGroup].flatMap(([key, own]) => {
    const isOpen = !folded.has(key);
    const head = {
      key,
      name: groups.find(({ id }) => id === key)?.name ?? 'Ungrouped',
      count: own.length,
      isOpen,
      state: worstState(own.map(({ server }) => stateOf(server))),
    };
    return [{ head }, ...(isOpen ? own.map((row) => ({ row })) : [])];
  });
}
