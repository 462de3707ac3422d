// The way from a user or group up to the groups whose grants reach it. Groups nest; each group above is named once, by
// the shortest way to it.
export interface GroupLinks {
  name: string;
  /** The groups it is a direct member of. */
  member_of: readonly string[];
}

/** One way: the group one is a direct member of first, the one above all last. */
export type Chain = readonly string[];

/** By the name of each group above: the way to it. `direct` are the groups that the holder itself is a member of. */
export function chainsFrom(
  direct: readonly string[],
  groups: readonly GroupLinks[],
): ReadonlyMap<string, Chain> {
  const above = new Map(groups.map(({ name, member_of }) => [name, member_of]));
  const found = new Map<string, Chain>();
  let step: Chain[] = direct.map((name) => [name]);
  while (step.length > 0) {
    const next: Chain[] = [];
    for (const chain of step) {
      const top = chain.at(-1);
      if (top === undefined || found.has(top)) continue;
      found.set(top, chain);
      for (const name of above.get(top) ?? []) next.push([...chain, name]);
    }
    step = next;
  }
  return found;
}
