// How many entries our own statements take in the server's pg_stat_statements: one for each text and database, each in the place of
// a statement of others once it is full. Pure. Guards: databases are not read, and the reason says so, before our share is passed.
import type { Way } from '../monitored/connect.ts';
import { identifier } from '../probes/requirements/names.ts';
import type { ServerReading } from '../probes/requirements/reading.queries.ts';

/** Of what pg_stat_statements holds at most. */
const SHARE = 0.05;
/** Texts that a visit of a database takes, until one was counted: a probe each, and what readies the session. */
const VISIT_TEXTS = 20;
/** Of each database beside those that are told: two that begin a session, and two before each statement where a pooler is asked. */
const SESSION_TEXTS = 4;
/** Kept free for what the server as a whole is asked now and then. */
const RESERVE = 20;

/** As a session of ours on the server has read it. */
export type CountedBy = Pick<ServerReading, 'settings' | 'is_superuser' | 'is_set_uncounted'>;

interface SaidBy {
  readonly client: { readonly way: Way };
  readonly server?: CountedBy;
}

/** Whether pg_stat_statements counts what such a session runs. */
function isCounted({ settings }: CountedBy): boolean {
  const track = settings.get('pg_stat_statements.track')?.value ?? 'none';
  return track !== 'none' && settings.get('compute_query_id')?.value !== 'off';
}

/** Whether a new session will leave no trace there, since our role was set so meanwhile. */
export const willBeUncounted = (server: CountedBy | undefined): boolean =>
  server?.is_set_uncounted === true && isCounted(server);

/** Whether a session may say at its start that it leaves no trace there: a superuser's, where no pooler is asked. */
export const maySayUncounted = ({ server, client }: SaidBy): boolean =>
  client.way === 'direct' && server?.is_superuser === true && isCounted(server);

export interface EntriesReport {
  /** Null: nobody counts there, or nothing is known of the server yet. */
  readonly statement_entries: number | null;
  readonly statement_entries_limit: number | null;
}

export class OwnStatements {
  /** Fingerprints of texts, by database. */
  readonly #texts = new Map<string, Set<string>>();
  #server: CountedBy | undefined;
  #visitTexts = VISIT_TEXTS;

  /** What a session says of the server it is on. */
  judge(server: CountedBy | undefined): void {
    if (server) this.#server = server;
  }

  ran(database: string, fingerprint: string): void {
    const own = this.#texts.get(database) ?? new Set();
    this.#texts.set(database, own);
    own.add(fingerprint);
  }

  /** A visit of that database is over. */
  visited(database: string): void {
    this.#visitTexts = Math.max(this.#visitTexts, (this.#texts.get(database)?.size ?? 0) + SESSION_TEXTS);
  }

  /** Others were dropped; their entries stay until they are evicted, and no new ones come. */
  keepOnly(databases: ReadonlySet<string>): void {
    for (const name of this.#texts.keys()) if (!databases.has(name)) this.#texts.delete(name);
  }

  get #count(): number {
    return [...this.#texts.values()].reduce((sum, { size }) => sum + size + SESSION_TEXTS, 0);
  }

  get #limit(): number | undefined {
    const max = Number(this.#server?.settings.get('pg_stat_statements.max')?.value);
    return Number.isFinite(max) && max > 0 ? Math.floor(max * SHARE) : undefined;
  }

  /** Whether a visit of that database leaves us within our share. */
  mayVisit(database: string): boolean {
    const limit = this.#limit;
    if (!this.#server || limit === undefined || !isCounted(this.#server)) return true;
    return (this.#texts.get(database)?.size ?? 0) > 0 || this.#count + this.#visitTexts + RESERVE <= limit;
  }

  get report(): EntriesReport {
    const limit = this.#limit;
    if (!this.#server || limit === undefined)
      return { statement_entries: null, statement_entries_limit: null };
    return {
      statement_entries: isCounted(this.#server) ? this.#count : 0,
      statement_entries_limit: limit,
    };
  }
}

/** What is said of a database that is not read for it. */
export const heldBack = (role: string) => ({
  reason:
    'Reading this database as well would take more than 5 % of the entries of pg_stat_statements: each statement takes one in each database.',
  mend: `alter role ${identifier(role)} set pg_stat_statements.track = 'none';`,
});
