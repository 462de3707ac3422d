// The last 24 hours of a server as a strip: a bar of its load for each hour, against its processors where they are known, and
// a mark under each hour in which it could not be read. Guards: what was not measured has no bar; marks differ in their
// shape; all of it is said in words to whoever does not see it.
import { countOf } from '../../../lib/format.ts';
import classes from './history-strip.module.css';
import { formatLoad, loadTop, type ServerHistory } from './history-words.ts';

const CELL = 2;
const STEP = 3;
const BARS = 16;
const HEIGHT = 22;

function wordsOf({ strip, load }: ServerHistory): string {
  const known = strip.load.filter((one) => one !== null);
  const hours = (status: string) => strip.worst_status.filter((one) => one === status).length;
  if (known.length === 0) return 'Nothing is known of the last 24 hours';
  const most = known.reduce((largest, one) => Math.max(largest, one), 0);
  const of = load.processors === null ? '' : ` of ${countOf(load.processors, 'CPU')}`;
  const [offline, warning] = [hours('offline'), hours('warning')];
  return [
    `${countOf(known.length, 'hour')} known, load at most ${formatLoad(most)}${of}`,
    ...(offline > 0 ? [`not readable in ${countOf(offline, 'hour')}`] : []),
    ...(warning > 0 ? [`not readable for a moment in ${countOf(warning, 'hour')}`] : []),
  ].join('; ');
}

const bar = (hour: number, { y, height }: { y: number; height: number }) =>
  `M${hour * STEP} ${y}h${CELL}v${height}h-${CELL}z`;

/** A path for all bars of a kind: a thousand rows of 24 elements each would make scrolling slow. */
function pathsOf(server: ServerHistory) {
  const top = loadTop(server);
  const paths = { load: '', over: '', unknown: '', offline: '' };
  for (const [hour, value] of server.strip.load.entries()) {
    if (value === null) paths.unknown += bar(hour, { y: BARS - 1, height: 1 });
    else {
      const height = Math.max(1, Math.round(Math.min(1, value / top) * BARS));
      paths[value > top ? 'over' : 'load'] += bar(hour, { y: BARS - height, height });
    }
    if (server.strip.worst_status[hour] === 'offline') paths.offline += bar(hour, { y: BARS + 2, height: 4 });
  }
  return paths;
}

export function HistoryStrip({ server }: { server: ServerHistory }) {
  const { load, worst_status } = server.strip;
  const words = wordsOf(server);
  const paths = pathsOf(server);
  const unsteady = worst_status.flatMap((status, hour) => (status === 'warning' ? [hour] : []));
  return (
    <svg className={classes.strip} width={load.length * STEP} height={HEIGHT} role="img" aria-label={words}>
      <title>{words}</title>
      {paths.unknown === '' ? null : <path className={classes.unknown} d={paths.unknown} />}
      {paths.load === '' ? null : <path className={classes.load} d={paths.load} />}
      {paths.over === '' ? null : <path className={classes.load} data-over d={paths.over} />}
      {paths.offline === '' ? null : <path className={classes.offline} d={paths.offline} />}
      {unsteady.map((hour) => (
        <circle key={hour} className={classes.warning} cx={hour * STEP + CELL / 2} cy={BARS + 4} r={1.5} />
      ))}
    </svg>
  );
}
