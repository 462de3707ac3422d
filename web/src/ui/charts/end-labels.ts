// Names of lines and areas beside their ends, for charts of a few. Pure. Guards: no two names cover one another, and none is
// cut: what has no room, or ends beside another line, is left to the legend.
import { bucketX, type ChartSeries, type Frame, labelOf, yOf } from './series.ts';

const MOST = 5;
/** Narrower plots have room for lines alone. */
const LEAST_WIDTH_PX = 160;
const LINE_PX = 12;
/** Of a letter on average, rather too wide. */
const LETTER_PX = 6.5;
const ABOVE_PX = 5;
/** Beside another end it would not be clear whose name it is. */
const BESIDE_PX = LINE_PX + ABOVE_PX;

interface EndLabel {
  name: string;
  text: string;
  x: number;
  y: number;
  anchor: 'start' | 'end';
}

function lastOf({ values }: ChartSeries): number | undefined {
  const last = values.findLastIndex((value) => value !== null && value !== undefined);
  return last === -1 ? undefined : last;
}

/** In the middle of an area; else above the end of the line, or below it at the top of the plot. Undefined: the area is too low. */
function heightOf(one: ChartSeries, last: number, frame: Frame): number | undefined {
  const top = yOf(frame, one.values[last] ?? 0);
  if (one.lower === undefined) return top < LINE_PX + ABOVE_PX ? top + LINE_PX + 2 : top - ABOVE_PX;
  const bottom = yOf(frame, one.lower[last] ?? 0);
  return bottom - top < LINE_PX + 2 ? undefined : (top + bottom) / 2 + 4;
}

function labelAt(one: ChartSeries, frame: Frame): EndLabel[] {
  const last = lastOf(one);
  const y = last === undefined ? undefined : heightOf(one, last, frame);
  if (last === undefined || y === undefined) return [];
  const text = labelOf(one);
  const end = bucketX(frame, last);
  const anchor = end > frame.width / 2 ? 'end' : 'start';
  const room = anchor === 'end' ? end : frame.width - end;
  return room < text.length * LETTER_PX + 8 ? [] : [{ name: one.name, text, y, anchor, x: end }];
}

/** A line that ends beside this one. */
function isBeside(one: ChartSeries, other: ChartSeries, frame: Frame): boolean {
  if (one === other || one.lower !== undefined || other.lower !== undefined) return false;
  const [end, otherEnd] = [one, other].map(({ values }) =>
    yOf(frame, values.findLast((value) => value !== null) ?? 0),
  );
  return Math.abs((end ?? 0) - (otherEnd ?? 0)) < BESIDE_PX;
}

/** Of the window that is shown; the largest first have room. None for a single line, whose name is the title. */
export function endLabels(series: readonly ChartSeries[], frame: Frame): EndLabel[] {
  const own = series.filter((one) => one.comparedTo === undefined && lastOf(one) !== undefined);
  if (own.length < 2 || own.length > MOST || frame.width < LEAST_WIDTH_PX) return [];
  const placed: EndLabel[] = [];
  const clear = own.filter((one) => !own.some((other) => isBeside(one, other, frame)));
  for (const label of clear.flatMap((one) => labelAt(one, frame)).sort((a, b) => a.y - b.y))
    if (placed.every(({ y }) => Math.abs(y - label.y) >= LINE_PX)) placed.push(label);
  return placed;
}
