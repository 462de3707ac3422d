// The days of a week as buttons, from Monday on.
import chips from '../../../ui/chips.module.css';
import classes from './blackouts.module.css';
import { WEEKDAY_WORDS, WEEKDAYS, type Weekday } from './weekly.ts';

interface WeekdayChipsProps {
  days: readonly Weekday[];
  /** From Monday on, whichever was pressed last. */
  onDays: (days: Weekday[]) => void;
}

export function WeekdayChips({ days, onDays }: WeekdayChipsProps) {
  return (
    <fieldset className={chips.chips}>
      <legend className={classes.legend}>Every</legend>
      {WEEKDAYS.map((day) => (
        <button
          key={day}
          type="button"
          className={chips.chip}
          aria-pressed={days.includes(day)}
          title={WEEKDAY_WORDS[day]}
          onClick={() => onDays(WEEKDAYS.filter((one) => days.includes(one) !== (one === day)))}
        >
          {WEEKDAY_WORDS[day].slice(0, 3)}
        </button>
      ))}
    </fieldset>
  );
}
