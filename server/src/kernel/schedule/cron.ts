// Five-field cron expressions: minute, hour, day of month, month, day of week. Guards: what is let through means one thing
// only; macros, seconds and the extensions of other schedulers are refused with words that say what to write instead.
import { Fault } from '../errors.ts';

const LONGEST = 255;

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** From `least` on. */
  readonly words: readonly string[];
}

const MONTH_WORDS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAY_WORDS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const MINUTE: Field = { name: 'minute', least: 0, most: 59, words: [] };
const HOUR: Field = { name: 'hour', least: 0, most: 23, words: [] };
const DAY: Field = { name: 'day of month', least: 1, most: 31, words: [] };
const MONTH: Field = { name: 'month', least: 1, most: 12, words: MONTH_WORDS };
/** 0 and 7 are Sunday. */
const WEEKDAY: Field = { name: 'day of week', least: 0, most: 7, words: DAY_WORDS };

/** When it is due, by the wall clock; each list in ascending order. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** Whether the field says which days; where both do, a day that either matches is one. */
  readonly byDay: boolean;
  readonly byWeekday: boolean;
}

const refuse = (what: string) => new Fault('bad_request', `cron_expression: ${what}`);
const within = ({ name, least, most }: Field) => `the ${name} goes from ${least} to ${most}`;

function numberOf(text: string, field: Field): number {
  const word = field.words.indexOf(text.toUpperCase());
  if (word !== -1) return field.least + word;
  if (!/^\d{1,2}$/.test(text)) {
    const names = field.words.length > 0 ? `, or is a name like ${field.words[1]}` : '';
    throw refuse(`"${text}" is no ${field.name}; ${within(field)}${names}.`);
  }
  const value = Number(text);
  if (value < field.least || value > field.most)
    throw refuse(`${value} is no ${field.name}; ${within(field)}.`);
  return value;
}

function rangeOf(text: string, field: Field): [first: number, last: number] {
  if (text === '*') return [field.least, field.most];
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0) throw refuse(`"${text}" is no range; write the first and the last, like 1-5.`);
  const first = numberOf(from, field);
  if (to === undefined) return [first, first];
  // FRI-SUN ends with the Sunday after.
  const last = field === WEEKDAY && /^sun$/i.test(to) ? 7 : numberOf(to, field);
  if (last < first)
    throw refuse(
      `the range "${text}" of the ${field.name} goes backwards; write two ranges with a comma between.`,
    );
  return [first, last];
}

function partOf(text: string, field: Field): number[] {
  const [range = '', stepText, ...more] = text.split('/');
  const [first, last] = rangeOf(range, field);
  if (stepText === undefined) return listed(first, last, 1);
  if (more.length > 0 || (range !== '*' && !range.includes('-')))
    throw refuse(`"${text}": a step follows * or a range, like */15 or 10-50/20.`);
  const size = field.most - field.least;
  if (!/^\d{1,2}$/.test(stepText) || Number(stepText) < 1 || Number(stepText) > size)
    throw refuse(`"${text}": the step of the ${field.name} goes from 1 to ${size}.`);
  return listed(first, last, Number(stepText));
}

function listed(first: number, last: number, step: number): number[] {
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

function valuesOf(text: string, field: Field): number[] {
  const all = text.split(',').flatMap((part) => {
    if (part === '') throw refuse(`the ${field.name} has a comma too many.`);
    return partOf(part, field);
  });
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Every one, which says nothing about days. */
const isOpen = (text: string) => /^\*(\/0?1)?$/.test(text);

/** The fields that it has, once what is no cron expression of five fields was refused. */
function fieldsOf(text: string): string[] {
  if (text.length > LONGEST) throw refuse(`it may have at most ${LONGEST} characters.`);
  const fields = text.trim().split(/\s+/);
  if (text.trim().startsWith('@'))
    throw refuse(`"${fields[0]}" is a macro; write the five fields instead, like 0 2 * * *.`);
  if (fields.length === 5) return fields;
  const why = fields.length === 6 ? ' Seconds and years are not supported.' : '';
  throw refuse(
    `it needs five fields (minute, hour, day of month, month, day of week), and this has ${text.trim() === '' ? 0 : fields.length}.${why}`,
  );
}

/** Throws 400 with the reason when it is not one. */
export function parseCron(text: string): Cron {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fieldsOf(text);
  const weekdays = valuesOf(weekday, WEEKDAY).map((value) => value % 7);
  return {
    minutes: valuesOf(minute, MINUTE),
    hours: valuesOf(hour, HOUR),
    days: valuesOf(day, DAY),
    months: valuesOf(month, MONTH),
    weekdays: [...new Set(weekdays)].sort((a, b) => a - b),
    byDay: !isOpen(day),
    byWeekday: !isOpen(weekday),
  };
}

/** How it is stored: one blank between fields. */
export const tidyCron = (text: string): string => text.trim().split(/\s+/).join(' ');
