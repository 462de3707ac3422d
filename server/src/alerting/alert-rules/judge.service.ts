// What a sample means for an alert: nothing, a condition that begins, an alert that fires, holds, gets better or clears.
// Pure. Guards: missing data neither fires nor clears; a sample counts once; an alert that has cleared stays silent for
// five minutes unless it is more severe now.
import type { Operator, Severity } from '../rules/types.ts';

/** What was read of one thing: a number, nobody knows, or that the thing is there no more. */
export interface Reading {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number | null;
  /** It is so much or more, and nobody knows how much. */
  readonly isAtLeast?: true;
  readonly isGone?: true;
  /** What the value is made of, in words. */
  readonly says?: string;
  /** What led to it, as a sentence. */
  readonly because?: string;
  /** What it is made of was not looked up this time: an open alert keeps its words. */
  readonly keepsWords?: true;
  /** Of the objects that it is about. */
  readonly names?: readonly string[];
}

/** What is in force for a rule on a connection. */
export interface Condition {
  readonly operator: Operator;
  readonly threshold: number;
  readonly severity: Severity;
  readonly lastsSeconds: number;
}

/** The alert that is open on it. */
export interface Open {
  readonly severity: Severity;
  readonly operator: Operator | null;
  readonly threshold: number | null;
  /** The newest sample that was judged; milliseconds since the epoch. */
  readonly sampledAt: number;
  /** How many in a row did not meet the condition. */
  readonly wellSamples: number;
}

export interface AlertState {
  readonly open?: Open | undefined;
  /** The condition has been met since then, without having lasted long enough. */
  readonly pending?: { readonly since: number; readonly sampledAt: number } | undefined;
  /** One cleared within the last five minutes, and how severe it was. */
  readonly silent?: Severity | undefined;
  /** A blackout or a mute: nothing new fires. */
  readonly isSuppressed?: boolean;
}

export type Verdict =
  /** Nothing to note. */
  | 'nothing'
  /** The condition is met, but has not lasted long enough. */
  | 'pending'
  /** It was, and is met no more. */
  | 'ended'
  | 'fired'
  /** It is open, and the condition is met. */
  | 'firing'
  /** It is open; one sample in a row does not meet the condition. */
  | 'recovering'
  | 'cleared'
  /** It would have fired but for a blackout, a mute or the silence after an alert: to be asked again. */
  | 'suppressed';

const RANK: Record<Severity, number> = { info: 0, warning: 1, critical: 2 };

const isMoreSevere = (one: Severity, other: Severity): boolean => RANK[one] > RANK[other];

const COMPARE: Record<Operator, (value: number, threshold: number) => boolean> = {
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '==': (value, threshold) => value === threshold,
  '!=': (value, threshold) => value !== threshold,
};

export const meets = (
  value: number,
  { operator, threshold }: Pick<Condition, 'operator' | 'threshold'>,
): boolean => COMPARE[operator](value, threshold);

/** Which of two values is further beyond the threshold, for things that go by the same name. */
export const isWorse = (one: number, other: number, { operator }: Pick<Condition, 'operator'>): boolean =>
  operator === '<' || operator === '<=' ? one < other : one > other;

/** Of two things that go by the same name the worse one counts, from when the newer one was read. */
export function worseOf(one: Reading, other: Reading, { operator }: Pick<Condition, 'operator'>): Reading {
  const at = Math.max(one.at, other.at);
  if (one.value === null || other.value === null) return { at, value: one.value ?? other.value };
  return { ...(isWorse(one.value, other.value, { operator }) ? one : other), at };
}

/** For how long an alert that has cleared keeps its key silent. */
export const SILENT_SECONDS = 300;
const SAMPLES_TO_CLEAR = 2;

function ofOpen(
  reading: Reading,
  condition: Condition,
  { open, isMet }: { open: Open; isMet: boolean },
): Verdict {
  const isNew = reading.at > open.sampledAt;
  const isChanged =
    open.operator !== condition.operator ||
    open.threshold !== condition.threshold ||
    open.severity !== condition.severity;
  if (isMet) return isNew || isChanged ? 'firing' : 'nothing';
  // Whoever sets another threshold does not wait for two samples.
  if (isChanged && open.severity === condition.severity) return 'cleared';
  if (!isNew) return 'nothing';
  return open.wellSamples + 1 >= SAMPLES_TO_CLEAR ? 'cleared' : 'recovering';
}

function ofNew(reading: Reading, condition: Condition, known: AlertState): Verdict {
  const { pending, silent, isSuppressed } = known;
  const since = pending?.since ?? reading.at;
  if (reading.at - since < condition.lastsSeconds * 1000)
    return pending && reading.at <= pending.sampledAt ? 'nothing' : 'pending';
  if (isSuppressed || (silent !== undefined && !isMoreSevere(condition.severity, silent)))
    return 'suppressed';
  return 'fired';
}

const MEETS_MORE = new Set<Operator>(['>', '>=']);

/** Whether a reading says that the condition is met, or that it is not. */
function isConclusive({ value, isGone, isAtLeast }: Reading, condition: Condition): boolean {
  if (isGone) return true;
  if (value === null) return false;
  if (!isAtLeast) return true;
  // What meets "more than" does so with any more, and what does not meet "less than" neither.
  if (MEETS_MORE.has(condition.operator)) return meets(value, condition);
  return condition.operator.startsWith('<') && !meets(value, condition);
}

export function judge(reading: Reading, condition: Condition, known: AlertState): Verdict {
  const { value, isGone } = reading;
  if (!isConclusive(reading, condition)) return 'nothing';
  const isMet = value !== null && !isGone && meets(value, condition);
  if (known.open) return ofOpen(reading, condition, { open: known.open, isMet });
  if (isMet) return ofNew(reading, condition, known);
  return known.pending ? 'ended' : 'nothing';
}
