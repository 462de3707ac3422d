// What a list of findings reads: those that its address asks for, of a server, a cluster or the estate. Guards: anything
// else in the address counts as no filter.
import { useOperation } from '../../../api/use-operation.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import {
  CATEGORY_WORDS,
  type Category,
  SEVERITIES,
  type Severity,
  STATES,
  type State,
} from './finding-words.ts';

/** ListedFinding every ten minutes, a new server more often. */
const EVERY_MS = 60_000;
/** Until the first judgement is there. */
const AWAITED_MS = 10_000;
/** As many as the operation answers at once. */
const MOST = 1000;
const MAX_ID = 2_147_483_647;

const NAMES = ['state', 'severity', 'category', 'check', 'server'] as const;
type Name = (typeof NAMES)[number];

export interface FindingFilters {
  state: State;
  severity: Severity | undefined;
  category: Category | undefined;
  check: string | undefined;
  server: number | undefined;
}

const isCategory = (text: string): text is Category => Object.hasOwn(CATEGORY_WORDS, text);

export function useFindingFilters(): [FindingFilters, (next: Partial<Record<Name, string>>) => void] {
  const [text, set] = useUrlTexts(NAMES);
  const category = text('category');
  const server = /^[1-9]\d{0,9}$/.test(text('server')) ? Number(text('server')) : undefined;
  const filters = {
    state: STATES.find((one) => one === text('state')) ?? 'open',
    severity: SEVERITIES.find((one) => one === text('severity')),
    category: isCategory(category) ? category : undefined,
    check: /^[a-z0-9_]{1,100}$/.test(text('check')) ? text('check') : undefined,
    server: server !== undefined && server <= MAX_ID ? server : undefined,
  };
  return [filters, set];
}

const askedFor = ({ state, severity, category, check }: FindingFilters) => ({
  state,
  ...(severity && { severity }),
  ...(category && { category }),
  ...(check && { check }),
  limit: MOST,
});

/** Whether anything is left out by choice. */
export const isNarrowed = ({ state, severity, category, check, server }: FindingFilters): boolean =>
  state !== 'open' || [severity, category, check, server].some((one) => one !== undefined);

export const NO_FILTERS = { state: '', severity: '', category: '', check: '', server: '' } as const;

/** Of a server, with what could not be judged there. */
export const useServerFindings = (id: number, filters: FindingFilters) =>
  useOperation(
    'listConnectionFindings',
    { params: { id }, query: askedFor(filters) },
    { everyMs: (last) => (last?.evaluated_at == null ? AWAITED_MS : EVERY_MS), keepPrevious: true },
  );

const isAwaited = (servers: { judged: number; waiting: number } | undefined): boolean =>
  servers !== undefined && servers.judged === 0 && servers.waiting > 0;

/** Of some servers, or of all. */
export const useFindings = (filters: FindingFilters, connectionIds?: readonly number[]) => {
  const named = connectionIds ?? (filters.server === undefined ? undefined : [filters.server]);
  const scope = named === undefined ? {} : { connection_ids: named.join(',') };
  return useOperation(
    'listFindings',
    { query: { ...askedFor(filters), ...scope } },
    { everyMs: (last) => (isAwaited(last?.servers) ? AWAITED_MS : EVERY_MS), keepPrevious: true },
  );
};

export const useChecks = () => useOperation('listChecks', {}, { staleMs: 60_000 });
