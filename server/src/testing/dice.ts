// Chance for tests that can be repeated: the same numbers for the same seed.

/** From 0 to 1, the same for the same seed. */
export function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
