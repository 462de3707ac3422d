// Reads one thing while another is looked at. Guards: answers come in the order of what was asked, whichever is there first; never
// more than so many are held at once; whoever stops listening leaves no failure behind that nobody hears.

/** So many are read or held at once at most. */
export async function* readAhead<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
  most: number,
): AsyncGenerator<readonly [T, R]> {
  const begun: (readonly [T, Promise<R>])[] = [];
  const rest = items.values();
  const begin = () => {
    const next = rest.next();
    if (next.done) return;
    const answer = read(next.value);
    // Heard when its turn comes, or never if an earlier one failed.
    answer.catch(() => undefined);
    begun.push([next.value, answer]);
  };
  for (let n = 0; n < most; n += 1) begin();
  for (let first = begun.shift(); first; first = begun.shift()) {
    const [item, answer] = first;
    yield [item, await answer];
    begin();
  }
}
