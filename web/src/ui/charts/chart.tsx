// A chart of one window: lines over time, a legend with the values of the moment that is pointed at, and the same
// numbers as a table. Guards: everything that a pointer does can be done with keys; missing data is said in words.
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useRef, useState } from 'react';
import { drawnWindow, SHORTEST_MS, type Window } from '../../lib/time-window.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/units.ts';
import { hourText, momentText, spanText } from '../../lib/zone.ts';
import type { AboutQuestion } from '../ask-about.ts';
import { ExplainButton } from '../explain-button.tsx';
import classes from './chart.module.css';
import { aboutChart } from './chart-about.ts';
import { ChartNumbers, NumbersButton } from './chart-numbers.tsx';
import { type ChartEvent, useChartPage } from './chart-page.tsx';
import { eventsIn } from './flags.ts';
import { Legend, type LegendProps } from './legend.tsx';
import { Crosshair, type Gap, MARGIN, Plot, STRIP_TOP } from './plot.tsx';
import { valueAxis } from './scales.ts';
import {
  beforeFirst,
  bucketAt,
  bucketSpan,
  bucketStart,
  bucketWidth,
  type ChartSeries,
  type Frame,
  type Grid,
  gapsOf,
  type Level,
  labelOf,
  largestOf,
  missingWords,
  newestBucket,
  ofWindow,
  shownAlone,
  xOf,
} from './series.ts';
import { isDrawn, stacked } from './stack.ts';
import { type Picks, usePicks } from './use-picks.ts';
import { useWidth } from './use-width.ts';
import { formatValue, unitWords } from './values.ts';

const [HEIGHT, LOW_HEIGHT, STRIP_HEIGHT] = [200, 120, 68];
/** On a narrow page it would hide what follows. */
const TALL = { height: 320, leastWidth: 560 };
/** Less is a click, not a choice. */
const LEAST_DRAWN_PX = 6;

const STEPS: Readonly<Record<string, (bucket: number, buckets: number) => number>> = {
  ArrowLeft: (bucket) => bucket - 1,
  ArrowDown: (bucket) => bucket - 1,
  ArrowRight: (bucket) => bucket + 1,
  ArrowUp: (bucket) => bucket + 1,
  PageUp: (bucket) => bucket + 10,
  PageDown: (bucket) => bucket - 10,
  Home: () => 0,
  End: (_bucket, buckets) => buckets - 1,
};

/** Two moments between which somebody is choosing. */
interface Choice {
  one: number;
  other: number;
}

export interface ChartProps {
  title: string;
  unit: string;
  series: readonly ChartSeries[];
  /** As areas on top of each other. */
  isStacked?: boolean;
  level?: Level | undefined;
  /** Lower than others, above a list that is the answer. */
  isLow?: boolean;
  isTall?: boolean;
  /** Low, and without its legend: to choose a moment in. */
  isStrip?: boolean;
  /** Times that are marked behind the lines; whoever marks them says them in words. */
  spans?: readonly Window[];
  /** What is marked in this chart alone. */
  flags?: readonly ChartEvent[] | undefined;
  /** Which lines are shown alone, where something else on the page chooses as well. */
  picks?: Picks | undefined;
}

function heightOf({ isLow, isStrip, isTall }: ChartProps, width: number): number {
  if (isStrip || isLow) return isStrip ? STRIP_HEIGHT : LOW_HEIGHT;
  return isTall && width >= TALL.leastWidth ? TALL.height : HEIGHT;
}

