// The estate as everybody reads it: one poll feeds the table, the navigation and the sign of life in the top bar. It
// is quicker while a server that was just added has no sample yet, and on the page whose subject it is.
import type { Estate } from '../../../api/types.ts';
import { STEADY_MS, useOperation, WAITING_MS } from '../../../api/use-operation.ts';
import { stateKey } from './server-state.ts';

/** On pages about something else, which need it for the marks in the navigation. */
const BESIDE_MS = STEADY_MS;

export function useEstate(usualMs = BESIDE_MS) {
  const everyMs = (estate: Estate | undefined) =>
    estate?.servers.some((server) => stateKey(server) === 'initialising') ? WAITING_MS : usualMs;
  return useOperation('getEstate', {}, { everyMs });
}
