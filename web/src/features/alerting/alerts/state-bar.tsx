// The states of an alert over time as a bar: active solid and in the colour of its severity, acknowledged hatched, so that
// they differ without colours too. Guards: it says in words what it draws.

import classes from './state-bar.module.css';
import { type AlertSpan, spanWords } from './state-spans.ts';

export interface StateBarProps {
  spans: readonly AlertSpan[];
  /** What the whole width stands for, in milliseconds since the epoch. */
  window: { from: number; to: number };
}

export function StateBar({ spans, window: { from, to } }: StateBarProps) {
  const place = (at: number) => (100 * (Math.min(to, Math.max(from, at)) - from)) / Math.max(1, to - from);
  const words = spanWords(spans);
  return (
    <span className={classes.bar} role="img" aria-label={words} title={words}>
      {spans
        .filter((span) => span.to >= from && span.from <= to)
        .map((span) => (
          <span
            key={span.from}
            className={classes.span}
            data-state={span.state}
            data-severity={span.severity}
            // What lasts only for a moment at the end is seen too.
            style={{
              left: `min(${place(span.from)}%, calc(100% - 4px))`,
              width: `${place(span.to) - place(span.from)}%`,
            }}
          />
        ))}
    </span>
  );
}
