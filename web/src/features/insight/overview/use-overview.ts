// The overview as it is streamed: one connection while the page is seen, opened again after it broke.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, isOutage, openStream } from '../../../api/client.ts';
import { readFrames } from '../../../api/frames.ts';
import type { OperationTypes } from '../../../api/operations.gen.ts';

export type Overview = OperationTypes['streamOverview']['result'];

export interface StreamedOverview {
  overview: Overview | undefined;
  /** Why nothing newer comes at the moment. */
  error: ApiError | undefined;
}

const AGAIN_MS = 10_000;

async function follow(signal: AbortSignal, show: (overview: Overview) => void): Promise<void> {
  for await (const { event, data } of readFrames(await openStream('streamOverview', { query: {} }, signal)))
    if (event === 'overview') show(JSON.parse(data));
}

/** Waits, or until the page is left. */
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

type Show = (next: (last: StreamedOverview) => StreamedOverview) => void;

async function keepFollowing(signal: AbortSignal, set: Show): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(signal, (overview) => set(() => ({ overview, error: undefined })));
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof ApiError ? cause : new ApiError('The stream ended.', { status: 0 });
      set((last) => ({ ...last, error }));
      if (!isOutage(error)) return;
    }
    await pause(signal);
  }
}

export function useOverview(): StreamedOverview {
  const client = useQueryClient();
  // What was read ahead of the page (app/first-reads.ts) stands with it, before anything is streamed.
  const [state, setState] = useState<StreamedOverview>(() => ({
    overview: client.getQueryData<Overview>(['getOverview', { query: {} }]),
    error: undefined,
  }));
  useEffect(() => {
    let stop = new AbortController();
    // Browsers open few connections to a server for all tabs together, so a hidden tab holds none.
    const turn = () => {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === 'visible') void keepFollowing(stop.signal, setState);
    };
    turn();
    document.addEventListener('visibilitychange', turn);
    return () => {
      document.removeEventListener('visibilitychange', turn);
      stop.abort();
    };
  }, []);
  return state;
}
