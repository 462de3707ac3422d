// Both sides of a deadlock, out of its DETAIL. Pure. Guards: statements leave here only through the caller's mask.
import { decoded } from '../text.ts';
import type { LogEvent } from '../types.ts';

export interface DeadlockSide {
  pid: number;
  /** As `ShareLock`. */
  mode: string | null;
  /** What it waits for, as `transaction 742` or `tuple (0,1) of relation 16384 of database 5`. */
  waits_for: string | null;
  blocked_by: number | null;
  /** null where the server did not write it, as for roles that may not see it. */
  statement: string | null;
  is_victim: boolean;
}

export interface Deadlock {
  time: number;
  user: string | null;
  database: string | null;
  /** From the CONTEXT, as `while updating tuple (0,1) in relation "orders"`. */
  context: string | null;
  sides: DeadlockSide[];
}

const WAITS = /^Process (\d+) waits for (\w+) on (.{1,400}?); blocked by process (\d+)\.$/;
const STATEMENT = /^Process (\d+): ?(.*)$/;
const MOST_SIDES = 50;
const HIDDEN = '<insufficient privilege>';

const blank = (pid: number, victim: number): DeadlockSide => ({
  pid,
  mode: null,
  waits_for: null,
  blocked_by: null,
  statement: null,
  is_victim: pid === victim,
});

/** The sides of a DETAIL as it is shown; none where it is not written as PostgreSQL writes it. */
export function sidesOf(detail: string, victim: number): DeadlockSide[] {
  const sides = new Map<number, DeadlockSide>();
  const of = (pid: number) => {
    const known = sides.get(pid) ?? blank(pid, victim);
    if (sides.size < MOST_SIDES) sides.set(pid, known);
    return known;
  };
  let current: DeadlockSide | undefined;
  for (const line of detail.split('\n')) {
    const waits = WAITS.exec(line.trim());
    const says = STATEMENT.exec(line);
    if (waits !== null) {
      const side = of(Number(waits[1]));
      side.mode = waits[2] ?? null;
      side.waits_for = waits[3] ?? null;
      side.blocked_by = Number(waits[4]);
    } else if (says !== null) {
      current = of(Number(says[1]));
      current.statement = says[2] === HIDDEN ? null : (says[2] ?? null);
    } else if (current?.statement !== null && current !== undefined) current.statement += `\n${line}`;
  }
  return [...sides.values()];
}

export function deadlockOf(event: LogEvent): Deadlock {
  return {
    time: event.time,
    user: decoded(event.user) || null,
    database: decoded(event.database) || null,
    context: decoded(event.context) || null,
    sides: sidesOf(decoded(event.detail), Number(event.pid)),
  };
}