/** What pointers and keys do on a chart: point at a moment, choose a window. */
function usePointing(frame: Frame, start: number) {
  const { grid, moment, point, onWindow, onMoment } = useChartPage();
  const [choice, setChoice] = useState<Choice>();
  const pressed = useRef<number>(undefined);
  const middleOf = (bucket: number) => bucketStart(grid, bucket) + bucketWidth(grid) / 2;
  const momentAt = (event: PointerEvent<Element>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left - MARGIN.left) / frame.width;
    return grid.from + Math.min(1, Math.max(0, share)) * (grid.to - grid.from);
  };
  const choose = ({ one, other }: Choice) => {
    setChoice(undefined);
    point(undefined);
    if (grid.to - grid.from > SHORTEST_MS) onWindow(drawnWindow(one, other, grid));
  };
  const pointer = {
    onPointerDown: (event: PointerEvent<Element>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      pressed.current = momentAt(event);
    },
    onPointerMove: (event: PointerEvent<Element>) => {
      const here = momentAt(event);
      point(here);
      if (pressed.current !== undefined) setChoice({ one: pressed.current, other: here });
    },
    onPointerUp: (event: PointerEvent<Element>) => {
      const one = pressed.current;
      pressed.current = undefined;
      const other = momentAt(event);
      if (one === undefined) return;
      if (Math.abs(xOf(frame, other) - xOf(frame, one)) < LEAST_DRAWN_PX) {
        setChoice(undefined);
        onMoment?.(other);
      } else choose({ one, other });
    },
    onPointerCancel: () => {
      pressed.current = undefined;
      setChoice(undefined);
    },
    onPointerLeave: () => {
      if (pressed.current === undefined) point(undefined);
    },
  };
  const here = moment === undefined ? undefined : bucketAt(grid, moment);
  const walkTo = (bucket: number) => point(middleOf(Math.min(grid.buckets - 1, Math.max(0, bucket))));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    if (step) {
      event.preventDefault();
      const from = here ?? start;
      const isFirst = here === undefined && event.key.startsWith('Arrow');
      const to = Math.min(grid.buckets - 1, Math.max(0, isFirst ? start : step(from, grid.buckets)));
      walkTo(to);
      setChoice(event.shiftKey ? { one: choice?.one ?? middleOf(from), other: middleOf(to) } : undefined);
    } else if (event.key === 'Enter' && choice) choose(choice);
    else if (event.key === 'Enter' && moment !== undefined) onMoment?.(moment);
    else if (event.key === 'Escape') {
      setChoice(undefined);
      point(undefined);
    }
  };
  return { choice, here, pointer, onKeyDown, walkTo };
}

/** Where nothing was measured, for the drawing, and in words for those who hear the page. */
function gapsIn(series: readonly ChartSeries[], grid: Grid, zone: string) {
  const isLong = grid.to - grid.from > DAY_MS;
  const moment = (at: number) =>
    isLong ? momentText(at, zone) : hourText(at, zone, bucketWidth(grid) < MINUTE_MS);
  const before = beforeFirst(series, grid);
  const gaps: Gap[] = gapsOf(series, grid).map((gap) => ({
    ...gap,
    words: `Not measured from ${moment(gap.from)} to ${moment(gap.to)}`,
  }));
  if (before) gaps.unshift({ ...before, words: `Not measured before ${moment(before.to)}` });
  return { gaps, missing: missingWords(series, grid, moment) };
}

const HOW = 'Shift with arrow keys chooses a time, Enter shows it';
const HOW_MOMENTS = 'Enter shows the state of this moment. Shift with arrow keys chooses a time';

interface BeneathProps extends Omit<LegendProps, 'hasLevel' | 'tools'> {
  /** The level where it is drawn. */
  across: Level | undefined;
  question: () => AboutQuestion;
}

function Beneath({ across, question, ...legend }: BeneathProps) {
  const { title, unit, series, lines } = legend;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const tools = (
    <>
      <NumbersButton title={title} opens={id} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
      <ExplainButton what={title} question={question} />
    </>
  );
  return (
    <>
      <Legend {...legend} hasLevel={across !== undefined} tools={tools} />
      {isOpen ? <ChartNumbers {...{ id, title, unit, series, lines }} level={across} /> : null}
    </>
  );
}

