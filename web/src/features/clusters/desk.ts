// What the rows of the clusters page share: whether they may be changed, what is being asked, what is being dragged.
import { createContext, useContext } from 'react';
import type { Cluster, Group, Server, State } from './model.ts';
import type { Moves } from './use-moves.ts';

export type Ask =
  | { kind: 'move-server'; server: Server; cluster: Cluster }
  | { kind: 'move-cluster'; cluster: Cluster; group: Group }
  | { kind: 'describe-cluster'; cluster: Cluster }
  | { kind: 'describe-group'; group: Group }
  | { kind: 'delete-cluster'; cluster: Cluster }
  | { kind: 'delete-group'; group: Group }
  | { kind: 'new-cluster'; group: Group | undefined }
  | { kind: 'new-group' };

export type Dragged =
  | { kind: 'server'; server: Server; cluster: Cluster }
  | { kind: 'cluster'; cluster: Cluster; group: Group };

export interface Desk {
  mayManage: boolean;
  moves: Moves;
  groups: readonly Group[];
  /** By the number of the group. */
  descriptions: ReadonlyMap<number, string>;
  stateOf: (server: Server) => State;
  ask: (ask: Ask) => void;
  dragged: Dragged | undefined;
  drag: (dragged: Dragged | undefined) => void;
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('rows of clusters stand on the clusters page only');
  return desk;
}
