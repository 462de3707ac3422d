// A month with a row for each cluster: on which days something of it is kept quiet, all of it or a part.
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { hourText } from '../../../lib/zone.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { type BlackoutScope, holdsIn } from './blackout-scopes.ts';
import { spanWords } from './blackout-words.ts';
import classes from './calendar.module.css';
import { type Day, dayWords } from './month.ts';
import { MonthPanel } from './month-panel.tsx';
import type { BlackoutsRequest } from './use-blackouts.ts';
import { type Item, STATE_WORDS, useMonth } from './use-month.ts';

/** So many rows at first. */
const MOST_ROWS = 100;
/** So many of a day are named. */
const MOST_NAMED = 10;
/** What a day is marked with, where there are several. */
const ORDER: readonly Item['state'][] = ['now', 'coming', 'planned', 'past'];

interface Held {
  item: Item;
  extent: 'all' | 'part';
}

interface Row {
  place: BlackoutScope;
  held: readonly Held[];
}

const rowsOf = (places: readonly BlackoutScope[], items: readonly Item[]): Row[] =>
  places
    .map((place) => ({
      place,
      held: items.flatMap((item) => {
        const extent = holdsIn(item.of, place);
        return extent === undefined ? [] : [{ item, extent }];
      }),
    }))
    .filter(({ held }) => held.length > 0);

function wordsOf(held: readonly Held[], zone: string): string {
  const named = held
    .slice(0, MOST_NAMED)
    .map(({ item, extent }) =>
      [
        item.what,
        spanWords(item, zone),
        STATE_WORDS[item.state],
        ...(extent === 'part' ? ['a part of it'] : []),
      ].join(', '),
    );
  return [...named, ...(held.length > MOST_NAMED ? [`and ${held.length - MOST_NAMED} more`] : [])].join('; ');
}

function Mark({ held, date, zone }: { held: readonly Held[]; date: string; zone: string }) {
  const own = held.filter(({ item }) => item.from <= date && item.to >= date);
  if (own.length === 0) return null;
  const words = wordsOf(own, zone);
  const [first] = own;
  const begins = first !== undefined && first.item.from === date;
  return (
    <span
      className={classes.mark}
      data-state={ORDER.find((state) => own.some(({ item }) => item.state === state))}
      data-part={own.every(({ extent }) => extent === 'part') || undefined}
      title={words}
    >
      <span aria-hidden="true">
        {own.length > 1
          ? `×${own.length}`
          : begins
            ? hourText(Date.parse(first.item.start_time), zone).slice(0, 2)
            : '…'}
      </span>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

interface GridProps {
  rows: readonly Row[];
  days: readonly Day[];
  today: string;
  zone: string;
}

/** So much of the names stays beside today on a narrow screen. */
const BESIDE = 190;

function Grid({ rows, days, today, zone }: GridProps) {
  const frame = useRef<HTMLElement>(null);
  const first = days[0]?.date;
  // Where the month is wider than the screen it begins at today, of another month at its first day.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another month is the event
  useEffect(() => {
    const here = frame.current?.querySelector<HTMLElement>('th[aria-current]');
    if (frame.current) frame.current.scrollLeft = here ? here.offsetLeft - BESIDE : 0;
  }, [first]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section ref={frame} className={classes.frame} aria-label="Clusters by day" tabIndex={0}>
      <table className={classes.rows}>
        <thead>
          <tr>
            <th scope="col" className={classes.place}>
              Cluster
            </th>
            {days.map(({ date }) => (
              <th
                key={date}
                scope="col"
                className={classes.weekday}
                aria-current={date === today ? 'date' : undefined}
              >
                <span aria-hidden="true">{Number(date.slice(-2))}</span>
                <span className="visually-hidden">{dayWords(date)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ place, held }) => (
            <tr key={place.id}>
              <th scope="row" className={classes.place}>
                <Name>{place.name}</Name>
              </th>
              {days.map(({ date }) => (
                <td key={date} className={classes.slot} aria-current={date === today ? 'date' : undefined}>
                  <Mark held={held} date={date} zone={zone} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const quietWords = (count: number): string =>
  count === 0 ? '' : `${count} ${count === 1 ? 'cluster has' : 'clusters have'} none in this month. `;

export function ClusterCalendar({
  wanted,
  places,
}: {
  wanted: BlackoutsRequest;
  places: readonly BlackoutScope[];
}) {
  const month = useMonth(wanted);
  const [most, setMost] = useState(MOST_ROWS);
  const days = month.weeks.flat().filter(({ isOutside }) => !isOutside);
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? ''];
  const shown = wanted.place === undefined ? places : [wanted.place];
  const rows = rowsOf(
    shown,
    month.items.filter(({ from, to }) => to >= first && from <= last),
  );
  const remark = `${quietWords(shown.length - rows.length)}A number is the hour at which it begins; × says how many there are. With a bar on the left: a part of the cluster.`;
  return (
    <MonthPanel month={month} remark={remark}>
      {() =>
        rows.length === 0 ? (
          <p className={layout.none}>Nothing is silenced in this month.</p>
        ) : (
          <>
            <Grid rows={rows.slice(0, most)} days={days} today={month.today} zone={month.zone} />
            {rows.length > most ? (
              <p className={layout.none}>
                <Button size="compact-sm" variant="default" onClick={() => setMost(most + MOST_ROWS)}>
                  Show {Math.min(MOST_ROWS, rows.length - most)} more of {rows.length}
                </Button>
              </p>
            ) : null}
          </>
        )
      }
    </MonthPanel>
  );
}
