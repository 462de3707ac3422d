// A long list in a component: its parts are fetched as they come near the window.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ApiError } from './client.ts';
import { Parts, type PartsOptions, type ReadPart } from './parts.ts';

export interface LongList<Row> {
  /** Undefined until the first part is there. */
  list:
    | {
        count: number;
        at: (index: number) => Row | undefined;
        near: (first: number, last: number) => void;
      }
    | undefined;
  error: ApiError | null;
  /** What is shown was asked for before. */
  isOld: boolean;
  retry: () => void;
}

/** Another `read` is another list. */
export function useParts<Row>(read: ReadPart<Row>, options: PartsOptions): LongList<Row> {
  const [parts] = useState(() => new Parts<Row>(options));
  useEffect(() => {
    parts.ask(read);
    return () => parts.stop();
  }, [parts, read]);
  const { list, error, isOld } = useSyncExternalStore(parts.subscribe, parts.state);
  const whole = useMemo(() => list && { ...list, near: parts.near }, [list, parts]);
  return { list: whole, error, isOld, retry: parts.retry };
}
