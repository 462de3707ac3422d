// Where the entities that somebody asked for stand among all that a row tells of. Pure. Guards: a few of many are found without
// looking at the others, however many ask at once; everything is looked at where that is less work.

type Find = (id: number) => number | undefined;

/** Of lists of ids, which nobody changes. */
const known = new WeakMap<readonly number[], Find>();

function isAscending(ids: readonly number[]): boolean {
  for (let position = 1; position < ids.length; position += 1)
    if ((ids[position - 1] ?? 0) >= (ids[position] ?? 0)) return false;
  return true;
}

/** By halves. */
function inOrder(ids: readonly number[], id: number): number | undefined {
  let [first, end] = [0, ids.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((ids[middle] ?? 0) < id) first = middle + 1;
    else end = middle;
  }
  return ids[first] === id ? first : undefined;
}

function finderOf(ids: readonly number[]): Find {
  // Those of packed hours and days and of spans are: nothing has to be made for each of thousands.
  if (isAscending(ids)) return (id) => inOrder(ids, id);
  const positions = new Map(ids.map((id, position) => [id, position]));
  return (id) => positions.get(id);
}

function findIn(ids: readonly number[]): Find {
  const found = known.get(ids) ?? finderOf(ids);
  known.set(ids, found);
  return found;
}

type IdSet = (Iterable<number> & { readonly size: number }) | undefined;

/** Whether so few are wanted that they are looked up one by one. */
export const isFewOf = (ids: readonly number[], wanted: IdSet): wanted is Exclude<IdSet, undefined> =>
  wanted !== undefined && wanted.size * 4 <= ids.length;

/** Calls back for each of the ids that may be wanted, with where it stands; `wanted` undefined: any of them. */
export function eachWanted(
  ids: readonly number[],
  wanted: IdSet,
  visit: (id: number, position: number) => void,
): void {
  if (!isFewOf(ids, wanted)) {
    // As an index: of thousands of ids in each of hundreds of rows an iterator's pairs would be most of the work.
    for (let position = 0; position < ids.length; position += 1) visit(ids[position] ?? 0, position);
    return;
  }
  const find = findIn(ids);
  for (const id of wanted) {
    const position = find(id);
    if (position !== undefined) visit(id, position);
  }
}
