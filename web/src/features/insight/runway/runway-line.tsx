// The last thirty days of what runs out, and where it goes in the next thirty: the band between the fastest and the slowest that
// the days allow, up to the limit. Guards: it is decoration; the row says the same in words.
import { Sparkline } from '../../../ui/charts/sparkline.tsx';
import classes from './runway.module.css';
import type { RunwayItem } from './runway-words.ts';

const WIDTH = 72;
const HEIGHT = 20;
const AHEAD_MS = 30 * 86_400_000;

/** Where a line to the limit at that time has come after the days ahead: share of the way across and up. */
function endOf(at: number): readonly [x: number, y: number] {
  const share = at / AHEAD_MS;
  return share >= 1 ? [1, 1 / share] : [Math.max(0, share), 1];
}

export function RunwayLine({ item, nowSeconds }: { item: RunwayItem; nowSeconds: number }) {
  const { days, earliest_at, latest_at, state } = item;
  const ahead = (iso: string | null) =>
    iso === null ? Number.POSITIVE_INFINITY : Math.max(0, Date.parse(iso) - nowSeconds * 1000);
  const point = ([x, y]: readonly [number, number]) => `${x * WIDTH},${HEIGHT - 2 - y * (HEIGHT - 4)}`;
  const [fast, slow] = [endOf(ahead(earliest_at)), endOf(ahead(latest_at))];
  const corner = fast[1] === 1 && slow[0] === 1 ? ` ${point([1, 1])}` : '';
  return (
    <span className={classes.line}>
      <Sparkline values={days} />
      {state === 'runs_out' ? (
        <svg className={classes.band} width={WIDTH} height={HEIGHT} aria-hidden="true">
          <polygon points={`${point([0, 0])} ${point(fast)}${corner} ${point(slow)}`} />
        </svg>
      ) : null}
    </span>
  );
}
