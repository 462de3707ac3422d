// A small line beside a figure: its course from the least to the largest value. Guards: gaps are gaps; a change of a hundredth is no
// cliff; what it says stands beside it in words, so nobody has to see it.
import classes from './chart.module.css';
import { linePath } from './series.ts';

const WIDTH = 72;
const HEIGHT = 20;
const EDGE = 2;
/** What changed by less than this part of the figure runs through the middle. */
const LEAST_SHARE = 0.02;

export interface SparklineProps {
  /** One for each bucket; null: nobody measured. */
  values: readonly (number | null)[];
}

export function Sparkline({ values }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const least = known.reduce((most, one) => Math.min(most, one), Number.POSITIVE_INFINITY);
  const largest = known.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  const range = largest - least;
  const most = Math.max(range, LEAST_SHARE * Math.max(Math.abs(least), Math.abs(largest))) || 2;
  const shifted = values.map((value) => (value === null ? null : value - least + (most - range) / 2));
  const frame = {
    grid: { from: 0, to: 1, buckets: Math.max(1, values.length) },
    top: most,
    width: WIDTH - 2 * EDGE,
    height: HEIGHT - 2 * EDGE,
  };
  return (
    <svg className={classes.sparkline} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path
        className={classes.line}
        transform={`translate(${EDGE} ${EDGE})`}
        d={known.length === 0 ? '' : linePath(shifted, frame)}
        stroke="var(--series-1)"
      />
    </svg>
  );
}
