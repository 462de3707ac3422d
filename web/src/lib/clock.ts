// The server's time as seen from here. A laptop's clock may be minutes off; "4 s ago" is said by the server's clock,
// whose offset is learnt from the Date header of its replies.
let offsetMs = 0;

/** Takes a Date header. It has whole seconds only, so small differences are left alone. */
export function noteServerTime(header: string | null): void {
  const told = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(told)) return;
  const difference = told + 500 - Date.now();
  offsetMs = Math.abs(difference) > 2000 ? difference : 0;
}

/** Milliseconds since 1970 by the server's clock. */
function serverNow(): number {
  return Date.now() + offsetMs;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let second = Math.floor(serverNow() / 1000);

/** One timer for all that count seconds; stops when nobody does. For useSyncExternalStore. */
export function subscribeToSeconds(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // Nobody counted for a while: the second of then would stand on the page until the next one.
    second = Math.floor(serverNow() / 1000);
    timer = setInterval(() => {
      second = Math.floor(serverNow() / 1000);
      for (const one of listeners) one();
    }, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

export function currentSecond(): number {
  return timer === undefined ? Math.floor(serverNow() / 1000) : second;
}
