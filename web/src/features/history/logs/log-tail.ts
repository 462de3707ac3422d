// The log as it is read: a stream of new events while one follows it. Guards: a stream that broke goes on where it was, so that nothing
// is missed; an event is kept once; only the newest are kept.
import { useEffect, useState } from 'react';
import { ApiError, isOutage, openStream } from '../../../api/client.ts';
import { readFrames } from '../../../api/frames.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { LogEvent } from './logs-words.ts';

type OfOne = OperationTypes['tailConnectionLogEvents']['result'];
type OfAll = OperationTypes['tailEstateLogEvents']['result'];
type Server = Omit<OfAll['events'][number], 'event'>;
/** Whose it is, where all servers are followed. */
export type TailEvent = LogEvent & { server?: Server };
type Query = NonNullable<OperationTypes['tailConnectionLogEvents']['query']>;

export interface LogTail {
  /** Newest first. */
  events: readonly TailEvent[];
  /** How many came since it was begun, as far as they were counted. */
  came: number;
  /** Of those, how many were not sent; null: not all of them were counted. */
  leftOut: number | null;
  /** Of one server. */
  reading: OfOne['reading'] | undefined;
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

interface Frame extends Pick<LogTail, 'events' | 'leftOut' | 'reading'> {}

function frameOf(data: OfOne | OfAll): Frame {
  if ('reading' in data) return { ...data, leftOut: data.left_out };
  const events = data.events.map(({ event, ...server }) => ({ ...event, server }));
  return { events, leftOut: data.left_out, reading: undefined };
}

/** With what a frame brought. */
function withFrame(last: LogTail, { events, leftOut, reading }: Frame): LogTail {
  const known = new Set(last.events.map(({ id }) => id));
  const fresh = events.filter(({ id }) => !known.has(id)).toReversed();
  return {
    events: [...fresh, ...last.events].slice(0, MOST_KEPT),
    came: last.came + fresh.length + (leftOut ?? 0),
    leftOut: sumOf(last.leftOut, leftOut),
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
  /** Undefined: all servers. */
  id: number | undefined;
  query: Query;
  signal: AbortSignal;
  /** Of the last frame. */
  place: { after?: string };
}

type Show = (next: (last: LogTail) => LogTail) => void;

async function follow({ id, query, signal, place }: Following, show: Show): Promise<void> {
  const asked = { ...query, ...place };
  const body = await (id === undefined
    ? openStream('tailEstateLogEvents', { query: asked }, signal)
    : openStream('tailConnectionLogEvents', { params: { id }, query: asked }, signal));
  for await (const frame of readFrames(body)) {
    if (frame.event !== 'log') throw new ApiError('The stream ended.', { status: 0 });
    place.after = frame.id;
    const data: OfOne | OfAll = JSON.parse(frame.data);
    show((last) => withFrame(last, frameOf(data)));
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

/** What came goes when it is followed anew. Without `id` all servers are. */
export function useLogTail(id: number | undefined, query: Query, isOn: boolean): LogTail {
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
