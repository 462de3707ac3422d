// The last 24 hours of a server as a strip: a bar of its load for each hour, against its processors where they are known, and
// a mark under each hour in which it could not be read. Guards: what was not measured has no bar; marks differ in their
// shape; all of it is said in words to whoever does not see it.
import { countOf } from '../../lib/format.ts';
import classes from './history-strip.module.css';
import type { ServerHistory } from './history-words.ts';
import { formatLoad, loadTop } from './history-words.ts';

const CELL = 2;
const STEP = 3;
const BARS = 16;
const HEIGHT = 22;

function wordsOf({ strip, load }: ServerHistory): string {
  const known = strip.load.filter((one) => one !== null);
  const hours = (status: string) => strip.worst_status.filter((one) => one === status).length;
  if (known.length === 0) return 'Nothing is known of the last 24 hours';
  const most = known.reduce((largest, one) => Math.max(largest, one), 0);
  const of = load.processors === null ? '' : ` of ${countOf(load.processors, 'processor')}`;
  const [offline, warning] = [hours('offline'), hours('warning')];
  return [
    `${countOf(known.length, 'hour')} known, load at most ${formatLoad(most)}${of}`,
    ...(offline > 0 ? [`not readable in ${countOf(offline, 'hour')}`] : []),
    ...(warning > 0 ? [`not readable for a moment in ${countOf(warning, 'hour')}`] : []),
  ].join('; ');
}

export function HistoryStrip({ server }: { server: ServerHistory }) {
  const top = loadTop(server);
  const { load, worst_status } = server.strip;
  const words = wordsOf(server);
  return (
    <svg className={classes.strip} width={load.length * STEP} height={HEIGHT} role="img" aria-label={words}>
      <title>{words}</title>
      {load.map((value, hour) => {
        const x = hour * STEP;
        const status = worst_status[hour] ?? null;
        const height = value === null ? 0 : Math.max(1, Math.min(1, value / top) * BARS);
        return (
          // Hours have no name but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: the strip never changes its order
          <g key={hour}>
            {value === null ? (
              <rect className={classes.unknown} x={x} y={BARS - 1} width={CELL} height={1} />
            ) : (
              <rect
                className={classes.load}
                data-over={value > top || undefined}
                x={x}
                y={BARS - height}
                width={CELL}
                height={height}
              />
            )}
            {status === 'offline' ? (
              <rect className={classes.offline} x={x} y={BARS + 2} width={CELL} height={4} />
            ) : null}
            {status === 'warning' ? (
              <circle className={classes.warning} cx={x + CELL / 2} cy={BARS + 4} r={1.5} />
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