export function Chart(props: ChartProps) {
  const { title, unit, series, isStacked = false, isStrip = false, level, spans, picks, flags } = props;
  const { grid, zone, events, chosen, onMoment } = useChartPage();
  const surface = useRef<HTMLDivElement>(null);
  const width = useWidth(surface);
  const fullHeight = heightOf(props, width);
  const above = isStrip ? STRIP_TOP : MARGIN.top;
  const own = usePicks(useMemo(() => series.map(({ name }) => name), [series]));
  const { only, onOnly } = picks ?? own;
  const lines = useMemo(() => {
    const alone = shownAlone(series, only);
    return isStacked ? stacked(alone) : alone;
  }, [series, only, isStacked]);
  const largest = largestOf(lines);
  const across = level && isDrawn(level, largest) ? level : undefined;
  const axis = useMemo(
    () => valueAxis(Math.max(largest, across?.value ?? 0), unit, fullHeight < HEIGHT ? 2 : 4),
    [largest, across, unit, fullHeight],
  );
  const frame = useMemo<Frame>(
    () => ({
      grid,
      top: axis.top,
      width: Math.max(60, width - MARGIN.left - MARGIN.right),
      height: fullHeight - above - MARGIN.bottom,
    }),
    [grid, axis, width, fullHeight, above],
  );
  const shown = useMemo(() => eventsIn([...events, ...(flags ?? [])], grid), [events, flags, grid]);
  const shownWindow = useMemo(() => ofWindow(series), [series]);
  const newest = newestBucket(shownWindow, grid);
  const { choice, here, pointer, onKeyDown, walkTo } = usePointing(frame, newest ?? grid.buckets - 1);
  const bucket = here ?? newest;
  const said =
    bucket === undefined
      ? 'Nothing measured'
      : [
          spanText(...bucketSpan(grid, bucket), zone),
          ...series.map(
            (one) => `${labelOf(one)} ${formatValue(one.values[bucket], unit) ?? 'not measured'}`,
          ),
          ...shown.filter(({ at }) => bucketAt(grid, at) === bucket).map((event) => event.title),
        ].join(', ');
  const { gaps, missing } = useMemo(() => gapsIn(shownWindow, grid, zone), [shownWindow, grid, zone]);
  const drawn = choice && [xOf(frame, choice.one), xOf(frame, choice.other)].sort((a, b) => a - b);
  return (
    <figure className={classes.chart} aria-label={title}>
      <div ref={surface} className={classes.surface} {...pointer}>
        <span className={classes.unit}>{unitWords(unit)}</span>
        <svg
          className={classes.plot}
          width={width}
          height={fullHeight}
          viewBox={`0 0 ${width} ${fullHeight}`}
          aria-hidden="true"
        >
          <g transform={`translate(${MARGIN.left} ${above})`}>
            <Plot
              frame={frame}
              above={above}
              axis={axis}
              unit={unit}
              zone={zone}
              series={lines}
              events={shown}
              spans={spans}
              gaps={gaps}
              level={across}
              chosen={chosen !== undefined && bucketAt(grid, chosen) !== undefined ? chosen : undefined}
            />
            {here === undefined ? null : <Crosshair frame={frame} bucket={here} series={lines} />}
            {drawn ? (
              <rect
                className={classes.choice}
                x={drawn[0]}
                width={(drawn[1] ?? 0) - (drawn[0] ?? 0)}
                height={frame.height}
              />
            ) : null}
          </g>
        </svg>
        <input
          type="range"
          className={classes.slider}
          aria-label={`${title}: moment. ${onMoment ? HOW_MOMENTS : HOW}`}
          aria-valuetext={said}
          min={0}
          max={grid.buckets - 1}
          value={bucket ?? 0}
          onChange={(event) => walkTo(Number(event.target.value))}
          onKeyDown={onKeyDown}
        />
      </div>
      {missing === undefined ? null : <p className="visually-hidden">{missing}</p>}
      {isStrip ? null : (
        <Beneath
          {...{ title, unit, series, lines, level, only, onOnly, bucket, across }}
          isPointed={here !== undefined}
          question={() => aboutChart({ title, unit, series, grid, events: shown, level })}
        />
      )}
    </figure>
  );
}
