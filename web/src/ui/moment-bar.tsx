// The moment of which a page shows the state: now, or one that was chosen, said plainly, with steps to its neighbours.

import { currentSecond } from '../lib/clock.ts';
import { SECOND_MS } from '../lib/units.ts';
import type { PageTime } from '../lib/use-time-window.ts';
import { momentText, zoneName } from '../lib/zone.ts';
import classes from './moment-bar.module.css';
import { RelativeTime } from './relative-time.tsx';

const STEPS = [
  { seconds: -300, label: '5 min earlier', text: '−5 min' },
  { seconds: -60, label: '1 min earlier', text: '−1 min' },
  { seconds: -10, label: '10 s earlier', text: '−10 s' },
  { seconds: 10, label: '10 s later', text: '+10 s' },
  { seconds: 60, label: '1 min later', text: '+1 min' },
  { seconds: 300, label: '5 min later', text: '+5 min' },
] as const;

export function MomentBar({ time }: { time: PageTime }) {
  const { moment, state } = time;
  const zone = zoneName(state.zone);
  const step = (seconds: number) => {
    const now = currentSecond() * SECOND_MS;
    time.showMoment(Math.min(now, (moment ?? now) + seconds * SECOND_MS));
  };
  return (
    <section className={classes.bar} aria-label="Moment shown" data-past={moment !== undefined || undefined}>
      <div className={classes.said}>
        <span role="status">
          {moment === undefined ? (
            <strong>Now.</strong>
          ) : (
            <>
              <strong>The state of {momentText(moment, zone)}</strong> ({zone})
            </>
          )}
        </span>{' '}
        {moment === undefined ? (
          'Choose a moment in the chart or step back.'
        ) : (
          <RelativeTime at={new Date(moment).toISOString()} />
        )}
      </div>
      <div className={classes.steps}>
        {STEPS.map(({ seconds, label, text }) => (
          <button
            key={seconds}
            type="button"
            className={classes.step}
            aria-label={label}
            disabled={moment === undefined && seconds > 0}
            onClick={() => step(seconds)}
          >
            {text}
          </button>
        ))}
        <button
          type="button"
          className={classes.step}
          aria-pressed={moment === undefined}
          onClick={() => time.showRange(state.range)}
        >
          Now
        </button>
      </div>
    </section>
  );
}
