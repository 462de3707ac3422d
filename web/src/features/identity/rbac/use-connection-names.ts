// What connections are called, as far as the reader may know.
import { useOperation } from '../../../api/use-operation.ts';
import { EVERY_CONNECTION } from '../auth/rights.ts';
import type { ConnectionItem } from './types.ts';

export const EVERY_NAME = 'Every server';

export interface ConnectionNames {
  connections: readonly ConnectionItem[];
  nameOf: (id: number) => string;
}

export function useConnectionNames(): ConnectionNames {
  const connections = useOperation('listConnections', {}).data ?? [];
  const names = new Map(connections.map(({ id, name }) => [id, name]));
  return {
    connections,
    nameOf: (id) => (id === EVERY_CONNECTION ? EVERY_NAME : (names.get(id) ?? `Server ${id}`)),
  };
}
