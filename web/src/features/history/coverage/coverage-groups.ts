// What the coverage shows at once: counts, what nothing mends, and the matrix of probes and databases. Pure.
import type { Coverage, CoverageEntry } from '../../../api/types.ts';
import { COVERAGE_STATES, isFine } from './coverage-words.ts';

type Status = CoverageEntry['status'];

export interface CoverageFilter {
  /** Empty: all. */
  status: string;
  /** Part of the name of a probe or a database; empty: all. */
  text: string;
}

export const isNarrowed = ({ status, text }: CoverageFilter) => status !== '' || text.trim() !== '';

export function isWanted({ probe, database_name, status }: CoverageEntry, wanted: CoverageFilter): boolean {
  const text = wanted.text.trim().toLowerCase();
  if (wanted.status !== '' && status !== wanted.status) return false;
  return text === '' || `${probe}\n${database_name ?? ''}`.toLowerCase().includes(text);
}

export interface StatusCount {
  status: Status;
  count: number;
}

/** How many entries are in each state, the best first. */
export function countStates(entries: readonly CoverageEntry[]): StatusCount[] {
  const counts = new Map<Status, number>();
  for (const { status } of entries) counts.set(status, (counts.get(status) ?? 0) + 1);
  const rank = (status: Status) => (status === 'ok' ? -1 : COVERAGE_STATES[status].rank);
  return [...counts]
    .map(([status, count]) => ({ status, count }))
    .sort((a, b) => rank(a.status) - rank(b.status));
}

export interface Group {
  status: Status;
  reason: string | null;
  probes: string[];
  databases: string[];
}

/** What is not collected and no statement mends, once for each reason, worst first. */
export function unmended(entries: readonly CoverageEntry[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { probe, database_name, status, reason, mend } of entries) {
    if (mend !== null || isFine(status)) continue;
    const key = `${status}\n${reason}`;
    const group = groups.get(key) ?? { status, reason, probes: [], databases: [] };
    groups.set(key, group);
    if (!group.probes.includes(probe)) group.probes.push(probe);
    if (database_name !== null && !group.databases.includes(database_name))
      group.databases.push(database_name);
  }
  return [...groups.values()].sort((a, b) => COVERAGE_STATES[a.status].rank - COVERAGE_STATES[b.status].rank);
}

export interface MatrixRow {
  probe: string;
  /** By database. */
  entries: ReadonlyMap<string, CoverageEntry>;
  /** Wherever anything is collected. */
  isFine: boolean;
}

export interface Matrix {
  /** Those with something to see first. */
  databases: string[];
  /** Databases beyond, for which there is no room. */
  more: number;
  /** Databases in which nothing is collected, all for one reason. */
  shut: string[];
  rows: MatrixRow[];
}

const MOST_DATABASES = 24;

/** Where every reading lacks the same, the database is what there is to tell of, not each probe. */
function shutIn(entries: readonly CoverageEntry[]): string[] {
  const inDatabase = Map.groupBy(entries, ({ database_name }) => database_name ?? '');
  return [...inDatabase].flatMap(([name, [first, ...rest]]) => {
    const isShut = first && first.mend !== null && !isFine(first.status);
    return isShut && rest.length > 0 && rest.every(({ mend }) => mend === first.mend) ? [name] : [];
  });
}

/** Probes that are read in each database, against the databases. */
export function matrixOf({ probes }: Pick<Coverage, 'probes'>, wanted: CoverageFilter): Matrix {
  const rows = new Map<string, Map<string, CoverageEntry>>();
  const problems = new Map<string, number>();
  for (const entry of probes) {
    const { probe, database_name, status } = entry;
    if (database_name === null || !isWanted(entry, wanted)) continue;
    const row = rows.get(probe) ?? new Map<string, CoverageEntry>();
    rows.set(probe, row.set(database_name, entry));
    problems.set(database_name, (problems.get(database_name) ?? 0) + (isFine(status) ? 0 : 1));
  }
  const databases = [...problems]
    .sort(([a, ofA], [b, ofB]) => Number(ofB > 0) - Number(ofA > 0) || (a < b ? -1 : 1))
    .map(([name]) => name);
  const shut = shutIn(probes.filter(({ database_name }) => database_name !== null));
  return {
    shut: shut.sort(),
    databases: databases.slice(0, MOST_DATABASES),
    more: Math.max(0, databases.length - MOST_DATABASES),
    rows: [...rows].map(([probe, entries]) => ({
      probe,
      entries,
      isFine: [...entries].every(([name, { status }]) => isFine(status) || shut.includes(name)),
    })),
  };
}

const MOST_NAMES = 3;

/** "a, b, c and 4 more". */
export function fewOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
}
