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

export const NODE = { width: 200, height: 64 };
export const LABEL = { width: 132, height: 26 };
const GAP = { x: 156, y: 30 };
const EDGE = 8;
const STEP = 22;
const NARROW_GAP = 46;

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
type Drawn = Omit<Line, 'link'>;
type Ends = readonly [from: Spot, to: Spot];

/** Labels stand in the gaps between columns, where no server is. */
function lineWide([from, to]: Ends): Drawn {
  // Two that send to each other have a line each.
  const aside = from.x === to.x ? Math.sign(to.y - from.y) * 7 : 0;
  const [y1, y2] = [from.y + half + aside, to.y + half + aside];
  if (from.x === to.x) {
    const [x, y] = [from.x - GAP.x / 2, (y1 + y2) / 2];
    const far = from.x - Math.min(GAP.x / 1.4, 40 + Math.abs(y1 - y2) / 3) - aside;
    return { path: `M ${from.x} ${y1} C ${far} ${y1} ${far} ${y2} ${to.x} ${y2}`, label: { x, y } };
  }
  const isForward = from.x < to.x;
  const [x1, x2] = isForward ? [from.x + NODE.width, to.x] : [from.x, to.x + NODE.width];
  const shift = isForward ? 0 : half / 2;
  const isNear = Math.abs(x1 - x2) <= GAP.x;
  const middle = (x1 + x2) / 2;
  return {
    path: `M ${x1} ${y1 + shift} C ${middle} ${y1 + shift} ${middle} ${y2 + shift} ${x2} ${y2 + shift}`,
    label: {
      x: isForward ? x2 - GAP.x / 2 : x2 + GAP.x / 2,
      y: (isNear ? (y1 + y2) / 2 : y2) + shift,
    },
  };
}

function lineNarrow([from, to]: Ends): Drawn {
  const label = { x: to.x + LABEL.width / 2 + 16, y: Math.max(from.y, to.y) - NARROW_GAP / 2 };
  if (from.y < to.y && from.x < to.x) {
    const x = from.x + STEP / 2;
    return { path: `M ${x} ${from.y + NODE.height} V ${to.y + half} H ${to.x}`, label };
  }
  return { path: `M ${from.x} ${from.y + half} H 3 V ${to.y + half} H ${to.x}`, label };
}

/** Moves labels apart that would lie on each other: down where there is a gap for it, else to the side. */
function spread(lines: readonly Line[], isNarrow: boolean): Line[] {
  const placed: Spot[] = [];
  const hits = (a: Spot) =>
    placed.some((b) => Math.abs(a.x - b.x) < LABEL.width && Math.abs(a.y - b.y) < LABEL.height);
  return [...lines]
    .sort((a, b) => a.label.x - b.label.x || a.label.y - b.label.y)
    .map((line) => {
      let label = line.label;
      while (hits(label))
        label = isNarrow
          ? { ...label, x: label.x + LABEL.width + 4 }
          : { ...label, y: label.y + LABEL.height + 4 };
      placed.push(label);
      return { ...line, label };
    });
}

export function layOut(
  servers: readonly Server[],
  links: readonly ClusterLink[],
  isNarrow: boolean,
): Picture {
  const tops = branches(servers, links);
  const plain = isNarrow ? placeNarrow(tops) : placeWide(tops, EDGE);
  const endsIn = (spots: Spots, link: ClusterLink): Ends | undefined => {
    const [from, to] = [spots.get(link.target_connection_id), spots.get(link.source_connection_id)];
    return from && to ? [from, to] : undefined;
  };
  // Lines between servers of the first column take room to their left.
  const needsMargin = links.some((link) => {
    const ends = endsIn(plain, link);
    return ends?.[0].x === EDGE && ends[1].x === EDGE;
  });
  const spots = needsMargin && !isNarrow ? placeWide(tops, EDGE + GAP.x) : plain;
  const draw = isNarrow ? lineNarrow : lineWide;
  const lines = spread(
    links.flatMap((link) => {
      const ends = endsIn(spots, link);
      return ends ? [{ link, ...draw(ends) }] : [];
    }),
    isNarrow,
  );
  const all = [...spots.values()];
  const labels = lines.map(({ label }) => label);
  return {
    width: Math.max(
      0,
      ...all.map(({ x }) => x + NODE.width + EDGE),
      ...labels.map(({ x }) => x + LABEL.width / 2 + EDGE),
    ),
    height: Math.max(
      0,
      ...all.map(({ y }) => y + NODE.height + EDGE),
      ...labels.map(({ y }) => y + LABEL.height / 2 + EDGE),
    ),
    spots,
    lines,
  };
}
