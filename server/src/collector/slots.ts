// A probe in one place: when it is due there, and whether it is worth a session. Pure. Guards: what cannot run in a
// database opens no session for itself; whatever makes it due anew makes it count like any other.
import type { SqlProbe } from '../probes/types.ts';
import type { Digests, Row } from '../store/layout/types.ts';
import { PROBE_MOST_MS } from './back-off.ts';

/** One probe in one place, with its own breaker. Of one shape from the beginning: there are dozens on each server. */
export interface Slot {
  readonly probe: SqlProbe;
  /** '' for the whole server. */
  readonly database_name: string;
  due: number;
  failures: number;
  /** The last run read everything it is for. */
  isWell: boolean;
  /** `due` as it was set when the server was found to offer too little for it. */
  barredUntil: number | undefined;
  /** Runs in a row that found nothing going on, of a probe that adapts. */
  quietRuns: number;
  /** Digests of the rows of its last answer, where it is compared with them before anything is made of it. */
  digests: Digests | undefined;
  /** Its last answer had all that is kept: there are more objects. */
  isMany: boolean;
  /** Rows of its last answer, of a probe that compares two of them. */
  rowsBefore: readonly Row[] | undefined;
  /** When it was read last. */
  ranAt: number | undefined;
  /** Nothing was read lately that its next reading could be compared with. */
  isNew: boolean;
}

/** Not run yet; due at that time. */
export const newSlot = (
  probe: SqlProbe,
  database_name: string,
  { due, isNew }: Pick<Slot, 'due' | 'isNew'>,
): Slot => ({
  probe,
  database_name,
  due,
  failures: 0,
  isWell: false,
  barredUntil: undefined,
  quietRuns: 0,
  digests: undefined,
  isMany: false,
  rowsBefore: undefined,
  ranAt: undefined,
  isNew,
});

/** Nothing has happened since that would let it run. */
export const isBarred = ({ due, barredUntil }: Pick<Slot, 'due' | 'barredUntil'>) => due === barredUntil;

/** The server offers too little for it: asked again after ten minutes, or along with others. */
export function bar(slot: Slot, now: number): void {
  slot.due = now + PROBE_MOST_MS;
  slot.barredUntil = slot.due;
}

/**
 * When a database is visited next. What is barred there opens no session for itself, unless there is nothing else that
 * would ever lead there.
 */
export function visitDue(slots: readonly Slot[]): number {
  let own = Number.POSITIVE_INFINITY;
  let barred = Number.POSITIVE_INFINITY;
  for (const slot of slots)
    if (isBarred(slot)) barred = Math.min(barred, slot.due);
    else own = Math.min(own, slot.due);
  return own === Number.POSITIVE_INFINITY ? barred : own;
}
