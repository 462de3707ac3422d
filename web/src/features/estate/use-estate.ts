// The estate as everybody reads it: one poll feeds the table, the navigation and the sign of life in the top bar. It
// is quicker while a server that was just added has no sample yet.
import type { Estate } from '../../api/types.ts';
import { LIVE_MS, useOperation, WAITING_MS } from '../../api/use-operation.ts';
import { stateKey } from './server-state.ts';

function interval(estate: Estate | undefined): number {
  return estate?.servers.some((server) => stateKey(server) === 'initialising') ? WAITING_MS : LIVE_MS;
}

export function useEstate() {
  return useOperation('getEstate', {}, { everyMs: interval });
}
