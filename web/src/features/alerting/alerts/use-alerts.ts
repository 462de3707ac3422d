// What the page of alerts reads: open ones as they are now, or those of a window that have cleared, narrowed by what its
// address says. Guards: anything else in the address counts as no filter.
import type { Input } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { coarseWindow } from '../../../lib/time-window.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import type { PageTime } from '../../../lib/use-time-window.ts';
import { type Alert, SEVERITIES, type STATUS_WORDS, type TYPE_WORDS } from './alert-words.ts';

const OPEN_MS = 15_000;
const CLEARED_MS = 60_000;
/** As many as the operation answers at once. */
const MOST = 1000;
const MOST_INCIDENTS = 200;
const MAX_ID = 2_147_483_647;

const FILTERS = ['status', 'severity', 'type', 'server'] as const;
type Filter = (typeof FILTERS)[number];

export interface AlertFilters {
  /** Undefined: all that are open. */
  status: Alert['status'] | undefined;
  severity: Alert['severity'] | undefined;
  type: Alert['alert_type'] | undefined;
  server: number | undefined;
}

const oneOf = <T extends string>(choices: readonly T[], text: string): T | undefined =>
  choices.find((choice) => choice === text);
const STATUSES = [
  'active',
  'acknowledged',
  'cleared',
] as const satisfies readonly (keyof typeof STATUS_WORDS)[];
const TYPES = ['threshold', 'anomaly', 'connection'] as const satisfies readonly (keyof typeof TYPE_WORDS)[];

export function useAlertFilters(): [AlertFilters, (next: Partial<Record<Filter, string>>) => void] {
  const [text, set] = useUrlTexts(FILTERS);
  const server = /^[1-9]\d{0,9}$/.test(text('server')) ? Number(text('server')) : undefined;
  const filters = {
    status: oneOf(STATUSES, text('status')),
    severity: oneOf(SEVERITIES, text('severity')),
    type: oneOf(TYPES, text('type')),
    server: server !== undefined && server <= MAX_ID ? server : undefined,
  };
  return [filters, set];
}

const narrowed = ({ severity, type, server }: AlertFilters) => ({
  ...(severity && { severity }),
  ...(type && { alert_type: type }),
  ...(server !== undefined && { connection_id: server }),
});

function askedFor(filters: AlertFilters): Input<'listAlerts'>['query'] {
  const { status } = filters;
  return {
    ...(status === undefined ? { exclude_cleared: true } : { status }),
    ...narrowed(filters),
    limit: MOST,
  };
}

/** Open alerts as incidents, put together by the server. */
export function useIncidents(filters: AlertFilters, enabled: boolean) {
  const { status } = filters;
  const query = {
    ...(status === undefined || status === 'cleared' ? {} : { status }),
    ...narrowed(filters),
    limit: MOST_INCIDENTS,
  };
  return useOperation('listAlertIncidents', { query }, { everyMs: OPEN_MS, enabled });
}

/** The window holds for those that have cleared; what is open stands there however old it is. */
export function useAlerts(filters: AlertFilters, time: PageTime, enabled: boolean) {
  const isCleared = filters.status === 'cleared';
  const { from, to } = coarseWindow(time.window, time.isLive);
  const between = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
  return useOperation(
    'listAlerts',
    { query: { ...askedFor(filters), ...(isCleared ? between : {}) } },
    { everyMs: isCleared ? CLEARED_MS : OPEN_MS, keepPrevious: isCleared, enabled },
  );
}
