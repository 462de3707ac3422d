// Refusals, written into the audit log after the fact. Guards: a flood of them neither fills the disk nor slows a reply:
// each caller, operation and status makes at most two rows a minute, at most a hundred such at once in a process, and
// the rest are counted together.

import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { insertAuditRows } from './audit.queries.ts';
import type { AuditCtx, AuditEntry } from './audit.service.ts';
import { auditRow } from './audit-row.ts';

export interface Refusal extends Pick<AuditCtx, 'principal' | 'origin'> {
  /** The last of them is no refusal: it is counted here because it can repeat as often. */
  action: 'access.check' | 'session.create' | 'session.ask_code';
  /** The id of the operation. */
  operation: string;
  method: string;
  path: string;
  status: number;
  /** The sentence that the caller was told. */
  reason: string;
  target?: AuditEntry['target'];
}

export interface Refusals extends Part {
  /** Costs no statement; the row follows within a second. */
  note(refusal: Refusal): void;
  /** Writes what waits at once. */
  flush(): Promise<void>;
}

const WINDOW_MS = 60_000;
const WRITE_MS = 1000;
const MOST_KINDS = 100;
const LONGEST_PATH = 200;
const OTHERS = 'others';
const OTHERS_ASKED = 'others asked for a code';

interface Counted {
  first: Refusal;
  began_at: number;
  /** When the oldest one was refused that is not written yet. */
  at: number;
  waiting: number;
  written: boolean;
}

const isAsking = ({ action }: Refusal) => action === 'session.ask_code';

const callerOf = ({ principal, origin }: Refusal) =>
  principal
    ? `user ${principal.user_id} ${principal.via.kind} ${principal.via.id}`
    : `address ${origin?.address}`;

const keyOf = (refusal: Refusal) =>
  [callerOf(refusal), refusal.action, refusal.operation, refusal.status, refusal.target?.id ?? ''].join('|');

function entryOf({ first, waiting }: Counted, isOthers: boolean): AuditEntry {
  const details = {
    status: first.status,
    method: first.method,
    path: cutText(first.path, LONGEST_PATH),
    reason: first.reason,
  };
  return {
    action: first.action,
    outcome: isAsking(first) ? 'ok' : 'refused',
    target: first.target ?? { kind: 'operation', id: first.operation },
    details: isOthers
      ? { and_others: 'There were too many to list; this is the first of them.', ...details }
      : details,
    occurrences: waiting,
  };
}

class RefusalLog implements Refusals {
  readonly name = 'refusals';
  readonly #options: { db: Db; clock: Clock; log: Log };
  readonly #counted = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: { db: Db; clock: Clock; log: Log }) {
    this.#options = options;
  }

  note(refusal: Refusal): void {
    const now = this.#options.clock.now();
    const own = keyOf(refusal);
    const others = isAsking(refusal) ? OTHERS_ASKED : OTHERS;
    const key = this.#counted.has(own) || this.#counted.size < MOST_KINDS ? own : others;
    const known = this.#counted.get(key);
    if (!known)
      this.#counted.set(key, { first: refusal, began_at: now, at: now, waiting: 1, written: false });
    else {
      if (known.waiting === 0) known.at = now;
      known.waiting += 1;
    }
    this.#again();
  }

  async flush(): Promise<void> {
    await this.#write(true);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.flush();
  }

  /** One after another, so that nothing is written twice. */
  #write(all: boolean): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeDue(all));
    return this.#writing;
  }

  async #writeDue(all: boolean): Promise<void> {
    const { db, clock, log } = this.#options;
    const now = clock.now();
    const isOver = ({ began_at }: Counted) => now - began_at >= WINDOW_MS;
    const due = [...this.#counted].filter(
      ([, one]) => one.waiting > 0 && (all || !one.written || isOver(one)),
    );
    const taken = due.map(([key, one]) => ({
      one,
      count: one.waiting,
      row: auditRow(one.first, entryOf(one, key === OTHERS || key === OTHERS_ASKED), one.at),
    }));
    try {
      if (taken.length > 0)
        await insertAuditRows(
          db,
          taken.map(({ row }) => row),
        );
      for (const { one, count } of taken) {
        one.waiting -= count;
        one.written = true;
      }
    } catch (err) {
      log.warn({ event: 'audit.refusals_wait', kinds: taken.length, err });
    }
    for (const [key, one] of this.#counted) if (one.waiting === 0 && isOver(one)) this.#counted.delete(key);
    if (this.#counted.size > 0 && !all) this.#again();
  }

  #again(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write(false);
    }, WRITE_MS).unref();
  }
}

export function createRefusals(options: { db: Db; clock: Clock; log: Log }): Refusals {
  return new RefusalLog(options);
}
