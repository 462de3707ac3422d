// Where the entities that somebody asked for stand among all that a row tells of. Pure. Guards: a few of many are found without
// looking at the others, however many ask at once; everything is looked at where that is less work.

/** Of lists of ids, which nobody changes. */
const known = new WeakMap<readonly number[], ReadonlyMap<number, number>>();

function positionsOf(ids: readonly number[]): ReadonlyMap<number, number> {
  const found = known.get(ids) ?? new Map(ids.map((id, position) => [id, position]));
  known.set(ids, found);
  return found;
}

type Wanted = (Iterable<number> & { readonly size: number }) | undefined;

/** Whether so few are wanted that they are looked up one by one. */
export const isFewOf = (ids: readonly number[], wanted: Wanted): wanted is Exclude<Wanted, undefined> =>
  wanted !== undefined && wanted.size * 4 <= ids.length;

/** Calls back for each of the ids that may be wanted, with where it stands; `wanted` undefined: any of them. */
export function eachWanted(
  ids: readonly number[],
  wanted: Wanted,
  visit: (id: number, position: number) => void,
): void {
  if (!isFewOf(ids, wanted)) {
    // As an index: of thousands of ids in each of hundreds of rows an iterator's pairs would be most of the work.
    for (let position = 0; position < ids.length; position += 1) visit(ids[position] ?? 0, position);
    return;
  }
  const positions = positionsOf(ids);
  for (const id of wanted) {
    const position = positions.get(id);
    if (position !== undefined) visit(id, position);
  }
}
