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
import { type ApiError, call, type Input, isOutage, type OperationId, type Result } from './client.ts';
import { touches } from './touches.ts';

/** How often the pages that show live facts read again. */
export const LIVE_MS = 4000;
/** How often while the first facts are awaited. */
export const WAITING_MS = 1000;

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 2000,
        retry: false,
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

/** Reads an operation and keeps the answer. */
export function useOperation<K extends OperationId>(
  id: K,
  input: Input<K>,
  options: ReadOptions<Result<K>> = {},
): UseQueryResult<Result<K>, ApiError> {
  const { everyMs } = options;
  return useQuery<Result<K>, ApiError>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, signal),
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: ({ state }) =>
            isHopeless(state.error) ? false : typeof everyMs === 'number' ? everyMs : everyMs(state.data),
        }),
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(options.staleMs === undefined ? {} : { staleTime: options.staleMs }),
  });
}

/** Missing rights do not mend themselves: reading again would only fill the server's log. */
function isHopeless(error: ApiError | null): boolean {
  return error !== null && !isOutage(error);
}

/** Changes something; afterwards whatever shows it is read again. */
export function useOperationMutation<K extends OperationId>(
  id: K,
): UseMutationResult<Result<K>, ApiError, Input<K>> {
  const client = useQueryClient();
  return useMutation<Result<K>, ApiError, Input<K>>({
    mutationFn: (input) => call(id, input),
    onSuccess: async () => {
      await client.invalidateQueries({ predicate: ({ queryKey }) => touches(id, String(queryKey[0])) });
    },
  });
}
