// A month of silences, by the reader's clock: what was, is and is planned by hand, and what schedules will make.
import { dateText, hourText, zoneName } from '../../../lib/zone.ts';
import { spanWords } from './blackout-words.ts';
import classes from './calendar.module.css';
import { type Day, dayWords, onDay } from './month.ts';
import { MonthPanel } from './month-panel.tsx';
import type { BlackoutsRequest } from './use-blackouts.ts';
import { type Item, STATE_WORDS, useMonth } from './use-month.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** So many of a day are named. */
const MOST = 4;
function Cell({ day, items, today }: { day: Day; items: readonly Item[]; today: string }) {
  const zone = zoneName('local');
  const own = onDay(items, day.date, zone);
  return (
    <td
      className={classes.day}
      data-outside={day.isOutside || undefined}
      aria-current={day.date === today ? 'date' : undefined}
    >
      <span className={classes.number}>
        <span aria-hidden="true">{Number(day.date.slice(-2))}</span>
        <span className="visually-hidden">{dayWords(day.date)}</span>
      </span>
      {own.length === 0 ? null : (
        <ul className={classes.items}>
          {own.slice(0, MOST).map(({ key, start_time, end_time, what, state }) => {
            const begins = dateText(Date.parse(start_time), zone) === day.date;
            return (
              <li
                key={key}
                className={classes.item}
                data-state={state}
                title={`${what}, ${spanWords({ start_time, end_time }, zone)}, ${STATE_WORDS[state]}`}
              >
                <span className={classes.hour}>{begins ? hourText(Date.parse(start_time), zone) : '…'}</span>{' '}
                {what}
                <span className="visually-hidden">, {STATE_WORDS[state]}</span>
              </li>
            );
          })}
          {own.length > MOST ? <li className={classes.more}>and {own.length - MOST} more</li> : null}
        </ul>
      )}
    </td>
  );
}

function Grid({ weeks, items, today }: { weeks: readonly Day[][]; items: readonly Item[]; today: string }) {
  return (
    // The table scrolls by itself where it is wider than the screen; so it has to be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className={classes.frame} aria-label="Days of the month" tabIndex={0}>
      <table className={classes.month}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" className={classes.weekday}>
                <abbr title={name}>{name.slice(0, 3)}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]?.date}>
              {week.map((day) => (
                <Cell key={day.date} day={day} items={items} today={today} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Calendar({ wanted }: { wanted: BlackoutsRequest }) {
  const month = useMonth(wanted);
  return (
    <MonthPanel month={month}>
      {() => <Grid weeks={month.weeks} items={month.items} today={month.today} />}
    </MonthPanel>
  );
}
