// When a server is connected to again. Pure but for what it remembers. Guards: what cannot succeed until somebody
// changes something (a password, pg_hba.conf, what listens there) is tried ever less often, up to every 10 minutes,
// since each attempt is a line in the server's log; a server that breaks the protocol or sends more than is accepted,
// whatever it is asked, rests just as long.
import type { TargetError } from '../monitored/connect.ts';
import { connectDelay, patientDelay } from './back-off.ts';

/** A session has to last so long before a lost one is replaced without a growing delay. */
const PROVEN_MS = 10_000;
/** A server that broke nothing for so long starts anew. */
const FORGIVEN_MS = 20 * 60_000;

/** A server that was told to stop is mostly started again: a restart or a switchover is no outage before it has lasted so long. */
const RESTART_MS = 20_000;
const TOLD_TO_STOP = '57P01';
/** Fewer than what is called an outage. */
const MOST_OF_RESTART = 2;

/** Refusals that pass by themselves: no free connection, starting, stopping, ended by somebody, no password from its source. */
const PASSING = /^(53|57|password_source$)/;
const REFUSED_STEPS: readonly string[] = ['sign_in', 'database', 'permission', 'protocol'];

/** Whether the next attempt would end like this one as long as nobody changes anything. */
export function needsChange({ step, code }: TargetError): boolean {
  return REFUSED_STEPS.includes(step) && !PASSING.test(code);
}

/** What broke the protocol, and with which statement's answer. */
export interface Break {
  readonly error: TargetError;
  /** Empty: none. */
  readonly probe: string;
  readonly database_name: string;
}

export class Reconnect {
  #failures = 0;
  #at = 0;
  #breaks = 0;
  #stoppedAt = Number.NEGATIVE_INFINITY;
  /** Noted, and not judged yet. */
  #noted: Break | undefined;
  #last: { culprit: string; at: number } | undefined;

  get failures(): number {
    return this.#failures;
  }

  /** Attempts in a row that failed, as they are reported. */
  counted(now: number): number {
    const failures = Math.max(1, this.#failures);
    return now - this.#stoppedAt < RESTART_MS ? Math.min(MOST_OF_RESTART, failures) : failures;
  }

  /** What ended the session. */
  ended({ code }: Pick<TargetError, 'code'>, now: number): void {
    if (code === TOLD_TO_STOP) this.#stoppedAt = now;
  }

  /** Monotonic time from which it may be tried. */
  get at(): number {
    return this.#at;
  }

  /** Somebody asked to try at once. */
  hurry(): void {
    this.#at = 0;
  }

  /** The connection was edited: nothing is known any more. */
  reset(): void {
    this.#failures = 0;
    this.#at = 0;
    this.#breaks = 0;
    this.#last = undefined;
    this.#noted = undefined;
  }

  /** `random` is from 0 to 1. */
  failed(error: TargetError, now: number, random: number): void {
    this.ended(error, now);
    this.#noted = undefined;
    this.#failures += 1;
    const delay = needsChange(error) ? patientDelay : connectDelay;
    this.#later(now + delay(this.#failures, random));
  }

  /** The session ended without a failure of ours to speak of: a new one soon, later when this one was short. */
  lost(lastedMs: number, now: number, random: number): void {
    this.#failures = lastedMs < PROVEN_MS ? this.#failures + 1 : 0;
    this.#later(now + connectDelay(this.#failures, random));
  }

  worked(lastedMs: number): void {
    if (lastedMs >= PROVEN_MS) this.#failures = 0;
  }

  /** The server broke a session; the first statement that did so counts. */
  note(broken: Break): void {
    this.#noted ??= broken;
  }

  /**
   * Judges what was noted. An honest server can break a session with a single probe, whose own pauses grow; once another
   * statement's answer does it too, the server rests. Answers what it rests for.
   */
  rest(now: number, random: number): Break | undefined {
    const broken = this.#noted;
    this.#noted = undefined;
    if (!broken) return undefined;
    const culprit = `${broken.probe}/${broken.database_name}`;
    const before = this.#last;
    if (before && now - before.at > FORGIVEN_MS) this.#breaks = 0;
    else if (broken.probe === '' || (before && before.culprit !== culprit)) this.#breaks += 1;
    this.#last = { culprit, at: now };
    if (this.#breaks === 0) return undefined;
    this.#later(now + patientDelay(this.#breaks, random));
    return broken;
  }

  /** A longer pause that is under way stays. */
  #later(at: number): void {
    this.#at = Math.max(this.#at, at);
  }
}
