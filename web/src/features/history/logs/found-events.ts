// A page of the events that were searched for. Guards: a search that found nothing goes on by itself, further back each time, until it finds something,
// has searched all, or has asked as often as it may; how far it came is known at each moment.
import { useEffect, useState } from 'react';
import type { Input } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';

type EventLists = 'listConnectionLogEvents' | 'listEstateLogEvents';

/** Each takes the server a fraction of a second. */
const MOST_LOOKS = 20;

interface Onward {
  /** The page that was asked for. */
  of: string | undefined;
  cursor: string;
  looks: number;
  reached: string | null;
}

export interface Searched {
  isGoing: boolean;
  /** What is before it was not searched; null: all was. */
  reached: string | null;
  /** Goes on where it stopped. */
  onFurther: (() => void) | undefined;
}

interface PageRead<K extends EventLists> {
  inputOf: (cursor: string | undefined) => Input<K>;
  /** How often the first page is read again. */
  everyMs: number | undefined;
  /** Whether the log is followed, and whether what comes is heard. */
  isFollowed: boolean;
  isOpen: boolean;
}

export function useFoundEvents<K extends EventLists>(id: K, of: PageRead<K>) {
  const { inputOf, everyMs, isFollowed, isOpen } = of;
  // Of the pages before, the last one being shown.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = useOperation(id, inputOf(cursor), {
    keepPrevious: true,
    ...(everyMs === undefined || cursor !== undefined ? {} : { everyMs }),
  });
  const { refetch } = query;
  // What came between the page and the stream.
  useEffect(() => {
    if (isOpen) void refetch();
  }, [isOpen, refetch]);
  // New events are before the first page.
  useEffect(() => {
    if (isFollowed) setCursors([]);
  }, [isFollowed]);
  const [kept, setOnward] = useState<Onward>();
  const onward = kept?.of === cursor ? kept : undefined;
  const further = useOperation(id, inputOf(onward?.cursor), { enabled: onward !== undefined });
  const first = query.isPlaceholderData ? undefined : query.data;
  const last = onward === undefined ? first : further.data;
  const isNothing = query.data?.events.length === 0 && last?.events.length === 0;
  const next = isNothing ? last.next_cursor : null;
  const reached = last ? last.searched_back_to : (onward?.reached ?? null);
  const looks = onward?.looks ?? 0;
  useEffect(() => {
    if (next !== null && looks < MOST_LOOKS)
      setOnward({ of: cursor, cursor: next, looks: looks + 1, reached });
  }, [next, looks, cursor, reached]);
  const again = () => {
    if (next === null) void further.refetch();
    else setOnward({ of: cursor, cursor: next, looks: 1, reached });
  };
  const isStopped = further.error !== null || (next !== null && looks >= MOST_LOOKS);
  const searched: Searched = {
    isGoing: onward !== undefined && further.isFetching,
    reached,
    onFurther: isStopped ? again : undefined,
  };
  // What came since on the first page goes before what is further back.
  const page = query.data?.events.length === 0 ? (further.data ?? query.data) : query.data;
  return { query, page, searched, cursors, setCursors };
}
