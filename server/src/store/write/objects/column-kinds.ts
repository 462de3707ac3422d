// In which form the values of a column lie in bytes: the narrowest one that holds all of them exactly. Pure.
import type { Value } from '../../layout/types.ts';
import { timeCode } from './time-code.ts';

/** How a column lies: nothing known at all, numbers in so many bytes, or as they were. */
export const KIND = {
  none: 0,
  tiny: 1,
  short: 2,
  int: 3,
  double: 4,
  time: 5,
  big: 6,
  boolean: 7,
  plain: 8,
} as const;
export const WIDTHS = [0, 1, 2, 4, 8, 8, 8, 1, 0];

/** What stands for null in each kind; a double that is no number in the others. */
export const NULL = { tiny: 0xff, short: 0xffff, int: -(2 ** 31), big: -(2n ** 63n) } as const;

const BIG = /^-?[1-9]\d{15,18}$/;
/** An integer that no double holds, as text; smaller ones come as numbers. */
function isBig(text: string): boolean {
  if (!BIG.test(text) || Number.isSafeInteger(Number(text))) return false;
  const exact = BigInt(text);
  return exact > NULL.big && exact < 2n ** 63n;
}

const FOUND = { integer: 1, fraction: 2, boolean: 4, time: 8, big: 16, other: 32 } as const;

function foundOf(value: Exclude<Value, null>): number {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return FOUND.integer;
    return Number.isFinite(value) ? FOUND.fraction : FOUND.other;
  }
  if (typeof value === 'boolean') return FOUND.boolean;
  if (!Number.isNaN(timeCode(value))) return FOUND.time;
  return isBig(value) ? FOUND.big : FOUND.other;
}

function integerKind(low: number, high: number): number {
  if (low >= 0 && high < NULL.tiny) return KIND.tiny;
  if (low >= 0 && high < NULL.short) return KIND.short;
  return low > NULL.int && high < -NULL.int ? KIND.int : KIND.double;
}

export function kindOf(values: readonly Value[]): number {
  let [found, low, high] = [0, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    found |= foundOf(value);
    if (found >= FOUND.other) return KIND.plain;
    if (typeof value !== 'number') continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (found === 0) return KIND.none;
  if (found === FOUND.integer) return integerKind(low, high);
  if (found === FOUND.boolean) return KIND.boolean;
  if (found === FOUND.time) return KIND.time;
  if (found <= (FOUND.integer | FOUND.fraction)) return KIND.double;
  return (found & ~FOUND.integer) === FOUND.big ? KIND.big : KIND.plain;
}

export function exactly(value: bigint): Value {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : String(value);
}

/** Whether a value lies in a form that was chosen for others. */
export function fits(kind: number, value: Value): boolean {
  if (value === null || kind === KIND.plain) return true;
  const found = foundOf(value);
  if (kind === KIND.big) return found === FOUND.integer || found === FOUND.big;
  if (kind === KIND.time) return found === FOUND.time;
  if (kind === KIND.boolean) return found === FOUND.boolean;
  if (kind === KIND.double) return found <= FOUND.fraction;
  if (found !== FOUND.integer || kind === KIND.none) return false;
  return integerKind(Math.min(0, Number(value)), Math.max(0, Number(value))) <= kind;
}
