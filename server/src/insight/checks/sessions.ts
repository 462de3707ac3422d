// Sessions of clients as several checks ask for them. Pure. Guards: what the server hides from our role is unknown, and is
// neither idle nor at work.
import type { Facts, Item } from './facts.ts';
import type { EvidenceValue, Unknown } from './types.ts';

export const SESSION_COLUMNS = [
  'pid',
  'datname',
  'usename',
  'application_name',
  'client_addr',
  'backend_type',
  'backend_start',
  'xact_start',
  'is_vacuum',
  'state',
  'state_change',
  'stands_for',
] as const;

/** The type of what is hidden is not told; only sessions of others can be. */
const isClient = (row: Item) => [null, 'client backend'].includes(row.text('backend_type'));
export const clientSessions = (facts: Facts): Item[] => facts.rows('pg_stat_activity').filter(isClient);

/** How many they are: of very many, some rows stand for several. */
export const countOf = (sessions: readonly Item[]): number =>
  sessions.reduce((sum, row) => sum + (row.number('stands_for') ?? 1), 0);

/** What a service hides of itself no grant shows, and is none of the users' sessions. */
export function hiddenSessions(facts: Facts): Unknown[] {
  const own = facts.platform?.superuser;
  const isShown = (row: Item) => row.text('backend_type') !== null || row.text('usename') === own;
  if (facts.rows('pg_stat_activity').every(isShown)) return [];
  return [
    {
      because: 'The monitoring role lacks permission to see sessions of other users.',
      mend: 'Grant pg_read_all_stats to it; pg_monitor includes that.',
    },
  ];
}

export const isIdleInTransaction = (row: Item): boolean =>
  row.text('state')?.startsWith('idle in transaction') ?? false;

/** Seconds since that moment. */
export function secondsSince(row: Item, column: string, now: number): number {
  const from = row.time(column);
  return from === null ? 0 : Math.max(0, (now - from) / 1000);
}

/** When its transaction began by the clock of the server, in milliseconds. */
export function beganThere(row: Item, { aheadMs }: Facts): number | null {
  const at = row.time('xact_start');
  return at === null ? null : at + aheadMs;
}

/** A process number comes again; with the start of its session it does not. */
export const keyOfSession = (row: Item): string => `${row.number('pid')} ${row.text('backend_start')}`;
export const nameOfSession = (row: Item): string => `session ${row.number('pid')}`;

export const whose = (row: Item): string => {
  const application = row.text('application_name');
  return `${row.text('usename') ?? 'unknown'}${application ? ` (${application})` : ''}`;
};

export const evidenceOf = (row: Item): Record<string, EvidenceValue> => ({
  pid: row.number('pid'),
  usename: row.text('usename'),
  application_name: row.text('application_name'),
  client_addr: row.text('client_addr'),
  state: row.text('state'),
  xact_start: row.text('xact_start'),
  state_change: row.text('state_change'),
});

/** Who holds how many, the most first. */
export function holders(sessions: readonly Item[]): Readonly<Record<string, EvidenceValue>>[] {
  const groups = Map.groupBy(sessions, (row) => `${whose(row)}\n${row.text('state') ?? 'hidden'}`);
  return [...groups.values()]
    .toSorted((a, b) => countOf(b) - countOf(a))
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { usename, application_name, state } = evidenceOf(first);
      return [
        {
          usename: usename ?? null,
          application_name: application_name ?? null,
          state: state ?? null,
          sessions: countOf(group),
        },
      ];
    });
}
