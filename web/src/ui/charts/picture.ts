// A chart as a picture to hand on: drawn from the same axes and lines, in the colours of the screen.
import { momentText } from '../../lib/zone.ts';
import { lookOf } from './looks.ts';
import { timeTicks, valueAxis } from './scales.ts';
import { type ChartSeries, type Frame, type Grid, largestOf, linePath, xOf, yOf } from './series.ts';
import { formatValue } from './values.ts';

export interface Pictured {
  title: string;
  unit: string;
  series: readonly ChartSeries[];
  grid: Grid;
  zone: string;
}

const WIDTH = 960;
const PLOT_HEIGHT = 320;
const LEFT = 84;
const TOP = 64;
const LINE = 22;
const SCALE = 2;

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = 'ui-sans-serif, system-ui, sans-serif';

function drawAxes(context: CanvasRenderingContext2D, frame: Frame, { unit, zone, series }: Pictured): void {
  context.font = `12px ${FONT}`;
  context.lineWidth = 1;
  context.fillStyle = colourOf('--ink-dim');
  context.strokeStyle = colourOf('--line');
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const tick of valueAxis(largestOf(series), unit).ticks) {
    const y = yOf(frame, tick);
    context.strokeRect(0, y, frame.width, 0);
    context.fillText(formatValue(tick, unit) ?? '', -10, y);
  }
  context.textAlign = 'center';
  for (const { at, label } of timeTicks(frame.grid, zone, 9))
    context.fillText(label, xOf(frame, at), frame.height + 16);
}

function drawSeries(context: CanvasRenderingContext2D, frame: Frame, series: readonly ChartSeries[]): void {
  context.textAlign = 'left';
  for (const [index, { name, values }] of series.entries()) {
    const { colour, dash } = lookOf(index);
    const y = frame.height + 46 + index * LINE;
    context.strokeStyle = colourOf(colour);
    context.lineWidth = 2;
    context.setLineDash(dash?.split(' ').map(Number) ?? []);
    context.stroke(new Path2D(linePath(values, frame)));
    context.stroke(new Path2D(`M0 ${y}H32`));
    context.fillStyle = colourOf('--ink');
    context.fillText(name, 42, y);
  }
}

/** Undefined where the browser draws no pictures. */
export async function pictureOf(pictured: Pictured): Promise<Blob | undefined> {
  const { title, grid, zone, series, unit } = pictured;
  const height = TOP + PLOT_HEIGHT + 46 + series.length * LINE + 8;
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH * SCALE;
  canvas.height = height * SCALE;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(SCALE, SCALE);
  context.fillStyle = colourOf('--surface');
  context.fillRect(0, 0, WIDTH, height);
  context.fillStyle = colourOf('--ink');
  context.font = `600 16px ${FONT}`;
  context.fillText(title, 18, 28);
  context.font = `12px ${FONT}`;
  context.fillText(`${momentText(grid.from, zone)} – ${momentText(grid.to, zone)}, ${zone}`, 18, 48);
  context.translate(LEFT, TOP);
  const { top } = valueAxis(largestOf(series), unit);
  const frame = { grid, top, width: WIDTH - LEFT - 24, height: PLOT_HEIGHT };
  drawAxes(context, frame, pictured);
  drawSeries(context, frame, series);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  return blob ?? undefined;
}
