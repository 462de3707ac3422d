// Makes the context that rows and questions share, for the groups that are shown.
import { useMemo, useState } from 'react';
import { mayManageConnections, mayUse, useUser } from '../../identity/auth/use-user.ts';
import { useEstate } from '../estate/use-estate.ts';
import type { ClusterContextValue, ClusterDialog, Dragged } from './cluster-context.ts';
import { estateById, type Group, serverState } from './model.ts';
import { useClusterMutations } from './use-cluster-mutations.ts';

export function useClusterContextValue(
  groups: readonly Group[] | undefined,
  openDialog: (dialog: ClusterDialog) => void,
): ClusterContextValue {
  const me = useUser().data;
  const mayManage = mayManageConnections(me);
  const mayGiveAccess = mayUse(me, 'manage_permissions');
  const estate = useEstate().data?.servers;
  const mutations = useClusterMutations();
  const [dragged, drag] = useState<Dragged>();
  const known = useMemo(() => estateById(estate), [estate]);
  const stateOf: ClusterContextValue['stateOf'] = (server) => serverState(server, known);
  return { mayManage, mayGiveAccess, mutations, groups: groups ?? [], stateOf, openDialog, dragged, drag };
}
