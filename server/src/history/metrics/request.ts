// What a request about metrics names: connections, a window, a probe, metrics of it and dimensions. Pure. Guards: what
// does not exist is refused with a sentence that says what does.

import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { didYouMean } from '../../kernel/suggest.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { type Metric, metricOf, metricsOf } from '../../probes/metrics.ts';
import type { Probe } from '../../probes/types.ts';

const RANGES = { '1h': HOUR_MS, '6h': 6 * HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS };
const LONGEST_MS = 366 * DAY_MS;

export type TimeRange = keyof typeof RANGES;
export type Comparison = 'previous' | 'day' | 'week';

/** Milliseconds since the epoch. */
export interface RequestWindow {
  from: number;
  to: number;
}

export interface NamedWindow {
  time_range?: TimeRange;
  start_time?: string;
  end_time?: string;
}

/** However long. */
export function windowBetween(start_time: string, end_time: string): RequestWindow {
  // A leap second is a time too, which Date does not know.
  const moment = (text: string) => Temporal.Instant.from(text.toUpperCase()).epochMilliseconds;
  const [from, to] = [moment(start_time), moment(end_time)];
  if (!(to > from)) throw new Fault('bad_request', 'end_time must be later than start_time.');
  return { from, to };
}

export function windowOf(named: NamedWindow, of: { now: number; fallback: TimeRange }): RequestWindow {
  const { time_range = of.fallback, start_time, end_time } = named;
  if (start_time === undefined && end_time === undefined)
    return { from: of.now - RANGES[time_range], to: of.now };
  if (start_time === undefined || end_time === undefined)
    throw new Fault('bad_request', 'start_time and end_time must come together.');
  const { from, to } = windowBetween(start_time, end_time);
  if (to - from > LONGEST_MS)
    throw new Fault('bad_request', 'start_time and end_time may be at most 366 days apart.');
  return { from, to };
}

/** Where the window begins that another one is compared with. */
export function comparedFrom({ from, to }: RequestWindow, compare: Comparison): number {
  const before = { previous: to - from, day: DAY_MS, week: 7 * DAY_MS }[compare];
  if (!isTimeInRange(from - before))
    throw new Fault('bad_request', 'The window to compare with begins before the year 1.');
  return from - before;
}

const MAX_ID = 2_147_483_647;

interface NamedConnections {
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
}

/** Each once, in the order named; none when nothing names one. */
export function connectionsNamed(
  { connection_id, connection_ids }: NamedConnections,
  most: number,
): number[] {
  const listed = connection_ids ? connection_ids.split(',').map(Number) : [];
  if (!listed.every((one) => one >= 1 && one <= MAX_ID))
    throw new Fault('bad_request', 'connection_ids must be ids with commas between, like 1,2,3.');
  const ids = [...new Set([...(connection_id === undefined ? [] : [connection_id]), ...listed])];
  if (ids.length > most)
    throw new Fault('bad_request', `At most ${most.toLocaleString('en')} connections can be named at once.`);
  return ids;
}

/** At least one. */
export function connectionsOf(named: NamedConnections, most: number): number[] {
  const ids = connectionsNamed(named, most);
  if (ids.length === 0)
    throw new Fault('bad_request', 'Name a connection with connection_id or connection_ids.');
  return ids;
}

export function probeNamed(name: string): Probe {
  const found = probes.find((probe) => probe.name === name);
  if (found) return found;
  const names = probes.map((probe) => probe.name);
  const shown = cutText(name, 80);
  throw new Fault(
    'bad_request',
    `There is no probe ${shown}.${didYouMean(shown, names)} The probes are ${names.join(', ')}.`,
  );
}

const MOST_METRICS = 100;

/** Those named with commas between; without, all gauges and counters in declared order. */
export function metricsNamed(probe: Probe, named: string | undefined): Metric[] {
  const all = metricsOf(probe);
  if (named === undefined || named === '') return all.filter(({ isColumn }) => isColumn);
  const names = [...new Set(named.split(',').map((name) => name.trim()))];
  if (names.length > MOST_METRICS)
    throw new Fault('bad_request', `At most ${MOST_METRICS} metrics can be named at once.`);
  return names.map((name) => {
    const found = metricOf(probe, name);
    if (found) return found;
    const shown = cutText(name, 80);
    const known = all.map((metric) => metric.name);
    const listed = all.filter(({ value }) => value.kind !== 'rate').map((metric) => metric.name);
    const rates = all.some(({ value }) => value.kind === 'rate') ? ', and <counter>_per_sec of counters' : '';
    const has = known.length > 0 ? `has ${listed.join(', ')}${rates}` : 'has no metrics';
    throw new Fault(
      'bad_request',
      `The probe ${probe.name} has no metric ${shown}.${didYouMean(shown, known)} It ${has}.`,
    );
  });
}

