// When to stop: SIGINT, SIGTERM, SIGHUP of a terminal, or the death of the process that started us (npm start keeps an IPC channel
// open to us; it closes even when that process is killed with -9). Guards: stop() runs once, however many of these
// arrive; Ctrl-C reaches us from the terminal and again from npm, so only a later signal counts as impatience.
import { type Clock, systemClock } from './clock.ts';

export type StopReason = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'starter gone';

export interface StopHandlers {
  /** The first reason to stop. */
  stop(reason: StopReason): void;
  /** The same person asks again after a while: stop waiting. */
  force(reason: StopReason): void;
  /** What SIGHUP asks for instead of the end: a service has no terminal that could hang up. */
  reread?: () => void;
  clock?: Clock;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ECHO_MS = 1500;

/** Decides what a signal means; separate from the process so that it can be tested. */
export function stopPolicy({ stop, force, clock = systemClock }: StopHandlers): (reason: StopReason) => void {
  let first: number | undefined;
  return (reason) => {
    if (first === undefined) {
      first = clock.monotonic();
      stop(reason);
    } else if (reason !== 'starter gone' && clock.monotonic() - first >= ECHO_MS) {
      force(reason);
    }
  };
}

/** Listens until the returned function is called; call it at the end of stopping, so that the process can end. */
export function onStop(handlers: StopHandlers): () => void {
  const heard = stopPolicy(handlers);
  const { reread } = handlers;
  const listeners = SIGNALS.map((signal) => ({
    signal,
    listener: signal === 'SIGHUP' && reread ? reread : () => heard(signal),
  }));
  const orphaned = () => heard('starter gone');
  for (const { signal, listener } of listeners) process.on(signal, listener);
  if (process.channel) {
    process.on('disconnect', orphaned);
    process.channel.unref();
  }
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
    process.off('disconnect', orphaned);
  };
}
