// What an alert is called and says, in plain text: what was measured of what, against which threshold, and what it means.
// Pure. Guards: what comes from a monitored server is cut to one line of a bounded length.
import type { Metric } from '../probes/metrics.ts';
import type { Operator, Rule } from '../rules/types.ts';

const COMPARED: Record<Operator, string> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
  '==': 'exactly',
  '!=': 'other than',
};

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

const rounded = (value: number) =>
  Math.abs(value) >= 100 ? WHOLE.format(value) : String(Number(value.toPrecision(3)));

const BYTES = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function inBytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (Math.abs(rest) >= 1024 && unit < BYTES.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${rounded(rest)} ${BYTES[unit]}`;
}

function inTime(seconds: number): string {
  if (Math.abs(seconds) < 60) return `${rounded(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** A value with its unit, for people. */
export function shownValue(value: number, unit: string): string {
  if (unit === 'percent') return `${rounded(value)} %`;
  if (unit === 'bytes') return inBytes(value);
  if (unit === 'seconds') return inTime(value);
  if (unit === '' || unit === 'count') return rounded(value);
  return `${rounded(value)} ${unit}`;
}

export interface Told {
  rule: Pick<Rule, 'title' | 'meaning'>;
  metric: Pick<Metric, 'description' | 'unit'>;
  operator: Operator;
  threshold: number;
  value: number;
  database_name: string;
  object_name: string;
}

/** 1 for yes: the number says nothing more than the title. */
const isFlag = ({ operator, threshold, value }: Told) => operator === '==' && threshold === 1 && value === 1;

function placeOf({ object_name, database_name }: Told): string {
  const places = [object_name, database_name && `database ${database_name}`].filter((part) => part !== '');
  return places.join(' in ');
}

export function titleOf(told: Told): string {
  const place = placeOf(told);
  return place === '' ? told.rule.title : `${told.rule.title}: ${place}`;
}

export function descriptionOf(told: Told): string {
  const { rule, metric, operator, threshold, value } = told;
  if (isFlag(told)) return rule.meaning;
  const what = metric.description.split(/[;.]/)[0] ?? '';
  const limit = `${COMPARED[operator]} ${shownValue(threshold, metric.unit)}`;
  return `${what}: ${shownValue(value, metric.unit)}, where an alert is for ${limit}. ${rule.meaning}`;
}