export function columnNamed(probe: Probe, name: string): string {
  const names = probe.columns.map((column) => column.name);
  if (names.includes(name)) return name;
  const shown = cutText(name, 80);
  throw new Fault(
    'bad_request',
    `The probe ${probe.name} has no column ${shown}.${didYouMean(shown, names)} It has ${names.join(', ')}.`,
  );
}

/** The columns that may hold a dimension; the first that a probe has counts. */
const DIMENSIONS = {
  schema_name: ['schemaname', 'schema_name'],
  table_name: ['relname', 'table_name'],
  index_name: ['indexrelname', 'index_name'],
  queryid: ['queryid', 'query_id'],
} as const;

export type Dimension = keyof typeof DIMENSIONS;
export type Filters = { readonly [name in Dimension | 'database_name']?: string };

/** What the filters of a request mean for a probe. */
export interface Filter {
  /** Of the database that was read, where the probe reads each by itself. */
  database_name?: string;
  /** Values of keys and labels; two columns with `|` between where either may have it. */
  where: Record<string, string>;
}

const dimensionColumn = (probe: Probe, candidates: readonly string[]): string | undefined =>
  candidates.find((name) =>
    probe.columns.some(
      (column) => column.name === name && (column.kind === 'key' || column.kind === 'label'),
    ),
  );

export const schemaColumn = (probe: Probe): string | undefined =>
  dimensionColumn(probe, DIMENSIONS.schema_name);

function dimensionsThere(probe: Probe): string[] {
  const names: Dimension[] = ['schema_name', 'table_name', 'index_name', 'queryid'];
  const database = probe.level === 'D' || dimensionColumn(probe, ['datname']) !== undefined;
  return [
    ...(database ? ['database_name'] : []),
    ...names.filter((name) => dimensionColumn(probe, DIMENSIONS[name]) !== undefined),
  ];
}

function demandColumn(probe: Probe, name: string, candidates: readonly string[]): string {
  const column = dimensionColumn(probe, candidates);
  if (column !== undefined) return column;
  const there = dimensionsThere(probe);
  const has = there.length > 0 ? `can be filtered by ${there.join(', ')}` : 'has nothing to filter by';
  throw new Fault('bad_request', `The probe ${probe.name} does not know ${name}; it ${has}.`);
}

export function filterOf(probe: Probe, filters: Filters): Filter {
  const { database_name, ...others } = filters;
  const where: Record<string, string> = {};
  const isByDatabase = probe.level === 'D';
  if (database_name !== undefined && !isByDatabase)
    where[demandColumn(probe, 'database_name', ['datname'])] = database_name;
  const names: Dimension[] = ['schema_name', 'table_name', 'index_name', 'queryid'];
  for (const name of names) {
    const value = others[name];
    if (value === undefined) continue;
    const column = demandColumn(probe, name, DIMENSIONS[name]);
    const index = name === 'table_name' ? dimensionColumn(probe, DIMENSIONS.index_name) : undefined;
    where[index === undefined ? column : `${column}|${index}`] = value;
  }
  return { ...(isByDatabase && database_name !== undefined && { database_name }), where };
}

/** Whether a row has these values. */
export const fits = (where: Filter['where'], row: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(where).every(([names, value]) =>
    names.split('|').some((name) => String(row[name]) === value),
  );

const SCHEMA = /^[\p{L}\p{N}_$ .-]{1,63}$/u;

/** Schemas to leave out; none when empty or `none`. */
export function schemasExcluded(named: string | undefined): string[] {
  if (named === undefined || named === '' || named === 'none') return [];
  const names = named.split(',').map((name) => name.trim());
  const odd = names.find((name) => !SCHEMA.test(name));
  if (odd !== undefined)
    throw new Fault('bad_request', 'exclude_schemas must be names of schemas with commas between, like a,b.');
  return names;
}
