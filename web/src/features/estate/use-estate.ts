// The estate as everybody reads it: one poll feeds the table, the navigation and the sign of life in the top bar.
import { LIVE_MS, useOperation } from '../../api/use-operation.ts';

export function useEstate() {
  return useOperation('getEstate', {}, { everyMs: LIVE_MS });
}
