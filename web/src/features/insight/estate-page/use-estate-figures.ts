// What the rows of the estate show beside the state of the servers: one request of each kind for all servers, none for a row.
import { useMemo } from 'react';
import type { EstateServer } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { useAlertCounts } from '../../alerting/alert-counts/use-alert-counts.ts';
import { useFindingCounts } from '../finding-counts/use-finding-counts.ts';
import { useDayChanges } from '../timeline/use-day-changes.ts';
import { type EstateRow, rowsOf } from './estate-row.ts';

/** The server reads it anew every ten seconds; a page that is watched has to fit 30 kB in 30 s. */
const EVERY_MS = 60_000;
/** Dates move by the hour. */
const RUNWAY_MS = 600_000;
/** As many as the operation answers at once. */
const MOST = 1000;

export function useEstateRows(servers: readonly EstateServer[]): EstateRow[] {
  const { data: history, error } = useOperation('getEstateHistory', {}, { everyMs: () => EVERY_MS });
  const query = { kind: 'disk' as const, state: 'runs_out' as const, limit: MOST };
  const runway = useOperation('listRunway', { query }, { staleMs: RUNWAY_MS }).data?.items;
  const alerts = useAlertCounts().data?.by_server;
  const findings = useFindingCounts().data;
  const changes = useDayChanges().data?.last_changes;
  const because = error?.message;
  return useMemo(
    () => rowsOf(servers, { history, because, alerts, findings, runway, changes }),
    [servers, history, because, alerts, findings, runway, changes],
  );
}
