// What mends a server's coverage, once for each thing to do instead of once for each probe and database. Pure. Guards:
// what has to be run in a database names it, and what is enough once is said once.
import type { Static } from '../../kernel/schema.ts';
import { remediesIn, whereToRun } from '../../probes/requirements/remedy.ts';
import type { CoverageCounts, CoverageEntry, CoverageRemedy } from './coverage.schemas.ts';

type Entry = Static<typeof CoverageEntry>;
type Remedy = Static<typeof CoverageRemedy>;
type Counts = Static<typeof CoverageCounts>;

/** What is to be done for an entry, and why; a line of the reason stands for each remedy, the last ones first. */
function partsOf({ mend, reason, status }: Entry): { statement: string; reason: string | null }[] {
  if (mend === null || status === 'ok') return [];
  const statements = remediesIn(mend);
  const lines = reason?.split('\n') ?? [];
  const from = lines.length - statements.length;
  return statements.map((statement, index) => ({ statement, reason: lines[from + index] ?? reason }));
}

const later = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a);

/** `serverWide`: probes that one database answers for, so that mending it there is enough. */
export function remediesOf(entries: readonly Entry[], serverWide: ReadonlySet<string>): Remedy[] {
  const remedies = new Map<string, Remedy & { probes: string[]; databases: string[] }>();
  for (const entry of entries)
    for (const { statement, reason } of partsOf(entry)) {
      const { probe, database_name, status, checked_at } = entry;
      const { on: run_on, needs_restart, in_database } = whereToRun(statement);
      const where = serverWide.has(probe) || !in_database ? null : database_name;
      const key = JSON.stringify([statement, where]);
      const known = remedies.get(key);
      const about = { database_name: where, run_on, needs_restart, status, reason, checked_at };
      const remedy = known ?? { statement, ...about, probes: [], databases: [], count: 0 };
      if (!known) remedies.set(key, remedy);
      remedy.count += 1;
      remedy.checked_at = later(remedy.checked_at, checked_at);
      if (!remedy.probes.includes(probe)) remedy.probes.push(probe);
      if (database_name !== null && !remedy.databases.includes(database_name))
        remedy.databases.push(database_name);
    }
  return [...remedies.values()].sort(
    (a, b) => rank(a) - rank(b) || b.count - a.count || (a.statement < b.statement ? -1 : 1),
  );
}

/** What our role may not read goes first, and what is only incomplete last. */
const rank = ({ status }: Remedy) =>
  status === 'missing_grant' || status === 'masked' ? 0 : status === 'incomplete' ? 2 : 1;

const KINDS: Record<Entry['status'], keyof Counts> = {
  ok: 'collected',
  incomplete: 'incomplete',
  masked: 'incomplete',
  skipped: 'missing',
  missing_extension: 'missing',
  missing_grant: 'missing',
  missing_source: 'missing',
  stale: 'missing',
  failing: 'missing',
  waiting: 'waiting',
  disabled: 'switched_off',
  not_applicable: 'not_applicable',
};

/** What became of all of them. */
export function countsOf(entries: readonly Pick<Entry, 'status'>[]): Counts {
  const counts = { collected: 0, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 };
  for (const { status } of entries) counts[KINDS[status]] += 1;
  return counts;
}

/** Entries that nobody can mend with a statement, those for the same reason together, the largest part first. */
export interface Unmended {
  status: Entry['status'];
  reason: string;
  probes: string[];
  databases: string[];
}

export function unmendedOf(entries: readonly Entry[], statuses: ReadonlySet<string>): Unmended[] {
  const groups = new Map<string, Unmended>();
  for (const { probe, database_name, status, reason, mend } of entries) {
    if (mend !== null || !statuses.has(status)) continue;
    const key = `${status}\n${reason}`;
    const group = groups.get(key) ?? { status, reason: reason ?? status, probes: [], databases: [] };
    groups.set(key, group);
    if (!group.probes.includes(probe)) group.probes.push(probe);
    if (database_name !== null && !group.databases.includes(database_name))
      group.databases.push(database_name);
  }
  return [...groups.values()].sort((a, b) => b.probes.length - a.probes.length);
}
