// A chart as a picture to hand on: drawn from the same axes and lines, in the colours of the screen.
import { momentText } from '../../lib/zone.ts';
import { lookOfSeries } from './looks.ts';
import { timeTicks, valueAxis } from './scales.ts';
import {
  type ChartSeries,
  type Frame,
  type Grid,
  type Level,
  labelOf,
  largestOf,
  linePath,
  xOf,
  yOf,
} from './series.ts';
import { areaPath, outline } from './stack.ts';
import { formatValue } from './values.ts';

export interface Pictured {
  title: string;
  unit: string;
  series: readonly ChartSeries[];
  grid: Grid;
  zone: string;
  level?: Level | undefined;
}

const topOf = ({ series, unit, level }: Pictured) =>
  valueAxis(Math.max(largestOf(series), level?.value ?? 0), unit);

const WIDTH = 960;
const PLOT_HEIGHT = 320;
const LEFT = 84;
const TOP = 64;
const LINE = 22;
const SCALE = 2;

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = 'ui-sans-serif, system-ui, sans-serif';

function drawAxes(context: CanvasRenderingContext2D, frame: Frame, pictured: Pictured): void {
  const { unit, zone } = pictured;
  context.font = `12px ${FONT}`;
  context.lineWidth = 1;
  context.fillStyle = colourOf('--ink-dim');
  context.strokeStyle = colourOf('--line');
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const tick of topOf(pictured).ticks) {
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
  for (const [index, one] of series.entries()) {
    const { colour, dash, isThin } = lookOfSeries(one, index);
    const y = frame.height + 46 + index * LINE;
    context.strokeStyle = colourOf(colour);
    context.lineWidth = isThin ? 1 : 2;
    context.setLineDash(dash?.split(' ').map(Number) ?? []);
    if (one.lower) {
      context.fillStyle = colourOf(colour);
      context.globalAlpha = 0.72;
      context.fill(new Path2D(areaPath(one, frame)));
      context.globalAlpha = 1;
    }
    context.stroke(new Path2D(linePath(outline(one), frame)));
    context.stroke(new Path2D(`M0 ${y}H32`));
    context.fillStyle = colourOf('--ink');
    context.fillText(labelOf(one), 42, y);
  }
}

function drawLevel(context: CanvasRenderingContext2D, frame: Frame, { level }: Pictured): void {
  if (!level) return;
  const y = yOf(frame, level.value);
  context.strokeStyle = colourOf('--ink');
  context.setLineDash([6, 3]);
  context.stroke(new Path2D(`M0 ${y}H${frame.width}`));
  context.setLineDash([]);
  context.fillStyle = colourOf('--ink');
  context.fillText(level.name, 8, y - 8);
}

/** Undefined where the browser draws no pictures. */
export async function pictureOf(pictured: Pictured): Promise<Blob | undefined> {
  const { title, grid, zone, series } = pictured;
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
  const { top } = topOf(pictured);
  const frame = { grid, top, width: WIDTH - LEFT - 24, height: PLOT_HEIGHT };
  drawAxes(context, frame, pictured);
  drawSeries(context, frame, series);
  drawLevel(context, frame, pictured);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  return blob ?? undefined;
}
