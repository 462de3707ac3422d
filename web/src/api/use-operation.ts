// The one hook file: reading and changing by operation name. Polling stops in hidden tabs; what was read stays on
// screen while it is read again, so nothing flickers, and an outage leaves the last known facts in place.
import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { ApiError, call, type Input, isOutage, type OperationId, type Result } from './client.ts';
import { touches } from './touches.ts';

/** How often what is watched second by second is read again. */
export const LIVE_MS = 5000;
/** How often what probes read every ten seconds to an hour is; all of a page together fits 30 kB in 30 s. */
export const STEADY_MS = 10_000;
/** How often while the first facts are awaited. */
export const WAITING_MS = 1000;
/** For so long after a change what shows it is watched like live facts: some changes take effect in a while. */
const AFTER_CHANGE_MS = 30_000;

const AWAY_MS = 5000;
const FAILED_MS = 30_000;
/** What was refused is not asked again for so long when another page comes to show it. */
const REFUSED_MS = 15_000;

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 2000,
        retry: false,
        // Such as what was read ahead of the page.
        retryOnMount: ({ state }) =>
          !isHopeless(state.error) || Date.now() - state.errorUpdatedAt >= REFUSED_MS,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

export interface ReadOptions<R> {
  /** Read again every so many milliseconds while the tab is visible; may depend on what was read last. */
  everyMs?: number | ((last: R | undefined) => number);
  enabled?: boolean;
  staleMs?: number;
  /** Shows what was read for the input before, until the new answer is there. */
  keepPrevious?: boolean;
}

/** When each operation has changed something, by whose answers it is kept with. */
const changes = new WeakMap<QueryClient, Map<OperationId, number>>();

function noteChange(client: QueryClient, changed: OperationId): void {
  changes.set(client, new Map(changes.get(client)).set(changed, Date.now()));
}

/** Whether somebody has just changed here what that operation shows. */
function isChanging(client: QueryClient, read: OperationId): boolean {
  const since = Date.now() - AFTER_CHANGE_MS;
  return [...(changes.get(client) ?? [])].some(([changed, at]) => at > since && touches(changed, read));
}

/** What is read, under which name it is kept, and how. */
interface Read<T> {
  id: OperationId;
  key: readonly unknown[];
  read: (signal: AbortSignal) => Promise<T>;
}

function useRead<T>({ id, key, read }: Read<T>, options: ReadOptions<T>): UseQueryResult<T, ApiError> {
  const { everyMs } = options;
  const client = useQueryClient();
  return useQuery<T, ApiError>({
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    refetchInterval: ({ state }) => {
      if (isHopeless(state.error)) return false;
      const again = state.error ? againMs(state.error) : Number.POSITIVE_INFINITY;
      if (everyMs === undefined) return Number.isFinite(again) && again;
      const usual = Math.min(typeof everyMs === 'number' ? everyMs : everyMs(state.data), again);
      return isChanging(client, id) ? Math.min(usual, LIVE_MS) : usual;
    },
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(options.staleMs === undefined ? {} : { staleTime: options.staleMs }),
  });
}

/** Reads an operation and keeps the answer. */
export function useOperation<K extends OperationId>(
  id: K,
  input: Input<K>,
  options: ReadOptions<Result<K>> = {},
): UseQueryResult<Result<K>, ApiError> {
  return useRead({ id, key: [id, input], read: (signal) => call(id, input, signal) }, options);
}

/** Reads it before anything shows it, for whoever shows it next. A failure is left to them. */
export const readAhead = <K extends OperationId>(
  client: QueryClient,
  id: K,
  input: Input<K>,
): Promise<void> =>
  client.prefetchQuery({ queryKey: [id, input], queryFn: ({ signal }) => call(id, input, signal) });

/** When what failed is tried again, also where it is read once only: soon where Matriarch itself was away. */
function againMs({ status, retryAfterSeconds = 0 }: ApiError): number {
  return Math.max(status === 0 ? AWAY_MS : FAILED_MS, 1000 * retryAfterSeconds);
}

/** Missing rights do not mend themselves: reading again would only fill the server's log. */
export function isHopeless(error: Error | null): boolean {
  return error instanceof ApiError && !isOutage(error);
}

/** Changes something; afterwards whatever shows it is read again, also where nobody knows whether it was changed. */
export function useOperationMutation<K extends OperationId>(
  id: K,
): UseMutationResult<Result<K>, ApiError, Input<K>> {
  const client = useQueryClient();
  const readAgain = async () => {
    noteChange(client, id);
    await client.invalidateQueries({ predicate: ({ queryKey }) => touches(id, String(queryKey[0])) });
  };
  return useMutation<Result<K>, ApiError, Input<K>>({
    mutationFn: (input) => call(id, input),
    onSuccess: readAgain,
    onError: (error) => {
      if (isOutage(error)) void readAgain();
    },
  });
}

/**
 * Changes several, one after the other, and reads anew once. Of several, one that has changed in between (409) is skipped; any other
 * refusal ends it.
 */
export function useOperationMutations<K extends OperationId>(
  id: K,
): UseMutationResult<void, ApiError, readonly Input<K>[]> {
  const client = useQueryClient();
  return useMutation<void, ApiError, readonly Input<K>[]>({
    mutationFn: async (inputs) => {
      for (const input of inputs)
        await call(id, input).catch((error: unknown) => {
          const isDone = error instanceof ApiError && error.status === 409 && inputs.length > 1;
          if (!isDone) throw error;
        });
    },
    onSettled: async () => {
      noteChange(client, id);
      await client.invalidateQueries({ predicate: ({ queryKey }) => touches(id, String(queryKey[0])) });
    },
  });
}
