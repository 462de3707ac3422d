// What the rows of the clusters page share: whether they may be changed, which dialog is open, what is being dragged.
import { createContext, useContext } from 'react';
import type { AccessScope } from '../../identity/rbac/scope-access.tsx';
import type { Cluster, Group, Server, State } from './model.ts';
import type { ClusterMutations } from './use-cluster-mutations.ts';

export type ClusterDialog =
  | { kind: 'move-server'; server: Server; cluster: Cluster }
  | { kind: 'move-cluster'; cluster: Cluster; group: Group }
  | { kind: 'describe-cluster'; cluster: Cluster }
  | { kind: 'describe-group'; group: Group }
  | { kind: 'delete-cluster'; cluster: Cluster }
  | { kind: 'delete-group'; group: Group }
  | { kind: 'new-cluster'; group: Group | undefined }
  | { kind: 'access'; about: AccessScope }
  | { kind: 'new-group' };

export type Dragged =
  | { kind: 'server'; server: Server; cluster: Cluster }
  | { kind: 'cluster'; cluster: Cluster; group: Group };

export interface ClusterContextValue {
  mayManage: boolean;
  mayGiveAccess: boolean;
  mutations: ClusterMutations;
  groups: readonly Group[];
  stateOf: (server: Server) => State;
  openDialog: (dialog: ClusterDialog) => void;
  dragged: Dragged | undefined;
  drag: (dragged: Dragged | undefined) => void;
}

export const ClusterContext = createContext<ClusterContextValue | undefined>(undefined);

export function useClusterContext(): ClusterContextValue {
  const context = useContext(ClusterContext);
  if (!context) throw new Error('rows of clusters stand on the clusters page only');
  return context;
}
