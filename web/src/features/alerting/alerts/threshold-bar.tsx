// A value beside its threshold as a thin bar: filled up to the value, with a mark where the threshold is. The numbers stand beside it
// in words; the bar itself is decoration.
import { type Alert, SEVERITY_WORDS } from './alert-words.ts';
import classes from './threshold-bar.module.css';

const WIDTH = 100;
/** So much is left beyond the larger of the two. */
const ROOM = 1.15;

export function ThresholdBar({ alert }: { alert: Alert }) {
  const { metric_value: value, threshold_value: threshold, severity } = alert;
  if (value === undefined || threshold === undefined) return null;
  const most = Math.max(value, threshold) * ROOM;
  if (value < 0 || threshold < 0 || most <= 0) return null;
  const place = (amount: number) => (amount / most) * WIDTH;
  return (
    <svg
      className={classes.bar}
      data-tone={SEVERITY_WORDS[severity].mark}
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className={classes.track} y="2" width={WIDTH} height="4" />
      <rect className={classes.fill} y="2" width={Math.max(place(value), 0.8)} height="4" />
      <rect className={classes.mark} x={place(threshold) - 0.75} width="1.5" height="8" />
    </svg>
  );
}
