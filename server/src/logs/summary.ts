// What is kept of the events of all files while they are read. Guards: memory is bounded whatever is read; every event is counted
// under its severity, and under a class or as unclassified.
import { cutText } from '../kernel/inert-text.ts';
import { classify } from './classify.ts';
import { ByStatement } from './figures/by-statement.ts';
import { type Deadlock, deadlockOf } from './figures/deadlocks.ts';
import { LoggedStatements } from './figures/logged-statements.ts';
import { addFigures, type FigureSum, Tally } from './figures/tallies.ts';
import { vacuumedTable } from './figures/vacuum.ts';
import { decoded } from './text.ts';
import type { EventClass, LogEvent, Severity } from './types.ts';

const MOST_DEADLOCKS = 100;
const LONGEST_SHAPE = 200;
const CONNECTION_FAILURES: ReadonlySet<string> = new Set([
  'authentication_failed',
  'database_missing',
  'database_refuses',
  'too_many_connections',
  'server_not_ready',
  'authentication_timeout',
  'tls_failed',
  'protocol_violation',
]);

export interface ClassCount {
  one: EventClass;
  count: number;
  first: number;
  last: number;
  example: LogEvent;
  figures: Map<string, FigureSum>;
}

export interface TableRuns {
  vacuums: number;
  analyzes: number;
  elapsed_seconds: number;
  tuples_removed: number;
}

/** The text of a message without what is said of one object. */
const shapeOf = (message: string): string =>
  decoded(cutText(message, 2000))
    .replaceAll(/"(?:[^"\n]|"")*"/g, '"…"')
    .replaceAll(/\d+/g, '…')
    .split('\n', 1)
    .join('')
    .trim();

export class Summary {
  events = 0;
  eventLines = 0;
  unclassified = 0;
  unknownSqlstate = 0;
  cutEvents = 0;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  readonly classes = new Map<string, ClassCount>();
  readonly severities = new Map<Severity, number>();
  readonly sqlstates = new Map<string, number>();
  readonly unclassifiedTexts = new Tally();
  readonly slow = new ByStatement();
  readonly #logged = new LoggedStatements();
  readonly tempFiles = new ByStatement();
  readonly connectionFailures = new Tally();
  readonly checkpointCauses = new Tally();
  readonly lockModes = new Tally();
  readonly changedSettings = new Tally();
  readonly deadlocks: Deadlock[] = [];
  readonly tables = new Map<string, TableRuns>();
  readonly versions = new Tally();
  /** Processes that start the others. */
  readonly #postmasters = new Set<string>();
  #postmaster = '';
  hasTwoServers = false;

  add(event: LogEvent): void {
    this.events += 1;
    this.eventLines += event.lines;
    if (event.isCut) this.cutEvents += 1;
    if (event.time < this.first) this.first = event.time;
    if (event.time > this.last) this.last = event.time;
    this.severities.set(event.severity, (this.severities.get(event.severity) ?? 0) + 1);
    if (event.severity === 'ERROR' || event.severity === 'FATAL') this.#logged.failed(event.pid);
    const { one, sqlstate, read } = classify(event);
    if (sqlstate === '') this.unknownSqlstate += 1;
    else this.sqlstates.set(sqlstate, (this.sqlstates.get(sqlstate) ?? 0) + 1);
    if (one === undefined) {
      this.unclassified += 1;
      const shape = shapeOf(event.message);
      this.unclassifiedTexts.add(`${event.severity}: ${cutText(shape, LONGEST_SHAPE)}`);
      return;
    }
    if (this.#postmasters.size > 0) this.#lookForTwo(read);
    this.#count({ one, read }, event);
    this.#special(one.name, read);
  }

  #count({ one, read }: { one: EventClass; read: LogEvent }, event: LogEvent): void {
    let known = this.classes.get(one.name);
    if (known === undefined) {
      known = { one, count: 0, first: event.time, last: event.time, example: event, figures: new Map() };
      this.classes.set(one.name, known);
    }
    known.count += 1;
    if (event.time < known.first) known.first = event.time;
    if (event.time > known.last) known.last = event.time;
    // Of slow statements the figures are kept by statement.
    if (one.figures !== undefined && one.name !== 'slow_statement') {
      const figures = one.figures(read);
      if (figures !== undefined) addFigures(known.figures, figures);
    }
  }

