// Which lines are kept where there is no room for all: of each class the same share of bytes, evenly over time. Pure. Guards: each class keeps at least one.

interface Sized {
  readonly class: string;
  readonly bytes: number;
}

/** Which part of each class fits: what small classes leave goes to the others. */
function partsOf(sizes: ReadonlyMap<string, number>, room: number): Map<string, number> {
  const parts = new Map<string, number>();
  let left = room;
  let waiting = sizes.size;
  for (const [name, bytes] of [...sizes].sort(([, a], [, b]) => a - b)) {
    const taken = Math.min(bytes, left / waiting);
    parts.set(name, bytes === 0 ? 1 : taken / bytes);
    left -= taken;
    waiting -= 1;
  }
  return parts;
}

export function sampleOf<T extends Sized>(all: readonly T[], room: number): T[] {
  const sizes = new Map<string, number>();
  let sum = 0;
  for (const { class: name, bytes } of all) {
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
    sum += bytes;
  }
  if (sum <= room) return [...all];
  const parts = partsOf(sizes, room);
  const seen = new Map<string, number>();
  return all.filter(({ class: name }) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    const part = parts.get(name) ?? 0;
    return before === 0 || Math.floor((before + 1) * part) > Math.floor(before * part);
  });
}
