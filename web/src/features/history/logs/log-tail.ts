// The log as it is read: a stream of new events while one follows it. Guards: a stream that broke goes on where it was, so that nothing
// is missed; an event is kept once; only the newest are kept.
import { useEffect, useState } from 'react';
import { ApiError, isOutage, openStream } from '../../../api/client.ts';
import { readFrames } from '../../../api/frames.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { LogEvent } from './logs-words.ts';

type Frame = OperationTypes['tailConnectionLogEvents']['result'];
type Query = NonNullable<OperationTypes['tailConnectionLogEvents']['query']>;

export interface LogTail {
  /** Newest first. */
  events: readonly LogEvent[];
  /** How many came since it was begun, as far as they were counted. */
  came: number;
  /** Of those, how many were not sent; null: not all of them were counted. */
  leftOut: number | null;
  reading: Frame['reading'] | undefined;
  isOpen: boolean;
  /** Why it is not connected. */
  error: ApiError | undefined;
}

const AGAIN_MS = 3000;
const MOST_KEPT = 500;
const NOTHING: LogTail = {
  ...{ events: [], came: 0, leftOut: 0, reading: undefined, isOpen: false, error: undefined },
};

const sumOf = (one: number | null, other: number | null) =>
  one === null || other === null ? null : one + other;

/** With what a frame brought. */
function withFrame(last: LogTail, { events, left_out, reading }: Frame): LogTail {
  const known = new Set(last.events.map(({ id }) => id));
  const fresh = events.filter(({ id }) => !known.has(id)).toReversed();
  return {
    events: [...fresh, ...last.events].slice(0, MOST_KEPT),
    came: last.came + fresh.length + (left_out ?? 0),
    leftOut: sumOf(last.leftOut, left_out),
    reading,
    isOpen: true,
    error: undefined,
  };
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

interface Following {
  id: number;
  query: Query;
  signal: AbortSignal;
  /** Of the last frame. */
  place: { after?: string };
}

type Show = (next: (last: LogTail) => LogTail) => void;

async function follow({ id, query, signal, place }: Following, show: Show): Promise<void> {
  const body = await openStream(
    'tailConnectionLogEvents',
    { params: { id }, query: { ...query, ...place } },
    signal,
  );
  for await (const frame of readFrames(body)) {
    if (frame.event !== 'log') throw new ApiError('The stream ended.', { status: 0 });
    place.after = frame.id;
    const data: Frame = JSON.parse(frame.data);
    show((last) => withFrame(last, data));
  }
  throw new ApiError('The stream ended.', { status: 0 });
}

async function keepFollowing(following: Following, show: Show): Promise<void> {
  const { signal } = following;
  while (!signal.aborted) {
    try {
      await follow(following, show);
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof ApiError ? cause : new ApiError('The stream broke.', { status: 0 });
      show((last) => ({ ...last, isOpen: false, error }));
      if (!isOutage(error) && error.status !== 429) return;
    }
    await pause(signal);
  }
}

/** What came goes when it is followed anew. */
export function useLogTail(id: number, query: Query, isOn: boolean): LogTail {
  const key = JSON.stringify(query);
  const [state, setState] = useState<LogTail>(NOTHING);
  useEffect(() => {
    // What came stays shown when it is followed no longer.
    if (!isOn) return undefined;
    setState(NOTHING);
    const place: Following['place'] = {};
    let stop = new AbortController();
    // Browsers open few connections to a server for all tabs together, so a hidden tab holds none.
    const turn = () => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible')
        void keepFollowing({ id, query: JSON.parse(key), signal: stop.signal, place }, setState);
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      stop.abort();
    };
  }, [id, key, isOn]);
  return state;
}
