// Makes the desk that rows and questions share, for the groups that are shown.
import { useMemo, useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { mayManageConnections, useUser } from '../auth/use-user.ts';
import { useEstate } from '../estate/use-estate.ts';
import type { Ask, Desk, Dragged } from './desk.ts';
import { estateById, type Group, serverState } from './model.ts';
import { useMoves } from './use-moves.ts';

export function useDeskOf(groups: readonly Group[] | undefined, ask: (ask: Ask) => void): Desk {
  const mayManage = mayManageConnections(useUser().data);
  const estate = useEstate().data?.servers;
  const stored = useOperation('listClusterGroups', {}).data;
  const moves = useMoves();
  const [dragged, drag] = useState<Dragged>();
  const known = useMemo(() => estateById(estate), [estate]);
  const descriptions = useMemo(
    () => new Map((stored ?? []).map(({ id, description }) => [id, description ?? ''])),
    [stored],
  );
  const stateOf: Desk['stateOf'] = (server) => serverState(server, known);
  return { mayManage, moves, groups: groups ?? [], descriptions, stateOf, ask, dragged, drag };
}
