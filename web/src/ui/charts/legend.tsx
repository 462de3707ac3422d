// The lines of a chart by name, each with its value at the moment that is pointed at, else the newest one.
import { spanText } from '../../lib/zone.ts';
import { Unknown } from '../unknown.tsx';
import classes from './chart.module.css';
import { useChartPage } from './chart-page.tsx';
import { lookOfSeries } from './looks.ts';
import { bucketAt, bucketSpan, type ChartSeries, type Level } from './series.ts';
import { formatValue } from './values.ts';

export interface LegendProps {
  series: readonly ChartSeries[];
  /** As they are drawn. */
  lines: readonly ChartSeries[];
  unit: string;
  bucket: number | undefined;
  isPointed: boolean;
  level?: Level | undefined;
  /** Whether it stands in the chart, not above it. */
  hasLevel?: boolean;
}

export function Legend({ series, lines, unit, bucket, isPointed, level, hasLevel = false }: LegendProps) {
  const { grid, zone, events } = useChartPage();
  const there = isPointed ? events.filter(({ at }) => bucketAt(grid, at) === bucket) : [];
  return (
    <figcaption className={classes.legend}>
      <p className={classes.moment}>
        {bucket === undefined
          ? 'Nothing measured'
          : `${isPointed ? 'Of' : 'Newest, of'} ${spanText(...bucketSpan(grid, bucket), zone)}`}
        {there.map(({ id, title }) => (
          <strong key={id} className={classes.eventTitle}>
            {title}
          </strong>
        ))}
      </p>
      <ul className={classes.names}>
        {series.map((one, index) => {
          const { name, values, description } = one;
          const { colour, dash, isThin } = lookOfSeries(lines[index] ?? one, index);
          const value = bucket === undefined ? undefined : formatValue(values[bucket], unit);
          return (
            <li key={name} className={classes.name} title={description}>
              <svg width={26} height={8} aria-hidden="true">
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
              <code className={classes.code}>{name}</code>
              <span className={classes.value}>{value ?? <Unknown because="Not measured" />}</span>
            </li>
          );
        })}
        {level === undefined ? null : (
          <li className={classes.name}>
            <svg width={26} height={8} aria-hidden="true">
              <line className={classes.level} x1={1} x2={25} y1={4} y2={4} />
            </svg>
            <span className={classes.code}>
              {level.name}
              {hasLevel ? '' : ', far above this chart'}
            </span>
          </li>
        )}
      </ul>
    </figcaption>
  );
}
