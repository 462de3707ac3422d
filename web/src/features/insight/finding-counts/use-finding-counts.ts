// How many findings are open and how grave they are, as everybody reads it: one poll feeds the navigation, the table of
// servers and the strip of a server. What has not changed is answered with its ETag alone.
import { useEffect } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';

export type FindingCounts = OperationTypes['countFindings']['result'];
/** Of each server of which there is anything to say. */
export type FindingsByServer = FindingCounts['by_server'];
export type ServerFindingCounts = FindingsByServer[string];

type Graves = Pick<ServerFindingCounts, 'critical' | 'warning' | 'info'>;

/** On every page: with what else a page reads it has to fit 30 kB in 30 s. */
const EVERY_MS = 45_000;

export function useFindingCounts() {
  return useOperation('countFindings', {}, { everyMs: EVERY_MS });
}

const NONE: Graves = { critical: 0, warning: 0, info: 0 };

interface Listed {
  dataUpdatedAt: number;
  data: { counts: Graves } | undefined;
}

/** A list that says something else than the counts has them read again; `ids`: the servers that it is of, absent: all. */
export function useCountsAsListed({ dataUpdatedAt, data }: Listed, ids?: readonly number[]): void {
  const { data: counted, refetch } = useFindingCounts();
  const own = ids ? ids.map((id) => counted?.by_server[id] ?? NONE) : [counted ?? NONE];
  const isOther = (['critical', 'warning', 'info'] as const).some(
    (of) => own.reduce((sum, one) => sum + one[of], 0) !== data?.counts[of],
  );
  const isStale = counted !== undefined && data !== undefined && isOther;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each reading of the list
  useEffect(() => {
    if (isStale) void refetch();
  }, [dataUpdatedAt, isStale, refetch]);
}

/** What asks for attention. */
export const graveOf = ({ critical, warning }: Graves): number => critical + warning;

export const allOf = (counts: Graves): number => graveOf(counts) + counts.info;

/** "1 critical, 2 warnings, 3 info"; none of a kind is left out. */
export function countWords({ critical, warning, info }: Graves): string {
  const words = [
    critical > 0 ? [`${critical} critical`] : [],
    warning > 0 ? [`${warning} ${warning === 1 ? 'warning' : 'warnings'}`] : [],
    info > 0 ? [`${info} info`] : [],
  ].flat();
  return words.length === 0 ? 'none open' : words.join(', ');
}

export const findingsPath = (connectionId: number): string => `/servers/${connectionId}?tab=findings`;
