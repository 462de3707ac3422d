// How the rooms of the server use each other: the arrows between them, and on how many floors they are. Guards: no circle.
import type { SourceFile } from './source-files.ts';

export interface RoomMap {
  floors: number;
  /** "estate → history". */
  arrows: ReadonlySet<string>;
}

/** The first folder of a path. */
export const roomOf = (target: string): string => target.split('/')[0]?.replace(/\.ts$/, '') ?? '';

export function roomMap(files: readonly SourceFile[], rooms: readonly string[]): RoomMap {
  const arrows = new Set<string>();
  const below = new Map<string, Set<string>>();
  for (const { room, imports } of files.filter((file) => rooms.includes(file.room)))
    for (const { target, isRelative } of imports) {
      const to = roomOf(target);
      if (!isRelative || to === room || !rooms.includes(to)) continue;
      arrows.add(`${room} → ${to}`);
      below.set(room, (below.get(room) ?? new Set()).add(to));
    }
  const floorOf = (room: string, above: readonly string[] = []): number => {
    if (above.includes(room)) throw new Error(`a circle: ${[...above, room].join(' → ')}`);
    return 1 + Math.max(0, ...[...(below.get(room) ?? [])].map((to) => floorOf(to, [...above, room])));
  };
  return { floors: Math.max(...rooms.map((room) => floorOf(room))), arrows };
}
