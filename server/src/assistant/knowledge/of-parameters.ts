// Entries of parameters: type, unit, default in each version, range, and what a change takes.
import type { Entry, Row, Sources } from './types.ts';
import { runsOf, spanWords, VERSIONS, type Version } from './versions.ts';

const CHANGES: Readonly<Record<string, string>> = {
  internal: 'It cannot be set: the build or the making of the cluster decides it.',
  postmaster: 'A change needs a restart.',
  sighup: 'A change needs a reload.',
  backend: 'It can be set for a new session; a change in the file needs a reload.',
  'superuser-backend': 'It can be set for a new session, by superusers or who was granted it.',
  superuser: 'It can be set in a session by superusers or who was granted it.',
  user: 'It can be set in any session.',
};

const SIZES: Readonly<Record<string, number>> = { B: 1, kB: 1024, '8kB': 8192, MB: 1024 ** 2 };
const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 };
const SIZE_STEPS = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['kB', 1024],
  ['B', 1],
] as const;
const TIME_STEPS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** `16384` of `8kB` is `128MB`; what counts as no size, as 0 and -1 often do, stays as it is. */
function withUnit(value: string, unit: string): string {
  const size = unit === '' ? 1 : Number(/^\d+/.exec(unit)?.[0] ?? 1);
  const name = unit.replace(/^\d+/, '');
  const perUnit = SIZES[unit] ?? (SIZES[name] ?? NaN) * size;
  const isTime = TIMES[unit] !== undefined;
  const base = Number(value) * (isTime ? (TIMES[unit] ?? 1) : perUnit);
  if (value === '' || unit === '' || !(base > 0)) return value === '' ? 'empty' : value;
  const steps: readonly (readonly [string, number])[] = isTime ? TIME_STEPS : SIZE_STEPS;
  const [step, worth] = steps.find(([, one]) => Number.isInteger(base / one)) ?? [unit, 1];
  return `${base / worth}${step}`;
}

/** One sentence, which says where versions differ. */
function defaultWords(row: Row, versions: readonly Version[]): string | undefined {
  const byValue = Map.groupBy(versions, (version) => row[`default_${version}`] ?? '?');
  if (byValue.has('?')) return undefined;
  const said = [...byValue].map(([value, at]) => {
    const text = withUnit(value.slice(1), row.unit ?? '');
    return byValue.size === 1 ? text : `${text} in ${runsOf(at)}`;
  });
  return `Default: ${said.join(', ')}.`;
}

function rangeWords({ min = '', max = '', unit = '', values = '' }: Row): string | undefined {
  if (values !== '') return `Values: ${values.split(' ').join(', ')}.`;
  if (min === '' || max === '') return undefined;
  return `From ${withUnit(min, unit)} to ${withUnit(max, unit)}.`;
}

function entryOf(row: Row, textOf: Sources['textOf']): Entry {
  const { name = '', type = '', category = '', context = '' } = row;
  const versions = VERSIONS.filter((version) => row[`default_${version}`] !== '-');
  const span = spanWords(versions);
  const facts = [
    `Type ${type}.`,
    defaultWords(row, versions),
    rangeWords(row),
    CHANGES[context],
    `Group: ${category}.`,
    span && `There ${span}.`,
  ];
  return {
    ...{ kind: 'parameter' as const, name, also: [], text: textOf(name), versions },
    facts: facts.filter((fact) => fact !== undefined),
  };
}

export const parameterEntries = ({ rows, textOf }: Sources): Entry[] =>
  rows.map((row) => entryOf(row, textOf));
