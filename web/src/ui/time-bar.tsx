// The time that a page shows: up to now, or from moment to moment, by the reader's clock or in UTC.

import { type FormEvent, type KeyboardEvent, use, useId, useState } from 'react';
import { createPortal } from 'react-dom';
import { COMPARISON_WORDS, COMPARISONS, RANGES, type Window, windowFault } from '../lib/time-window.ts';
import { MINUTE_MS } from '../lib/units.ts';
import type { PageTime } from '../lib/use-time-window.ts';
import { fieldInstant, fieldText, hourText, momentText, zoneName } from '../lib/zone.ts';
import { typed } from './field.ts';
import classes from './time-bar.module.css';
import { TimeSlot } from './time-slot.ts';

/** "2026-11-20 10:00:00 – 11:00:00"; the day stands twice only where it changes. */
function spanText({ from, to }: Window, zone: string): string {
  const end = momentText(to, zone);
  const isOneDay = end.slice(0, 10) === momentText(from, zone).slice(0, 10);
  return `${momentText(from, zone)} – ${isOneDay ? hourText(to, zone, true) : end}`;
}

/** "10:00" and "11:00", with the day where it is more than one or not today: for the room that a bar has. */
function shortMoments({ from, to }: Window, zone: string): { start: string; end: string } {
  const day = (at: number) => momentText(at, zone).slice(5, 10);
  const hour = (at: number) => hourText(at, zone, to - from < 10 * MINUTE_MS);
  if (day(from) !== day(to)) return { start: `${day(from)} ${hour(from)}`, end: `${day(to)} ${hour(to)}` };
  const isToday = day(from) === day(Date.now());
  return { start: `${isToday ? '' : `${day(from)} `}${hour(from)}`, end: hour(to) };
}

function SpanForm({ time, onDone }: { time: PageTime; onDone: () => void }) {
  const zone = zoneName(time.state.zone);
  const [from, setFrom] = useState(() => fieldText(time.window.from, zone));
  const [to, setTo] = useState(() => fieldText(time.window.to, zone));
  const [fault, setFault] = useState<string>();
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [first, last] = [fieldInstant(from, zone), fieldInstant(to, zone)];
    if (first === undefined || last === undefined)
      return setFault('Both times are needed, with date and hour.');
    const wrong = windowFault({ from: first, to: last });
    setFault(wrong);
    if (wrong !== undefined) return;
    time.showWindow({ from: first, to: last });
    onDone();
  };
  const field = (label: string, value: string, set: (value: string) => void) => (
    <label className={classes.field}>
      {label}
      <input
        type="datetime-local"
        step={1}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : id}
        {...typed(value, set)}
      />
    </label>
  );
  return (
    <form className={classes.form} aria-label="From one moment to another" noValidate onSubmit={submit}>
      {field('From', from, setFrom)}
      {field('To', to, setTo)}
      <button type="submit" className={classes.button}>
        Show
      </button>
      <p className={classes.zone}>
        Times are in {zone}.
        <button
          type="button"
          className={classes.button}
          aria-pressed={time.state.zone === 'utc'}
          title={time.state.zone === 'utc' ? 'Show times of your zone' : 'Show times in UTC'}
          onClick={() => time.showZone(time.state.zone === 'utc' ? 'local' : 'utc')}
        >
          UTC
        </button>
      </p>
      {fault === undefined ? null : (
        <p id={id} role="alert" className={classes.fault}>
          {fault}
        </p>
      )}
    </form>
  );
}

function Compare({ time }: { time: PageTime }) {
  return (
    <select
      className={classes.button}
      aria-label="Compare with"
      value={time.state.compare ?? ''}
      data-chosen={time.state.compare !== undefined || undefined}
      onChange={(event) => time.showComparison(COMPARISONS.find((one) => one === event.target.value))}
    >
      <option value="">No comparison</option>
      {COMPARISONS.map((one) => (
        <option key={one} value={one}>
          With {COMPARISON_WORDS[one]}
        </option>
      ))}
    </select>
  );
}

function Ranges({ time }: { time: PageTime }) {
  const { state, isLive } = time;
  return (
    <>
      <fieldset className={classes.ranges}>
        <legend className="visually-hidden">Up to now</legend>
        {RANGES.map((range) => (
          <button
            key={range}
            type="button"
            className={classes.range}
            aria-label={`Last ${range}`}
            aria-pressed={isLive && state.range === range}
            onClick={() => time.showRange(range)}
          >
            {range}
          </button>
        ))}
      </fieldset>
      <select
        className={classes.rangeChoice}
        aria-label="Time range"
        value={isLive ? state.range : ''}
        onChange={(event) => {
          const range = RANGES.find((one) => one === event.target.value);
          if (range) time.showRange(range);
        }}
      >
        {isLive ? null : <option value="">Fixed</option>}
        {RANGES.map((range) => (
          <option key={range} value={range}>
            {range}
          </option>
        ))}
      </select>
    </>
  );
}

export interface TimeBarProps {
  time: PageTime;
  /** Whether what is shown can be compared with another window. */
  canCompare?: boolean;
}

/** Within the shell it is drawn in the top bar. */
export function TimeBar(props: TimeBarProps) {
  const slot = use(TimeSlot);
  if (slot === null) return null;
  return slot === undefined ? <Bar {...props} /> : createPortal(<Bar {...props} />, slot);
}

function Bar({ time, canCompare = false }: TimeBarProps) {
  const [open, setOpen] = useState(false);
  const { state, window, isLive } = time;
  const zone = zoneName(state.zone);
  const { start, end } = shortMoments(window, zone);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false);
  };
  return (
    <section className={classes.bar} aria-label="Time shown" onKeyDown={onKeyDown}>
      <Ranges time={time} />
      <button
        type="button"
        className={classes.button}
        aria-pressed={isLive}
        title={isLive ? 'Stop at this time' : `Follow the last ${state.range}`}
        onClick={() => (isLive ? time.showWindow(window) : time.showRange(state.range))}
      >
        <span className={classes.dot} data-live={isLive || undefined} aria-hidden="true" />
        Live
      </button>
      <button
        type="button"
        className={classes.span}
        data-zone={zone}
        aria-expanded={open}
        aria-label={`Shown: ${start} – ${end}. From ${spanText(window, zone)}. Choose other times`}
        title={`${spanText(window, zone)}, ${zone}`}
        onClick={() => setOpen(!open)}
      >
        <span>
          <span className={classes.moment}>{start} –</span> <span className={classes.moment}>{end}</span>
        </span>
      </button>
      {canCompare ? <Compare time={time} /> : null}
      {open ? (
        <SpanForm key={`${zone}${state.fixed?.from}`} time={time} onDone={() => setOpen(false)} />
      ) : null}
    </section>
  );
}
