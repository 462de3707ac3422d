// The figure of a finding on the grid of a chart. Pure. Guards: a figure holds until the next one, and no longer than two
// hours, as it is written each hour while it is so: where nobody judged, or it was not so, there is a gap.

import type { Window } from '../../../lib/time-window.ts';
import { MINUTE_MS } from '../../../lib/units.ts';
import { bucketWidth, type Grid } from '../../../ui/charts/series.ts';
import type { FindingDetail } from './finding-words.ts';

type Figures = FindingDetail['figures'];

const HOLDS_MS = 2 * 3_600_000;
/** So that what was found a moment ago is more than a dot at the edge. */
const SHORTEST_MS = 30 * MINUTE_MS;

interface Span {
  from: number;
  to: number;
  figure: number | null;
}

/** From when to when each figure was so; the last until the finding was seen last. */
function spansOf(figures: Figures, lastSeen: number): Span[] {
  return figures.map(({ at, figure }, index) => {
    const from = Date.parse(at);
    const next = figures[index + 1];
    const end = next ? Date.parse(next.at) : Math.max(from, lastSeen);
    return { from, to: Math.min(end, from + HOLDS_MS), figure };
  });
}

/** A value for each bucket: of the newest figure that was so in it. */
export function figureLine(
  figures: Figures,
  { grid, lastSeen }: { grid: Grid; lastSeen: number },
): (number | null)[] {
  const values: (number | null)[] = Array(grid.buckets).fill(null);
  const width = bucketWidth(grid);
  for (const { from, to, figure } of spansOf(figures, lastSeen)) {
    if (to < grid.from || from > grid.to) continue;
    const first = Math.max(0, Math.floor((from - grid.from) / width));
    const last = Math.min(grid.buckets - 1, Math.floor((to - grid.from) / width));
    for (let bucket = first; bucket <= last; bucket += 1) values[bucket] = figure;
  }
  return values;
}

/** All that is known of it: from the first figure until it was seen last, or was resolved. */
export function figureWindow({ finding, figures }: FindingDetail): Window | undefined {
  const first = figures[0];
  if (!first || figures.every(({ figure }) => figure === null)) return undefined;
  const end = Math.ceil(Date.parse(finding.resolved_at ?? finding.last_seen_at) / MINUTE_MS) * MINUTE_MS;
  const from = Math.floor(Date.parse(first.at) / MINUTE_MS) * MINUTE_MS;
  return { from: Math.min(from, end - SHORTEST_MS), to: Math.max(end, from + MINUTE_MS) };
}
