// A month of blackouts, by the reader's clock: what was, is and is planned by hand, and the next times of schedules.
import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { currentSecond, subscribeToSeconds } from '../../lib/clock.ts';
import { useUrlText } from '../../lib/url-state.ts';
import { dateText, hourText, zoneName } from '../../lib/zone.ts';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { spanWords, targetWords } from './blackout-words.ts';
import classes from './calendar.module.css';
import { boundsOf, type Day, dayWords, monthAfter, monthOf, monthWords, onDay, weeksOf } from './month.ts';
import { MOST_PLANNED, useBetween, usePlanned, useSchedules, type Wanted } from './use-blackouts.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** So many of a day are named. */
const MOST = 4;
const minute = () => Math.floor(currentSecond() / 60) * 60;

interface Item {
  key: string;
  start_time: string;
  end_time: string;
  what: string;
  state: 'past' | 'now' | 'coming' | 'planned';
}

const STATE_WORDS: Record<Item['state'], string> = {
  past: 'over',
  now: 'in force',
  coming: 'coming',
  planned: 'by a schedule',
};

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

export function Calendar({ wanted }: { wanted: Wanted }) {
  const zone = zoneName('local');
  const now = useSyncExternalStore(subscribeToSeconds, minute) * 1000;
  const [text, setMonth] = useUrlText('month');
  const month = monthOf(text, now, zone);
  const weeks = weeksOf(month);
  const stored = useBetween(wanted, boundsOf(weeks, zone));
  const schedules = useSchedules();
  const planned = usePlanned(schedules.data?.schedules ?? []);
  const isMany = (schedules.data?.schedules ?? []).filter(({ enabled }) => enabled).length > MOST_PLANNED;
  const blackouts = stored.data?.blackouts ?? [];
  const made = new Set(blackouts.map(({ schedule_id, start_time }) => `${schedule_id} ${start_time}`));
  const items: Item[] = [
    ...blackouts.map((one) => ({
      key: `b${one.id}`,
      start_time: one.start_time,
      end_time: one.end_time,
      what: targetWords(one),
      state: one.is_active
        ? ('now' as const)
        : Date.parse(one.start_time) > now
          ? ('coming' as const)
          : ('past' as const),
    })),
    // Of one server only what holds for it is shown, which schedules do not say.
    ...(wanted.server === undefined ? planned : [])
      .filter(({ start_time, schedule }) => !made.has(`${schedule.id} ${start_time}`))
      .map(({ start_time, end_time, schedule }) => ({
        key: `s${schedule.id} ${start_time}`,
        start_time,
        end_time,
        what: schedule.name,
        state: 'planned' as const,
      })),
  ];
  const button = (words: string, to: string) => (
    <Button size="compact-sm" variant="default" onClick={() => setMonth(to)}>
      {words}
    </Button>
  );
  return (
    <Panel
      title={monthWords(month)}
      note={zone}
      actions={
        <span className={classes.moves}>
          {button('Earlier', monthAfter(month, -1))}
          {button('This month', '')}
          {button('Later', monthAfter(month, 1))}
        </span>
      }
      flush
    >
      <Query query={stored} what="the month" lines={6} padded>
        {() => <Grid weeks={weeks} items={items} today={dateText(now, zone)} />}
      </Query>
      {wanted.server === undefined ? (
        <p className={classes.legend}>
          Dashed: the next ten times of {isMany ? `the first ${MOST_PLANNED} schedules` : 'each schedule'}.
        </p>
      ) : null}
    </Panel>
  );
}
