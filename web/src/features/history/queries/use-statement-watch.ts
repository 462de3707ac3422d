// Has the statements of a server read every ten seconds while a page shows them. Guards: nothing is asked for a page that is not seen,
// and what was refused is not asked again.
import { useEffect } from 'react';
import { ApiError, call, isOutage } from '../../../api/client.ts';

/** The server forgets after 45 s. */
const AGAIN_MS = 20_000;
/** How often the page shows what was read meanwhile. */
export const WATCHED_MS = 10_000;

const isRefused = (error: unknown) => error instanceof ApiError && !isOutage(error);

/** `isLive`: the window ends now, so that what is read next will be in it. */
export function useStatementWatch(id: number, isLive: boolean): void {
  useEffect(() => {
    if (!isLive) return undefined;
    let timer: ReturnType<typeof setInterval> | undefined;
    const ask = () => {
      if (document.hidden) return;
      call('watchConnectionStatements', { params: { id } }).catch((error: unknown) => {
        if (isRefused(error)) clearInterval(timer);
      });
    };
    timer = setInterval(ask, AGAIN_MS);
    ask();
    return () => clearInterval(timer);
  }, [id, isLive]);
}
