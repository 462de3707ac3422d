// The sign of life: facts are live, or since when they stand still. Fixed width, so nothing moves while it counts.
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { clockTime } from '../lib/time.ts';
import { StaleIcon } from '../ui/icons.ts';
import classes from './live-sign.module.css';

export function LiveSign() {
  const estate = useEstate();
  if (estate.dataUpdatedAt === 0) return null;
  const since = clockTime(estate.dataUpdatedAt);
  if (estate.isError) {
    return (
      <span className={classes.sign} data-stale title={`The last answer came at ${since}.`}>
        <StaleIcon size={14} aria-hidden="true" />
        Stale<span className={classes.more}> since {since}</span>
      </span>
    );
  }
  return (
    <span
      className={classes.sign}
      data-sign="live"
      title="Read again every few seconds while this tab is visible."
    >
      <span className={classes.dot} aria-hidden="true" />
      Live
    </span>
  );
}
