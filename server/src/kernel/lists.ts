// What is asked of lists of any length: the greatest, the least, and one list behind another. Guards: no list is spread
// into the arguments of a call, which overflows the stack beyond about 120,000 of them.

/** `otherwise` is what there is at least, and the answer without any. */
export function greatest(values: Iterable<number>, otherwise = -Infinity): number {
  let most = otherwise;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** `otherwise` is what there is at most, and the answer without any. */
export function least(values: Iterable<number>, otherwise = Infinity): number {
  let fewest = otherwise;
  for (const value of values) fewest = Math.min(fewest, value);
  return fewest;
}

/** Puts `more` at the end of `list`. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}
