// The lines of a chart by name, as a table: each with its value at the moment that is pointed at, else the newest one, and with
// the least, mean and largest of the window. A click shows one line alone, with Shift one more.
import type { ReactNode } from 'react';
import { shortSpanText, spanText } from '../../lib/zone.ts';
import { Unknown } from '../unknown.tsx';
import classes from './chart.module.css';
import { useChartPage } from './chart-page.tsx';
import { lookOfSeries } from './looks.ts';
import { bucketAt, bucketSpan, type ChartSeries, type Level, labelOf, summaryOf } from './series.ts';
import { formatValue } from './values.ts';

export interface LegendProps {
  title: string;
  series: readonly ChartSeries[];
  /** As they are drawn. */
  lines: readonly ChartSeries[];
  unit: string;
  bucket: number | undefined;
  isPointed: boolean;
  level?: Level | undefined;
  /** Whether it stands in the chart, not above it. */
  hasLevel?: boolean;
  /** Names of the lines that are shown alone; none: all are shown. */
  only: readonly string[];
  onOnly: (name: string, isMore: boolean) => void;
  /** Buttons before its first line. */
  tools: ReactNode;
}

export function Swatch({ line, index }: { line: ChartSeries; index: number }) {
  const { colour, dash, isThin } = lookOfSeries(line, index);
  return (
    <svg className={classes.swatch} width={26} height={8} aria-hidden="true">
      <line
        className={classes.line}
        data-thin={isThin || undefined}
        x1={1}
        x2={25}
        y1={4}
        y2={4}
        stroke={`var(${colour})`}
        strokeDasharray={dash}
      />
    </svg>
  );
}

type RowProps = Pick<LegendProps, 'unit' | 'bucket' | 'only' | 'onOnly'> & {
  one: ChartSeries;
  line: ChartSeries;
  index: number;
};

function Row({ one, line, index, unit, bucket, only, onOnly }: RowProps) {
  const { name, values, description } = one;
  const label = labelOf(one);
  const { least, mean, largest } = summaryOf(values);
  const value = bucket === undefined ? undefined : formatValue(values[bucket], unit);
  const meaning = [label === name ? undefined : name, description].filter(Boolean).join(': ');
  return (
    <tr data-faint={(only.length > 0 && !only.includes(name)) || undefined}>
      <th scope="row">
        <button
          type="button"
          className={classes.pick}
          aria-pressed={only.includes(name)}
          title={meaning || undefined}
          onClick={(event) => onOnly(name, event.shiftKey)}
        >
          <Swatch line={line} index={index} />
          <span className={classes.code}>{label}</span>
        </button>
      </th>
      <td className={classes.value}>{value ?? <Unknown because="Not measured" />}</td>
      <td data-needs="room">{formatValue(least, unit) ?? <Unknown because="Not measured" />}</td>
      <td data-needs="room">{formatValue(mean, unit) ?? <Unknown because="Not measured" />}</td>
      <td>{formatValue(largest, unit) ?? <Unknown because="Not measured" />}</td>
    </tr>
  );
}

function LevelRow({ level, hasLevel, unit }: { level: Level; hasLevel: boolean; unit: string }) {
  return (
    <tr>
      <th scope="row">
        <span className={classes.pick}>
          <svg className={classes.swatch} width={26} height={8} aria-hidden="true">
            <line className={classes.level} x1={1} x2={25} y1={4} y2={4} />
          </svg>
          <span className={classes.code}>
            {level.name}
            {hasLevel ? '' : ', far above this chart'}
          </span>
        </span>
      </th>
      <td />
      <td data-needs="room" />
      <td data-needs="room" />
      <td>{formatValue(level.value, unit)}</td>
    </tr>
  );
}

export function Legend(props: LegendProps) {
  const {
    title,
    series,
    lines,
    unit,
    bucket,
    isPointed,
    level,
    hasLevel = false,
    only,
    onOnly,
    tools,
  } = props;
  const { grid, zone, events } = useChartPage();
  const span = bucket === undefined ? undefined : bucketSpan(grid, bucket);
  const there = isPointed ? events.filter(({ at }) => bucketAt(grid, at) === bucket) : [];
  return (
    <figcaption className={classes.legend}>
      <div className={classes.tools}>{tools}</div>
      <table className={classes.summary} aria-label={`${title}: values`}>
        <thead>
          <tr>
            <th scope="col" title={span && spanText(...span, zone)}>
              <span className={classes.moment}>
                {span ? shortSpanText(...span, zone) : 'Nothing measured'}
              </span>
              {there.map(({ id, title: what }) => (
                <strong key={id} className={classes.eventTitle}>
                  {what}
                </strong>
              ))}
            </th>
            <th scope="col">{isPointed ? 'Then' : 'Newest'}</th>
            <th scope="col" data-needs="room">
              Min
            </th>
            <th scope="col" data-needs="room">
              Mean
            </th>
            <th scope="col">Max</th>
          </tr>
        </thead>
        <tbody>
          {series.map((one, index) => (
            <Row key={one.name} {...{ one, index, unit, bucket, only, onOnly }} line={lines[index] ?? one} />
          ))}
          {level === undefined ? null : <LevelRow {...{ level, hasLevel, unit }} />}
        </tbody>
      </table>
    </figcaption>
  );
}