  #lookForTwo({ pid, message }: LogEvent): void {
    if (message === 'database system is shut down') this.#postmasters.delete(pid);
    else if (pid !== this.#postmaster && this.#postmasters.has(pid)) this.hasTwoServers = true;
  }

  #special(name: string, event: LogEvent): void {
    const { message } = event;
    if (name === 'slow_statement') this.#slow(event);
    else if (name === 'statement_logged') this.#logged.began(event.pid, message);
    else if (name === 'statement_duration') this.#ended(event);
    else if (name === 'temp_file') {
      const bytes = Number(message.slice(message.lastIndexOf(' ') + 1));
      this.tempFiles.add(event.statement, bytes, event.time);
    } else if (name === 'deadlock') {
      if (this.deadlocks.length < MOST_DEADLOCKS) this.deadlocks.push(deadlockOf(event));
    } else if (name === 'autovacuum' || name === 'autoanalyze' || name === 'autovacuum_wraparound')
      this.#table(name, event);
    else if (name === 'checkpoint_starting')
      this.checkpointCauses.add(message.slice('checkpoint starting:'.length).trim() || 'none');
    else if (name === 'lock_wait')
      this.lockModes.add(/waiting for (\w+) on (\w+)/.exec(message)?.slice(1).join(' on ') ?? 'unknown');
    else if (name === 'parameter_changed')
      this.changedSettings.add(decoded(/^parameter "([^"]{1,128})"/.exec(message)?.[1] ?? 'unknown'));
    else if (name === 'server_starting') this.#started(event);
    else if (CONNECTION_FAILURES.has(name)) this.connectionFailures.add(reasonOf(message));
  }

  #ended({ pid, message, time }: LogEvent): void {
    const statement = this.#logged.ended(pid);
    if (statement !== undefined) this.slow.add(statement, durationOf(message), time);
  }

  #slow({ message, time }: LogEvent): void {
    const ms = durationOf(message);
    const from = message.indexOf(' ms ');
    const start = message.indexOf(': ', from);
    this.slow.add(start === -1 ? '' : message.slice(start + 2), ms, time);
  }

  #table(name: string, { message }: LogEvent): void {
    const table = decoded(vacuumedTable(message) ?? 'unknown');
    const known = this.tables.get(table);
    if (known === undefined && this.tables.size >= 10_000) return;
    const runs = known ?? { vacuums: 0, analyzes: 0, elapsed_seconds: 0, tuples_removed: 0 };
    if (name === 'autoanalyze') runs.analyzes += 1;
    else runs.vacuums += 1;
    runs.elapsed_seconds += Number(/elapsed:? ([\d.]+) s/.exec(message)?.[1] ?? 0);
    runs.tuples_removed += Number(/tuples: (\d+) removed/.exec(message)?.[1] ?? 0);
    this.tables.set(table, runs);
  }

  #started({ pid, message }: LogEvent): void {
    this.versions.add(/PostgreSQL (\d+[\w.]*)/.exec(message)?.[1] ?? 'unknown');
    if (this.#postmasters.size < 1000) this.#postmasters.add(pid);
    this.#postmaster = pid;
  }
}

const durationOf = (message: string) =>
  Number.parseFloat(message.slice('duration: '.length, 'duration: '.length + 24));

/** Why a client was refused, without its name and address. */
function reasonOf(message: string): string {
  const shape = shapeOf(message);
  const pgHba = /^no pg_hba\.conf entry for ([\w-]+(?: connection)?)/.exec(shape);
  if (pgHba !== null) return `no pg_hba.conf entry for ${pgHba[1]}`;
  return cutText(shape, LONGEST_SHAPE);
}
