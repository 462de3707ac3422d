// Times in words. Everything on the wire is UTC; people read their own zone, with the offset said in full texts.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "now", "12 s ago", "3 min ago", "5 h ago", "4 d ago"; a time ahead of the clock counts as now. */
export function relativeTime(iso: string, nowSeconds: number): string {
  const seconds = Math.floor(nowSeconds - Date.parse(iso) / 1000);
  if (Number.isNaN(seconds)) return 'at an unknown time';
  if (seconds < 2) return 'now';
  if (seconds < MINUTE) return `${seconds} s ago`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  return `${Math.floor(seconds / DAY)} d ago`;
}

/** Of a time ahead: "in 12 s", "in 3 min", "in 5 h"; one that has come is "now". */
export function timeAhead(iso: string, nowSeconds: number): string {
  const seconds = Math.ceil(Date.parse(iso) / 1000 - nowSeconds);
  if (Number.isNaN(seconds)) return 'at an unknown time';
  if (seconds < 1) return 'now';
  if (seconds < MINUTE) return `in ${seconds} s`;
  if (seconds < HOUR) return `in ${Math.ceil(seconds / MINUTE)} min`;
  return `in ${Math.ceil(seconds / HOUR)} h`;
}

/** "every 30 s", "every 5 min", "every hour", … */
export function everyText(seconds: number): string {
  if (seconds === HOUR) return 'every hour';
  if (seconds === DAY) return 'every day';
  if (seconds % DAY === 0) return `every ${seconds / DAY} d`;
  if (seconds % HOUR === 0) return `every ${seconds / HOUR} h`;
  if (seconds % MINUTE === 0) return seconds === MINUTE ? 'every minute' : `every ${seconds / MINUTE} min`;
  return `every ${seconds} s`;
}

/** Whatever the language of the browser: the day before the month, and a clock of 24 hours. */
const FORM = 'en-GB';
const day = new Intl.DateTimeFormat(FORM, { year: 'numeric', month: 'short', day: 'numeric' });
const exact = new Intl.DateTimeFormat(FORM, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const clock = new Intl.DateTimeFormat(FORM, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** "20 Nov 2026, 14:05:00 CET": date, time and zone of the reader. */
export function exactTime(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : exact.format(time);
}

/** "20 Nov 2026", of the reader's zone. */
export function dayText(milliseconds: number): string {
  return day.format(milliseconds);
}

/** "14:05:00", of the reader's day. */
export function clockTime(milliseconds: number): string {
  return clock.format(milliseconds);
}
