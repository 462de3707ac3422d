// Wall clocks: what a clock shows in a time zone at an instant, and back. Pure. Guards: on days with a change of the clock
// an hour that comes twice means its first coming, and one that is left out means as long after the change.
import { DAY_MS } from './units.ts';
export type Zone = 'local' | 'utc';

const formats = new Map<string, Intl.DateTimeFormat>();

/** The reader's own zone by its name, such as Europe/Berlin. */
export const zoneName = (zone: Zone): string =>
  zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;

function partsFormat(name: string): Intl.DateTimeFormat {
  const known = formats.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(name, made);
  return made;
}

/** What the clock of a zone shows, as the milliseconds that a clock of UTC would show it at. */
export function wallOf(at: number, name: string): number {
  const parts = new Map(
    partsFormat(name)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const milliseconds = ((at % 1000) + 1000) % 1000;
  return (
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) + milliseconds
  );
}

/** The instant at which the clock of a zone shows this. */
export function instantOf(wall: number, name: string): number {
  const offsetAt = (at: number) => wallOf(at, name) - at;
  const before = wall - offsetAt(wall - DAY_MS);
  const after = wall - offsetAt(wall + DAY_MS);
  const fitting = [before, after].filter((at) => wallOf(at, name) === wall);
  return fitting.length > 0 ? Math.min(...fitting) : before;
}

const two = (value: number) => String(value).padStart(2, '0');

/** "2026-11-20", by the clock of the zone. */
export function dateText(at: number, name: string): string {
  return new Date(wallOf(at, name)).toISOString().slice(0, 10);
}

/** "14:05", with seconds where asked. */
export function hourText(at: number, name: string, withSeconds = false): string {
  const wall = new Date(wallOf(at, name));
  const text = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}`;
  return withSeconds ? `${text}:${two(wall.getUTCSeconds())}` : text;
}

/** "2026-11-20 14:05:00". */
export const momentText = (at: number, name: string): string =>
  `${dateText(at, name)} ${hourText(at, name, true)}`;

/** A sentence of the server with its times as the page says them. */
export const withTimes = (text: string, name: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => momentText(Date.parse(time), name));

/** "2026-11-20 14:05:00 to 14:10:00": a time in which something was measured, at no moment of it that is known. */
export const spanText = (from: number, to: number, name: string): string =>
  `${momentText(from, name)} to ${dateText(from, name) === dateText(to, name) ? hourText(to, name, true) : momentText(to, name)}`;

/** "14:05:00 – 14:10:00": the same for narrow places, with the day (month and day) only where it is not today's. */
export function shortSpanText(from: number, to: number, name: string): string {
  const today = dateText(Date.now(), name);
  const short = (at: number, isDayShown: boolean) =>
    isDayShown ? momentText(at, name).slice(5) : hourText(at, name, true);
  const [first, last] = [dateText(from, name), dateText(to, name)];
  return `${short(from, first !== today)} – ${short(to, first !== last)}`;
}

/** As a field for date and time wants it. */
export const fieldText = (at: number, name: string): string => momentText(at, name).replace(' ', 'T');

/** What was typed into such a field; undefined where it is no moment. */
export function fieldInstant(text: string, name: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text)) return undefined;
  const wall = Date.parse(`${text}${text.length === 16 ? ':00' : ''}Z`);
  return Number.isNaN(wall) ? undefined : instantOf(wall, name);
}
