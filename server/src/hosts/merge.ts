// From what several sources say to one set of facts. Guards: the first source to know a field wins, used and free
// come from the source of their total (numbers of two clocks or two scopes never meet), and whatever a source
// sends is cut to sane values before it is stored.
import type { HostDisk, HostFacts, HostField, HostRow, HostValue, SourceOutcome } from './types.ts';

const MOST_TEXT = 255;
const MOST_WORDS = 1000;
const MOST_DISKS = 64;
const MOST_CPUS = 1_000_000;

const TEXTS = ['os_name', 'os_version', 'architecture', 'hostname', 'cpu_model'] as const;
const CPUS = ['cpu_cores', 'cpu_logical'] as const;
const WHOLE = [
  'cpu_clock_speed',
  'memory_total_bytes',
  'memory_used_bytes',
  'memory_free_bytes',
  'swap_total_bytes',
  'swap_used_bytes',
  'node_memory_total_bytes',
  'cgroup_memory_limit_bytes',
] as const;

/** These answer only together with the field they are measured against. */
const ANCHORS: Partial<Record<HostField, HostField>> = {
  memory_used_bytes: 'memory_total_bytes',
  memory_free_bytes: 'memory_total_bytes',
  cgroup_memory_limit_bytes: 'memory_total_bytes',
  swap_used_bytes: 'swap_total_bytes',
};

/** The fields of the `system` object; once all are known, further sources need not be asked. */
export const SYSTEM_FIELDS = [
  ...TEXTS,
  ...CPUS,
  'cpu_clock_speed',
  'memory_total_bytes',
  'memory_used_bytes',
  'memory_free_bytes',
  'swap_total_bytes',
  'swap_used_bytes',
  'disks',
] as const satisfies readonly HostField[];

function cleanText(value: string | null | undefined, most = MOST_TEXT): string | undefined {
  const clean = value
    ?.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, most);
  return clean || undefined;
}

function wholeNumber(value: number | undefined, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (value === undefined || !Number.isFinite(value) || value < 0 || value > most) return undefined;
  return Math.round(value);
}

function cleanDisk(disk: HostDisk): HostDisk[] {
  const mount_point = cleanText(disk.mount_point);
  const filesystem_type = cleanText(disk.filesystem_type);
  const total_bytes = wholeNumber(disk.total_bytes);
  const used_bytes = wholeNumber(disk.used_bytes);
  const free_bytes = wholeNumber(disk.free_bytes);
  if (mount_point === undefined || filesystem_type === undefined) return [];
  if (total_bytes === undefined || used_bytes === undefined || free_bytes === undefined) return [];
  return [{ mount_point, filesystem_type, total_bytes, used_bytes, free_bytes }];
}

/** The facts without anything that cannot be true. */
export function cleanFacts(facts: HostFacts): Map<HostField, NonNullable<HostValue>> {
  const clean = new Map<HostField, NonNullable<HostValue>>();
  const put = (field: HostField, value: HostValue) => value !== undefined && clean.set(field, value);
  for (const field of TEXTS) put(field, cleanText(facts[field]));
  for (const field of CPUS) put(field, wholeNumber(facts[field], MOST_CPUS) || undefined);
  for (const field of WHOLE) put(field, wholeNumber(facts[field]));
  const limit = facts.cgroup_cpu_limit;
  if (limit !== undefined && limit > 0 && limit <= MOST_CPUS) put('cgroup_cpu_limit', limit);
  if (facts.disks) put('disks', facts.disks.flatMap(cleanDisk).slice(0, MOST_DISKS));
  return clean;
}

export interface Answer {
  source: string;
  outcome: SourceOutcome;
  /** Milliseconds since the epoch. */
  observed_at: number;
}

type ValueRow = Extract<HostRow, { kind: 'value' }>;

/** The winning value of each field, from answers in order of precedence. */
export function mergeValues(answers: readonly Answer[]): ValueRow[] {
  const values = new Map<HostField, ValueRow>();
  for (const { source, outcome, observed_at } of answers) {
    if (outcome.status !== 'ok') continue;
    const facts = cleanFacts(outcome.facts);
    const mine = (field: HostField | undefined) =>
      field === undefined || (values.get(field)?.source ?? source) === source;
    for (const [field, value] of facts) {
      if (values.has(field) || !mine(ANCHORS[field])) continue;
      const at = new Date(observed_at).toISOString();
      values.set(field, { kind: 'value', field, value, source, observed_at: at });
    }
  }
  return [...values.values()];
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
  return [...mergeValues(answers), ...answers.map(sourceRow)];
}

export function isComplete(answers: readonly Answer[]): boolean {
  const fields = new Set(mergeValues(answers).map(({ field }) => field));
  return SYSTEM_FIELDS.every((field) => fields.has(field));
}
