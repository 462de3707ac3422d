// From what several sources say to one set of facts. Guards: the first source to know a field wins, used and free
// come from the source of their total (numbers of two clocks or two scopes never meet), and whatever a source
// sends is cut to sane values before it is stored.
import { cleanFacts, cleanText } from './clean.ts';
import type { HostFacts, HostField, HostRow, HostValue, SourceOutcome } from './types.ts';

const MOST_WORDS = 1000;

/** These answer only together with the field they are measured against. */
const ANCHORS: Partial<Record<HostField, HostField>> = {
  memory_used_bytes: 'memory_total_bytes',
  memory_free_bytes: 'memory_total_bytes',
  memory_cache_bytes: 'memory_total_bytes',
  cgroup_memory_limit_bytes: 'memory_total_bytes',
  swap_used_bytes: 'swap_total_bytes',
};

/** Rows of probes of their own. */
const LIVE: readonly HostField[] = [
  'cpu_times',
  'load',
  'process_counts',
  'pressure',
  'io_devices',
  'interfaces',
  'processes',
];

/** The fields of the `system` object. */
export const SYSTEM_FIELDS = [
  'os_name',
  'os_version',
  'architecture',
  'hostname',
  'cpu_model',
  'cpu_cores',
  'cpu_logical',
  'cpu_clock_speed',
  'memory_total_bytes',
  'memory_used_bytes',
  'memory_free_bytes',
  'swap_total_bytes',
  'swap_used_bytes',
  'disks',
] as const satisfies readonly HostField[];

export interface Answer {
  source: string;
  outcome: SourceOutcome;
  /** Milliseconds since the epoch. */
  observed_at: number;
}

export interface MergedValue {
  value: NonNullable<HostValue>;
  source: string;
  /** Milliseconds since the epoch. */
  observed_at: number;
}

/** The winning value of each field, from answers in order of precedence. */
export function mergeValues(answers: readonly Answer[]): Map<HostField, MergedValue> {
  const values = new Map<HostField, MergedValue>();
  for (const { source, outcome, observed_at } of answers) {
    if (outcome.status !== 'ok') continue;
    const facts = cleanFacts(outcome.facts);
    const mine = (field: HostField | undefined) =>
      field === undefined || (values.get(field)?.source ?? source) === source;
    for (const [field, value] of facts)
      if (!values.has(field) && mine(ANCHORS[field])) values.set(field, { value, source, observed_at });
  }
  return values;
}

/** The values alone, as one set of facts. */
export function factsOf(values: ReadonlyMap<HostField, MergedValue>): HostFacts {
  const facts: HostFacts = {};
  for (const [field, { value }] of values) Object.assign(facts, { [field]: value });
  return facts;
}

function sourceRow({ source, outcome }: Answer): HostRow {
  if (outcome.status === 'ok') return { kind: 'source', source, status: 'ok', reason: null, mend: null };
  const { reason, mend } = outcome;
  return {
    kind: 'source',
    source,
    status: 'unavailable',
    reason: cleanText(reason, MOST_WORDS) ?? null,
    mend: cleanText(mend, MOST_WORDS) ?? null,
  };
}

/** The rows of the pseudo-probe `host`. */
export function mergeRows(answers: readonly Answer[]): HostRow[] {
  const values = [...mergeValues(answers)].map(
    ([field, { value, source, observed_at }]): HostRow => ({
      kind: 'value',
      field,
      value: LIVE.includes(field) ? null : value,
      source,
      observed_at: new Date(observed_at).toISOString(),
    }),
  );
  return [...values, ...answers.map(sourceRow)];
}

/** Those of the fields that nobody has told yet. */
export function missing(answers: readonly Answer[], wanted: readonly HostField[]): Set<HostField> {
  const values = mergeValues(answers);
  return new Set(wanted.filter((field) => !values.has(field)));
}
