// Events of a chart as flags: those that would stand on each other are one flag with their count. Pure. Guards: the gravest of them
// decides its colour.
import type { ChartEvent } from './chart-page.tsx';
import { bucketAt, type Frame, type Grid, xOf } from './series.ts';

export interface Flag {
  key: string;
  x: number;
  severity: ChartEvent['severity'];
  titles: string[];
}

/** Nearer ones cannot be told apart; a count beside a flag needs its room too. */
const LEAST_APART_PX = 12;
const COUNT_PX = 10;
const GRAVITY = ['info', 'warning', 'critical'] as const;

const graver = (a: ChartEvent['severity'], b: ChartEvent['severity']) =>
  GRAVITY.findLast((one) => one === a || one === b);

/** Those of a time that the chart shows. */
export const eventsIn = (events: readonly ChartEvent[], grid: Grid): ChartEvent[] =>
  events.filter(({ at }) => bucketAt(grid, at) !== undefined);

export function flagsOf(events: readonly ChartEvent[], frame: Frame): Flag[] {
  const flags: Flag[] = [];
  for (const { id, at, title, severity } of events.toSorted((a, b) => a.at - b.at)) {
    const x = xOf(frame, at);
    const last = flags.at(-1);
    if (last && x - last.x < LEAST_APART_PX + (last.titles.length > 1 ? COUNT_PX : 0)) {
      last.titles.push(title);
      last.severity = graver(last.severity, severity);
    } else flags.push({ key: id, x, severity, titles: [title] });
  }
  return flags;
}
