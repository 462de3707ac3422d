// What mends a server's coverage, once for each thing to do instead of once for each probe and database. Pure. Guards:
// what has to be run in a database names it, and what is enough once is said once.
import type { Static } from '../../kernel/schema.ts';
import type { CoverageEntry, CoverageRemedy } from './coverage.schemas.ts';

type Entry = Static<typeof CoverageEntry>;
type Remedy = Static<typeof CoverageRemedy>;

/** These change roles or databases as such, so they may be run anywhere on the server. */
const ANYWHERE = /^grant (connect on database |[a-z_]+ to )/;

/** `serverWide`: probes that one database answers for, so that mending it there is enough. */
export function remediesOf(entries: readonly Entry[], serverWide: ReadonlySet<string>): Remedy[] {
  const remedies = new Map<string, Remedy & { probes: string[]; databases: string[] }>();
  for (const { probe, database_name, status, reason, mend } of entries) {
    if (mend === null || status === 'ok') continue;
    const place = serverWide.has(probe) || ANYWHERE.test(mend) ? null : database_name;
    const key = JSON.stringify([mend, place]);
    const known = remedies.get(key);
    const remedy = known ?? {
      statement: mend,
      database_name: place,
      status,
      reason,
      probes: [],
      databases: [],
      count: 0,
    };
    if (!known) remedies.set(key, remedy);
    remedy.count += 1;
    if (!remedy.probes.includes(probe)) remedy.probes.push(probe);
    if (database_name !== null && !remedy.databases.includes(database_name))
      remedy.databases.push(database_name);
  }
  return [...remedies.values()].sort((a, b) => b.count - a.count || (a.statement < b.statement ? -1 : 1));
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
