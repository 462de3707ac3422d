// Sign-ins that a server has taken and not finished. A lock on the catalogs of a database holds each of them in the server, also once
// the socket is closed: nothing there looks at it before the lock is gone. Guards: one sign-in waits for each database and role, for
// a limited time, and neither keeps this process alive nor the password longer than it.
import type { Socket } from 'node:net';
import type { TargetSettings } from './settings.ts';
import { TargetError } from './target-error.ts';

/** Longer than the statements that lock catalogs mostly take; then a new attempt finds out whether another server answers by now. */
const MOST_MS = 130_000;
/** By then a server that took over the address has refused what it does not know. */
const ALIVE_MS = 10_000;

export interface HalfOpen {
  socket: Socket;
  /** Settles when the server has finished with it, either way. */
  connecting: Promise<unknown>;
  end(): void;
}

const waiting = new Map<string, HalfOpen>();

const keyOf = ({ host, port, database, username }: TargetSettings) =>
  JSON.stringify([host, port, database, username]);

/** Leaves it to the server until that has finished with it; a second one is ended. */
export function keepHalfOpen(settings: TargetSettings, kept: HalfOpen): void {
  const key = keyOf(settings);
  if (waiting.has(key)) return kept.end();
  waiting.set(key, kept);
  kept.socket.setKeepAlive(true, ALIVE_MS).unref();
  const finish = () => {
    clearTimeout(timer);
    waiting.delete(key);
    kept.end();
  };
  const timer = setTimeout(finish, MOST_MS).unref();
  kept.connecting.then(finish, finish);
}

export const lockWords = ({ database }: Pick<TargetSettings, 'database'>) =>
  `A lock on the catalogs of ${database} does that, such as by vacuum full of pg_class, and so does a frozen server.`;

/** Refuses a further sign-in while an earlier one waits in the server. */
export function demandNoneWaiting(settings: TargetSettings): void {
  if (!waiting.has(keyOf(settings))) return;
  const message = `${settings.host} has not finished an earlier sign-in yet, and no further one is sent meanwhile. ${lockWords(settings)}`;
  throw new TargetError({ step: 'timeout', message, code: 'sign_in_timeout' });
}
