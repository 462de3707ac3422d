// Where things stand in the picture of a cluster. Pure. Wide: receivers to the right of whom they receive from; narrow:
// below each other, stepped in. Guards: every server has a place and no two share one, whatever circles the links make.
import type { ClusterLink, Server } from './model.ts';

export interface Spot {
  x: number;
  y: number;
}

export interface Line {
  link: ClusterLink;
  path: string;
  /** The middle of its label. */
  label: Spot;
}

export interface Picture {
  width: number;
  height: number;
  spots: ReadonlyMap<number, Spot>;
  lines: readonly Line[];
}

export const NODE = { width: 212, height: 64 };
export const LABEL = { width: 132, height: 26 };
const GAP = { x: 176, y: 30 };
const EDGE = 8;
const STEP = 22;
const NARROW_GAP = 46;
const BULGE = 84;

interface Branch {
  id: number;
  below: Branch[];
}

const branchOf = (server: Server): Branch => ({
  id: server.id,
  below: (server.children ?? []).map(branchOf),
});

const holds = (branch: Branch, id: number): boolean =>
  branch.id === id || branch.below.some((one) => holds(one, id));

function find(branches: readonly Branch[], id: number): Branch | undefined {
  for (const branch of branches) {
    const found = branch.id === id ? branch : find(branch.below, id);
    if (found) return found;
  }
  return undefined;
}

/** Standbys stand under their upstream already; a subscriber is put under its publisher where that makes no circle. */
function branches(servers: readonly Server[], links: readonly ClusterLink[]): Branch[] {
  const tops = servers.map(branchOf);
  for (const { relationship_type, source_connection_id: source, target_connection_id: target } of links) {
    if (relationship_type === 'replicates_with') continue;
    const at = tops.findIndex(({ id }) => id === source);
    const own = tops[at];
    if (!own || holds(own, target)) continue;
    const above = find(tops, target);
    if (!above) continue;
    above.below.push(own);
    tops.splice(at, 1);
  }
  return tops;
}

type Spots = Map<number, Spot>;

function placeWide(tops: readonly Branch[], left: number): Spots {
  const spots: Spots = new Map();
  let rows = 0;
  const place = ({ id, below }: Branch, depth: number): number => {
    const ys = below.map((one) => place(one, depth + 1));
    const [first = 0, last = 0] = [ys[0], ys.at(-1)];
    const y = ys.length > 0 ? (first + last) / 2 : EDGE + rows * (NODE.height + GAP.y);
    if (ys.length === 0) rows += 1;
    spots.set(id, { x: left + depth * (NODE.width + GAP.x), y });
    return y;
  };
  for (const top of tops) place(top, 0);
  return spots;
}

function placeNarrow(tops: readonly Branch[]): Spots {
  const spots: Spots = new Map();
  const place = ({ id, below }: Branch, depth: number) => {
    spots.set(id, { x: EDGE + Math.min(depth, 3) * STEP, y: EDGE + spots.size * (NODE.height + NARROW_GAP) });
    for (const one of below) place(one, depth + 1);
  };
  for (const top of tops) place(top, 0);
  return spots;
}

const half = NODE.height / 2;

function lineWide([from, to]: readonly [Spot, Spot], nth: number): Omit<Line, 'link'> {
  if (from.x < to.x) {
    const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + half, to.x, to.y + half];
    const middle = (x1 + x2) / 2;
    return {
      path: `M ${x1} ${y1} C ${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
      label: { x: middle, y: nth === 0 ? y1 + (y2 - y1) * 0.5 : y1 + (y2 - y1) * 0.5 + nth * LABEL.height },
    };
  }
  const [y1, y2] = [from.y + half + nth * 8, to.y + half + nth * 8];
  const x = Math.min(from.x, to.x);
  return {
    path: `M ${from.x} ${y1} C ${x - BULGE} ${y1} ${x - BULGE} ${y2} ${to.x} ${y2}`,
    label: { x: x - BULGE * 0.78, y: (y1 + y2) / 2 + nth * LABEL.height },
  };
}

function lineNarrow([from, to]: readonly [Spot, Spot], nth: number): Omit<Line, 'link'> {
  const label = { x: to.x + LABEL.width / 2 + 16 + nth * (LABEL.width + 4), y: to.y - NARROW_GAP / 2 };
  if (from.y < to.y && from.x < to.x) {
    const x = from.x + STEP / 2;
    return { path: `M ${x} ${from.y + NODE.height} V ${to.y + half} H ${to.x}`, label };
  }
  return { path: `M ${from.x} ${from.y + half} H 3 V ${to.y + half} H ${to.x}`, label };
}

export function layOut(
  servers: readonly Server[],
  links: readonly ClusterLink[],
  isNarrow: boolean,
): Picture {
  const tops = branches(servers, links);
  const plain = isNarrow ? placeNarrow(tops) : placeWide(tops, EDGE);
  const ends = ({ source_connection_id, target_connection_id }: ClusterLink, spots: Spots) => {
    const [to, from] = [spots.get(source_connection_id), spots.get(target_connection_id)];
    return from && to ? ([from, to] as const) : undefined;
  };
  const bulges =
    !isNarrow &&
    links.some((link) => {
      const pair = ends(link, plain);
      return pair !== undefined && pair[0].x >= pair[1].x;
    });
  const spots = bulges ? placeWide(tops, EDGE + BULGE + LABEL.width / 2) : plain;
  const drawn = new Map<string, number>();
  const lines = links.flatMap((link) => {
    const pair = ends(link, spots);
    if (!pair) return [];
    const key = [link.source_connection_id, link.target_connection_id].sort((a, b) => a - b).join(' ');
    const nth = drawn.get(key) ?? 0;
    drawn.set(key, nth + 1);
    return [{ link, ...(isNarrow ? lineNarrow : lineWide)(pair, nth) }];
  });
  const all = [...spots.values()];
  return {
    width: Math.max(0, ...all.map(({ x }) => x)) + NODE.width + EDGE,
    height: Math.max(0, ...all.map(({ y }) => y)) + NODE.height + EDGE,
    spots,
    lines,
  };
}
