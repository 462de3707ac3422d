// Which statements were run on which monitored server: every text that leaves through a session of ours, counted
// until it is written down. Guards: memory is bounded, and of a statement whose text carries a list of keys there is
// one entry, not one for each list.
import { createHash } from 'node:crypto';
import type { Db } from '../../kernel/db.ts';
import { writeRuns, writeStatements } from './statement-ledger.queries.ts';

export interface LedgerText {
  readonly fingerprint: string;
  /** Of its comment, e.g. probe.pg_database. */
  readonly name: string;
  /** Where in the program it stands. */
  readonly source: string;
  readonly text: string;
}

export interface LedgerRun {
  readonly connection_id: number;
  readonly fingerprint: string;
  /** Wall clock, milliseconds since the epoch. */
  first_run_at: number;
  last_run_at: number;
  runs: number;
  failures: number;
}

export interface LedgerTake {
  texts: LedgerText[];
  runs: LedgerRun[];
}

const MOST_TEXTS = 5000;
const MOST_RUNS = 200_000;
const NAMED = /^\/\* ([a-z0-9_.]{1,100}) \*\//;

const SOURCES: readonly [prefix: string, source: string][] = [
  ['collector.', 'collector/target.queries.ts'],
  ['target.', 'monitored/sign-in.ts'],
  ['advice.', 'insight/advice/advice.queries.ts'],
  ['live.', 'estate/connections/live.queries.ts'],
  ['logs.', 'estate/connections/log-source.queries.ts'],
  ['sql.', 'monitored/read-only-sql/session.queries.ts'],
];

function sourceOf(name: string): string {
  const [kind, one = ''] = name.split('.');
  const file = one.replaceAll('_', '-');
  if (kind === 'probe') return `probes/${file}.ts`;
  if (kind === 'hosts') return `probes/hosts/${file}.ts`;
  return SOURCES.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'collector';
}

/** Around statements that somebody wrote, which are in the audit log by their fingerprint. */
const PEOPLES = new Set([
  'sql.declare',
  'sql.direct',
  'sql.prepare',
  'sql.explain',
  'sql.write',
  'sql.fetch',
  'sql.skip',
]);

/** Array constants and numbers that the collector puts in are not what tells one statement from another. */
function plain(name: string, text: string): string {
  if (name.endsWith('.texts'))
    return text.replace(/'\{[^']*\}'/g, "'{…}'").replace(/\blimit \d+$/, 'limit …');
  // What is planned is a statement of others.
  if (name === 'advice.plan') return text.replace(/ as .*$/s, ' as …');
  if (PEOPLES.has(name)) return `/* ${name} */ …`;
  if (name === 'collector.capabilities') return text.replace(/'\{[^']*\}'/g, "'{…}'");
  return name === 'collector.timeout' ? text.replace(/'\d+'/, "'…'") : text;
}

function entryOf(text: string): LedgerText {
  const name = NAMED.exec(text)?.[1] ?? 'unnamed';
  const clean = plain(name, text);
  const fingerprint = createHash('sha256').update(clean).digest('hex').slice(0, 16);
  return { fingerprint, name, source: sourceOf(name), text: clean };
}

type Ran = Pick<LedgerRun, 'first_run_at' | 'last_run_at' | 'runs' | 'failures'>;

function join(known: LedgerRun, more: Ran): void {
  known.first_run_at = Math.min(known.first_run_at, more.first_run_at);
  known.last_run_at = Math.max(known.last_run_at, more.last_run_at);
  known.runs += more.runs;
  known.failures += more.failures;
}

export class StatementLedger {
  /** By the text as it was sent. */
  #entries = new Map<string, LedgerText>();
  readonly #written = new Set<string>();
  #texts = new Map<string, LedgerText>();
  /** By connection and fingerprint. */
  #runs = new Map<number, Map<string, LedgerRun>>();
  #count = 0;

  #entry(text: string): LedgerText {
    const known = this.#entries.get(text);
    if (known) return known;
    if (this.#entries.size >= MOST_TEXTS) this.#entries.clear();
    const entry = entryOf(text);
    // Lists of keys are hardly ever the same again.
    if (entry.text === text || entry.name.startsWith('collector.')) this.#entries.set(text, entry);
    return entry;
  }

  /** A statement was answered or refused. Answers what tells its text from others. */
  ran(connectionId: number, text: string, { at, failed }: { at: number; failed: boolean }): string {
    const entry = this.#entry(text);
    const { fingerprint } = entry;
    if (!this.#written.has(fingerprint) && this.#texts.size < MOST_TEXTS) this.#texts.set(fingerprint, entry);
    const known = this.#runs.get(connectionId)?.get(fingerprint);
    const failures = failed ? 1 : 0;
    if (known) join(known, { first_run_at: at, last_run_at: at, runs: 1, failures });
    else
      this.#add({
        connection_id: connectionId,
        fingerprint,
        first_run_at: at,
        last_run_at: at,
        runs: 1,
        failures,
      });
    return fingerprint;
  }

  #add(run: LedgerRun): void {
    const { connection_id, fingerprint } = run;
    const own = this.#runs.get(connection_id) ?? new Map<string, LedgerRun>();
    const known = own.get(fingerprint);
    if (known) join(known, run);
    if (known || this.#count >= MOST_RUNS) return;
    own.set(fingerprint, run);
    this.#runs.set(connection_id, own);
    this.#count += 1;
  }

  /** What is to be written down; it is the caller's from now on. */
  take(): LedgerTake {
    const runs = [...this.#runs.values()].flatMap((own) => [...own.values()]);
    const taken = { texts: [...this.#texts.values()], runs };
    this.#texts = new Map();
    this.#runs = new Map();
    this.#count = 0;
    return taken;
  }

  /** These are written down and not handed out again. */
  done(texts: readonly LedgerText[]): void {
    for (const { fingerprint } of texts) this.#written.add(fingerprint);
  }

  /** It could not be written: once more later, together with what came in meanwhile. */
  restore({ texts, runs }: LedgerTake): void {
    for (const text of texts) this.#texts.set(text.fingerprint, text);
    for (const run of runs) this.#add(run);
  }
}

const AT_ONCE = 1000;
const TEXTS_AT_ONCE = 200;

function* slices<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

/** Rejects when the datastore does not take it; what was not written is kept for the next time. */
export async function writeLedger(db: Pick<Db, 'run'>, ledger: StatementLedger): Promise<void> {
  const { texts, runs } = ledger.take();
  const written = { texts: 0, runs: 0 };
  try {
    for (const slice of slices(texts, TEXTS_AT_ONCE)) {
      await db.run(writeStatements(slice));
      ledger.done(slice);
      written.texts += slice.length;
    }
    for (const slice of slices(runs, AT_ONCE)) {
      await db.run(writeRuns(slice));
      written.runs += slice.length;
    }
  } catch (error) {
    ledger.restore({ texts: texts.slice(written.texts), runs: runs.slice(written.runs) });
    throw error;
  }
}
