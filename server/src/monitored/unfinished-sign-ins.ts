// Sign-ins that a server has begun and not finished, as while a session holds a lock on a system catalog: each further one waits there as
// well, even when its client has gone. Guards: one of ours waits at a time, for some minutes at most, and all others are told why at once.
import type { Socket } from 'node:net';
import { systemClock } from '../kernel/clock.ts';
import { MINUTE_MS } from '../kernel/units.ts';
import { TargetError, type TargetFacts } from './target-error.ts';

/** A host that went away meanwhile is noticed by then. */
const LONGEST_MS = 5 * MINUTE_MS;
const ALIVE_MS = 10_000;
/** Beyond, sockets are closed as they would be otherwise. */
const MOST = 500;
export const UNFINISHED = 'sign_in_unfinished';
/** Of another database of the server. */
export const CATALOG_LOCKS =
  "select pid, relation from pg_locks where granted and mode = 'AccessExclusiveLock' and relation < 16384";

const waiting = new Map<string, number>();

const keyOf = ({ host, port, database, username }: TargetFacts) =>
  JSON.stringify([host, port, database, username]);

function unfinished({ host, database, username }: TargetFacts, began: number): TargetError {
  const seconds = Math.round((systemClock.monotonic() - began) / 1000);
  const message = `${host} began the sign-in of ${username} ${seconds} s ago and has not finished it. A session may hold a lock on a system catalog of ${database}, or the service that checks passwords does not answer. To see such locks, connect to another database and run: ${CATALOG_LOCKS}. No other sign-in is tried there meanwhile.`;
  return new TargetError({ step: 'timeout', message, code: UNFINISHED });
}

/** Why no other is tried there now; undefined: none waits. */
export function unfinishedSignIn(facts: TargetFacts): TargetError | undefined {
  const began = waiting.get(keyOf(facts));
  return began === undefined ? undefined : unfinished(facts, began);
}

/** Lets one wait that began then; answers the error of its caller. */
export function leaveWaiting(facts: TargetFacts, socket: Socket, began: number): TargetError {
  const key = keyOf(facts);
  if (socket.destroyed || waiting.has(key) || waiting.size >= MOST) socket.destroy();
  else {
    waiting.set(key, began);
    const ending = setTimeout(() => socket.destroy(), LONGEST_MS).unref();
    socket.once('close', () => {
      clearTimeout(ending);
      waiting.delete(key);
    });
    socket.setKeepAlive(true, ALIVE_MS);
    socket.unref();
  }
  return unfinished(facts, began);
}
