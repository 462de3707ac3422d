// Finds what somebody probably meant, for messages about unknown names.

/** ` Did you mean x?` with a leading space, or empty text when nothing is within two edits. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const close = candidates.find((candidate) => distance(candidate.toLowerCase(), name.toLowerCase()) <= 2);
  return close ? ` Did you mean ${close}?` : '';
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
