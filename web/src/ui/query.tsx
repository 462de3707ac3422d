// What every panel that reads an operation shows while it waits, when it failed and when the reader may not see it. What
// was read before stays while it is read again, or while the server is away.
import type { ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import classes from './states.module.css';
import { ErrorState, Loading } from './states.tsx';

export interface QueryProps<T> {
  /** As useOperation answers it. */
  query: { data: T | undefined; error: ApiError | null; refetch: () => unknown };
  /** What is read, as it stands in "Loading …" and "Could not load …". */
  what: string;
  /** How many grey bars stand for it meanwhile. */
  lines?: number;
  /** Where the surface has no padding of its own. */
  padded?: boolean;
  /** Nothing where what was read is shown elsewhere. */
  children?: (data: T) => ReactNode;
}

export function Query<T>({ query, what, lines = 4, padded = false, children }: QueryProps<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children?.(data) ?? null;
  if (error) return <ErrorState error={error} what={what} onRetry={() => void refetch()} />;
  const loading = <Loading what={what} lines={lines} />;
  return padded ? <div className={classes.padded}>{loading}</div> : loading;
}
