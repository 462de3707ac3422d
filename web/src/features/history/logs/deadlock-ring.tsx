// A deadlock as a ring: who waits for whom, by which lock, and which side PostgreSQL ended; with the statement of each.
import { useId } from 'react';
import { CodeBlock } from '../../../ui/code-block.tsx';
import classes from './deadlock-ring.module.css';
import type { LogEvent } from './logs-words.ts';

type Sides = NonNullable<LogEvent['deadlock_sides']>;
type Side = Sides[number];

const SIZE = 220;
const CENTER = SIZE / 2;
const RADIUS = 72;
/** Of the circle of a process. */
const NODE = 30;
/** More than these are a list only. */
const MOST_DRAWN = 8;

interface Point {
  x: number;
  y: number;
}

function pointOf(at: number, count: number): Point {
  // Two of them stand beside each other.
  const angle = (2 * Math.PI * at) / count + (count === 2 ? Math.PI : -Math.PI / 2);
  return { x: CENTER + RADIUS * Math.cos(angle), y: CENTER + RADIUS * Math.sin(angle) };
}

/** From the edge of one circle to that of another, bent outwards, so that two that wait for each other have a line each. */
function lineOf(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const bend = Math.min(26, length / 4);
  const [mx, my] = [(from.x + to.x) / 2 + uy * bend * 2, (from.y + to.y) / 2 - ux * bend * 2];
  const edge = (point: Point, gap: number) => {
    const distance = Math.hypot(mx - point.x, my - point.y) || 1;
    return `${point.x + ((mx - point.x) / distance) * gap} ${point.y + ((my - point.y) / distance) * gap}`;
  };
  return `M ${edge(from, NODE)} Q ${mx} ${my} ${edge(to, NODE + 6)}`;
}

/** "PID 12 waits for ShareLock on transaction 742, which PID 13 holds". */
function waitWords({ process_id, mode, waits_for, blocked_by }: Side): string {
  if (blocked_by === null) return `PID ${process_id}`;
  const lock = [mode, waits_for].filter((one) => one !== null).join(' on ');
  return `PID ${process_id} waits for ${lock === '' ? 'a lock' : lock}, which PID ${blocked_by} holds`;
}

function Ring({ sides }: { sides: Sides }) {
  const id = useId();
  const points = new Map(sides.map(({ process_id }, at) => [process_id, pointOf(at, sides.length)]));
  // Two of them need no height of a circle.
  const [top, height] = sides.length === 2 ? [CENTER - SIZE / 4, SIZE / 2] : [0, SIZE];
  const label = sides.map((side) => waitWords(side)).join('; ');
  return (
    <svg className={classes.ring} viewBox={`0 ${top} ${SIZE} ${height}`} role="img" aria-label={`${label}.`}>
      <defs>
        <marker id={id} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M 0 0 L 8 4 L 0 8 z" className={classes.head} />
        </marker>
      </defs>
      {sides.map(({ process_id, blocked_by }) => {
        const [from, to] = [points.get(process_id), points.get(blocked_by ?? '')];
        return from && to ? (
          <path key={process_id} d={lineOf(from, to)} className={classes.wait} markerEnd={`url(#${id})`} />
        ) : null;
      })}
      {sides.map(({ process_id, is_ended }) => {
        const { x, y } = points.get(process_id) ?? { x: CENTER, y: CENTER };
        return (
          <g key={process_id} data-ended={is_ended || undefined} className={classes.node}>
            <circle cx={x} cy={y} r={NODE} />
            <text x={x} y={is_ended ? y - 4 : y} className={classes.pid}>
              {process_id}
            </text>
            {is_ended ? (
              <text x={x} y={y + 11} className={classes.note}>
                ended
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

export function DeadlockRing({ sides }: { sides: Sides }) {
  return (
    <div className={classes.deadlock}>
      {sides.length <= MOST_DRAWN ? <Ring sides={sides} /> : null}
      <ol className={classes.sides}>
        {sides.map((side) => (
          <li key={side.process_id}>
            <p className={classes.words}>
              {waitWords(side)}.{side.is_ended ? ' PostgreSQL ended its transaction.' : ''}
            </p>
            {side.statement === null ? (
              <p className={classes.unknown}>The log does not contain its statement.</p>
            ) : (
              <CodeBlock code={side.statement} label={`Statement of PID ${side.process_id}`} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
