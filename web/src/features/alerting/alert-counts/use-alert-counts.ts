// How many alerts are active, as everybody reads it: one poll feeds the navigation, the title of the window and the table of
// servers. What has not changed is answered with its ETag alone.
import { useOperation } from '../../../api/use-operation.ts';

/** On every page: with what else a page reads it has to fit 30 kB in 30 s. */
const EVERY_MS = 15_000;

export function useAlertCounts() {
  return useOperation('countAlerts', {}, { everyMs: EVERY_MS });
}

/** 0 also while nothing was read yet. */
export const useAlertTotal = (): number => useAlertCounts().data?.total ?? 0;

/** Of each server that has any. */
export type CountsByServer = Readonly<Record<string, number>>;
