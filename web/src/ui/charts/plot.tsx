// The drawn part of a chart: axes, lines, events, what is pointed at and what is being chosen. Said to nobody who listens:
// the values stand in the slider, the legend and the table.
import { memo } from 'react';
import type { Window } from '../../lib/time-window.ts';
import classes from './chart.module.css';
import type { ChartEvent } from './chart-page.tsx';
import { endLabels } from './end-labels.ts';
import { flagsOf } from './flags.ts';
import { lookOfSeries } from './looks.ts';
import { timeTicks, type ValueAxis } from './scales.ts';
import { bucketX, type ChartSeries, type Frame, type Level, linePath, xOf, yOf } from './series.ts';
import { areaPath, outline } from './stack.ts';
import { formatValue } from './values.ts';

/** Room for the figures of the axes, in pixels. */
export const MARGIN = { left: 62, right: 10, top: 22, bottom: 22 };
/** A strip has less of it above. */
export const STRIP_TOP = 12;
const LABEL_PX = 84;
/** A time of a moment is seen as well. */
const LEAST_SPAN_PX = 2;
/** What a letter of the words in a gap takes at most. */
const LETTER_PX = 6;

/** A time in which nothing was measured, and how that is said. */
export interface Gap extends Window {
  words: string;
}

export interface PlotProps {
  frame: Frame;
  axis: ValueAxis;
  unit: string;
  zone: string;
  series: readonly ChartSeries[];
  events: readonly ChartEvent[];
  /** Times that are marked behind the lines. */
  spans?: readonly Window[] | undefined;
  gaps?: readonly Gap[] | undefined;
  /** Room above it, for flags. */
  above: number;
  /** Where it is drawn. */
  level?: Level | undefined;
  /** A moment that was chosen. */
  chosen?: number | undefined;
}

/** Words whose line is nearer to a limit than this would be struck through. */
const CLEAR_PX = 12;

/** Says what it is on hover, and in itself where there is room. */
function GapMark({
  gap: { from, to, words },
  frame,
  level,
}: {
  gap: Gap;
  frame: Frame;
  level: Level | undefined;
}) {
  const [x, width] = [xOf(frame, from), xOf(frame, to) - xOf(frame, from)];
  const middle = frame.height / 2;
  // In a strip there is no room beneath the line.
  const beside = frame.height < 5 * CLEAR_PX ? CLEAR_PX : middle + 1.5 * CLEAR_PX;
  const isStruck = level !== undefined && Math.abs(yOf(frame, level.value) - middle) < CLEAR_PX;
  return (
    <g transform={`translate(${x} 0)`}>
      <title>{words}</title>
      <rect className={classes.gap} width={width} height={frame.height} />
      {width < words.length * LETTER_PX ? null : (
        <text className={classes.gapWords} x={width / 2} y={isStruck ? beside : middle} textAnchor="middle">
          {words}
        </text>
      )}
    </g>
  );
}

/** Drawn again only when what it shows has changed, not while somebody points. */
export const Plot = memo(function Plot(props: PlotProps) {
  const { frame, axis, unit, zone, series, events, spans = [], gaps = [], level, chosen, above } = props;
  const { grid, width, height } = frame;
  return (
    <>
      {axis.ticks.map((tick) => (
        <g key={tick} transform={`translate(0 ${yOf(frame, tick)})`}>
          <line className={classes.gridLine} x2={width} />
          <text className={classes.label} x={-8} dy="0.32em" textAnchor="end">
            {formatValue(tick, unit)}
          </text>
        </g>
      ))}
      {timeTicks(grid, zone, Math.max(2, Math.floor(width / LABEL_PX))).map(({ at, label }) => (
        <g key={at} transform={`translate(${xOf(frame, at)} ${height})`}>
          <line className={classes.tick} y2={4} />
          <text
            className={classes.label}
            y={17}
            textAnchor={xOf(frame, at) > width - 20 ? 'end' : xOf(frame, at) < 16 ? 'start' : 'middle'}
          >
            {label}
          </text>
        </g>
      ))}
      {gaps.map((gap) => (
        <GapMark key={gap.from} {...{ gap, frame, level }} />
      ))}
      {spans.map(({ from, to }) => (
        <rect
          key={`${from}-${to}`}
          className={classes.span}
          x={xOf(frame, from)}
          width={Math.max(LEAST_SPAN_PX, xOf(frame, to) - xOf(frame, from))}
          height={height}
        />
      ))}
      {flagsOf(events, frame).map(({ key, x, severity, titles }) => (
        <g key={key} className={classes.event} data-severity={severity} transform={`translate(${x} 0)`}>
          <title>{titles.join(', ')}</title>
          <line y1={-above + 2} y2={height} />
          <path d={`M0 ${-above + 1}h8l-2.5 4 2.5 4h-8z`} />
          {titles.length > 1 ? (
            <text className={classes.label} x={10} y={-above + 9}>
              {titles.length}
            </text>
          ) : null}
        </g>
      ))}
      {series.map((one, index) =>
        one.lower === undefined ? null : (
          <path
            key={one.name}
            className={classes.area}
            data-area={one.name}
            d={areaPath(one, frame)}
            fill={`var(${lookOfSeries(one, index).colour})`}
          />
        ),
      )}
      {level === undefined ? null : (
        <line
          className={classes.level}
          x2={width}
          y1={yOf(frame, level.value)}
          y2={yOf(frame, level.value)}
        />
      )}
      {chosen === undefined ? null : (
        <line className={classes.chosen} x1={xOf(frame, chosen)} x2={xOf(frame, chosen)} y2={height} />
      )}
      {series.map((one, index) => {
        const { name } = one;
        const { colour, dash, isThin } = lookOfSeries(one, index);
        return (
          <path
            key={name}
            className={classes.line}
            data-thin={isThin || undefined}
            data-name={name}
            d={linePath(outline(one), frame)}
            stroke={`var(${colour})`}
            strokeDasharray={dash}
          />
        );
      })}
      {endLabels(series, frame).map(({ name, text, x, y, anchor }) => (
        <text key={name} className={classes.endLabel} x={x} y={y} textAnchor={anchor}>
          {text}
        </text>
      ))}
    </>
  );
});

/** The line through all charts of the page, with a dot on each value. */
export function Crosshair({
  frame,
  bucket,
  series,
}: {
  frame: Frame;
  bucket: number;
  series: readonly ChartSeries[];
}) {
  const x = bucketX(frame, bucket);
  return (
    <g>
      <line className={classes.crosshair} x1={x} x2={x} y2={frame.height} />
      {series.map((one, index) => {
        const { name, values, comparedTo } = one;
        const value = values[bucket] ?? null;
        return value === null ? null : (
          <circle
            key={name}
            className={classes.dot}
            cx={x}
            cy={yOf(frame, value)}
            r={comparedTo === undefined ? 3.5 : 2.5}
            stroke={`var(${lookOfSeries(one, index).colour})`}
          />
        );
      })}
    </g>
  );
}
