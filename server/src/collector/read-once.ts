// One look at a server with everything the collector reads, kept in memory alone: for a verdict without a datastore. Guards: the same
// sessions, statements, timeouts and caps as when it is monitored; nothing is written anywhere; two sessions at most; what cannot be
// read is said and hinders nothing else.
import type { Reading } from '../insight/checks/facts.ts';
import type { Trouble } from '../insight/checks/judge.ts';
import type { ReadOptions, ServerRead, WaitShare, Watched } from '../insight/checks/server-read.ts';
import { sleep, systemClock } from '../kernel/clock.ts';
import { StatementParser } from '../kernel/parser/parser.ts';
import type { UrlSettings } from '../monitored/connection-url.ts';
import { probes } from '../probes/catalog.gen.ts';
import { isSqlProbe, type SqlProbe } from '../probes/types.ts';
import { type Outcome, type Row, wholeRows } from '../store/layout/types.ts';
import { answerOfMostImportant } from './most-important.ts';
import { judge, obstacle } from './outcomes.ts';
import { maySayUncounted } from './own-statements.ts';
import { asTargetError, runPipeline } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import { refined } from './refine.ts';
import { type Database, rosterOf } from './roster-once.ts';
import { Scrubber } from './scrub.ts';
import { ServerClock } from './server-clock.ts';
import { learn, openSession, type Session } from './session.ts';
import { answerWithSizes } from './slow-sizes.ts';
import { withheldTexts } from './without-texts.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const MOST_DATABASES = 100;
const SAMPLE_MS = 1000;

const sqlProbes: readonly SqlProbe[] = probes.filter(isSqlProbe);
const NO_HOST: Trouble = {
  database_name: '',
  because: 'Only the server was read; a monitored server has host metrics too.',
  mend: null,
  isNotApplicable: false,
};

const NO_ROSTER = 'The databases of the server could not be listed, so what belongs to which is not known.';

const troubleOf = (
  database_name: string,
  { note, mend }: { note: string; mend: string | null },
): Trouble => ({
  ...{ database_name, because: note, mend },
  isNotApplicable: false,
});

class Look {
  readonly readings = new Map<string, Reading[]>();
  readonly troubles = new Map<string, Trouble[]>();
  /** Probes that found for the whole server what they read in one database. */
  readonly #done = new Set<string>();
  readonly #username: string;
  readonly #scrubber = new Scrubber();
  readonly #clock: ServerClock;
  /** What was read of each database, for whoever goes on from it. */
  readonly #memory = {
    refused: new Map<string, string>(),
    rows: (probe: string, database: string): readonly Row[] | undefined =>
      this.readings.get(probe)?.find(({ database_name }) => database_name === database)?.rows,
  };
  readonly #parser: StatementParser | undefined;
  /** Once they are known, what is read for the whole server is divided among them. */
  databases: readonly Database[] = [];

  constructor(username: string, parser?: StatementParser, clock = new ServerClock()) {
    this.#username = username;
    this.#clock = clock;
    this.#parser = parser;
    for (const { name } of probes.filter((probe) => !isSqlProbe(probe))) this.troubles.set(name, [NO_HOST]);
  }

  #put<T>(lists: Map<string, T[]>, probe: string, one: T): void {
    const list = lists.get(probe);
    if (list) list.push(one);
    else lists.set(probe, [one]);
  }

  trouble(probe: string, database_name: string, note: string): void {
    this.#put(this.troubles, probe, troubleOf(database_name, { note, mend: null }));
  }

  #noteRows(
    { name, serverWide }: SqlProbe,
    database_name: string,
    at: { collected_at: number; rows: readonly Row[] },
  ) {
    const column = serverWide?.databaseColumn;
    if (!serverWide || this.databases.length === 0) {
      this.#put(this.readings, name, { database_name, ...at });
      return;
    }
    this.#done.add(name);
    this.troubles.delete(name); // Of databases that could not tell it.
    const rows = Map.groupBy(at.rows, (row) => (column === undefined ? '' : String(row[column])));
    for (const { name: datname, id } of this.databases) {
      if (id === null && column !== undefined) {
        this.trouble(name, datname, NO_ROSTER);
        continue;
      }
      const own = column === undefined ? at.rows : (rows.get(id ?? '') ?? []);
      this.#put(this.readings, name, { database_name: datname, collected_at: at.collected_at, rows: own });
    }
  }

  #note(probe: SqlProbe, database_name: string, outcome: Outcome): void {
    if (outcome.kind === 'ran') {
      const { collected_at, rows } = outcome;
      this.#noteRows(probe, database_name, { collected_at, rows: wholeRows(rows) });
      return;
    }
    const isNotApplicable = outcome.kind === 'skipped' && outcome.cause === 'not_applicable';
    const { reason: because, mend = null } = outcome;
    this.#put(this.troubles, probe.name, { database_name, because, mend, isNotApplicable });
  }

  async #refined(session: Session, { probe, outcome }: { probe: SqlProbe; outcome: Outcome }) {
    const [parser, memory] = [this.#parser, this.#memory];
    return parser ? refined(probe, outcome, { session, parser, memory }) : outcome;
  }

  /** Runs these probes one after the other over the session. */
  async run(session: Session, own: readonly SqlProbe[]): Promise<void> {
    const { database, capabilities, server } = session;
    const where = { database, username: this.#username, server };
    for (const probe of own) {
      if (this.#done.has(probe.name)) continue;
      const place = probe.level === 'D' ? database : '';
      const skipped = obstacle(probe, capabilities, where);
      if (skipped) {
        this.#note(probe, place, skipped);
        continue;
      }
      const { timeoutMs } = probe.caps;
      const statement = { text: probeStatement(probe, capabilities), timeoutMs, how: probeReply(probe) };
      const attempted_at = systemClock.now();
      const [sent] = await runPipeline(session, [statement]);
      if (!sent) continue;
      const whole = await answerOfMostImportant(session, probe, sent);
      const { answer } = await answerWithSizes(session, { probe, answer: whole });
      const ahead_ms = this.#clock.aheadMs;
      const seen = { attempted_at, roles: capabilities.roles, scrubber: this.#scrubber, ahead_ms };
      const { outcome } = await judge(probe, answer, { ...where, ...seen });
      const foreign = probe.withoutTexts && withheldTexts(answer);
      if (foreign) this.#put(this.troubles, probe.name, troubleOf(place, foreign));
      else if (outcome) this.#note(probe, place, await this.#refined(session, { probe, outcome }));
      else this.trouble(probe.name, place, 'The session broke while it was read.');
      if (session.lost()) throw session.lostBy ?? asTargetError(new Error('lost'));
    }
  }
}

const onServer = sqlProbes.filter(
  ({ level, roundTripColumn }) => level === 'S' && roundTripColumn === undefined,
);
const inDatabase = sqlProbes.filter(({ level }) => level === 'D');

function probeNamed(name: string): SqlProbe {
  const found = sqlProbes.find((probe) => probe.name === name);
  if (!found) throw new Error(`there is no probe ${name}`);
  return found;
}

async function visit(
  look: Look,
  { name, obstacle: why }: Database,
  open: (name: string) => Promise<Session>,
) {
  const skip = (because: string) => {
    for (const probe of inDatabase) if (!probe.serverWide) look.trouble(probe.name, name, because);
  };
  if (why !== null) {
    skip(why);
    return;
  }
  try {
    const session = await open(name);
    try {
      await look.run(session, inDatabase);
    } finally {
      await session.client.close();
    }
  } catch (error) {
    skip(asTargetError(error).message);
  }
}

const countOf = (rows: readonly Row[], columns: readonly string[]): number =>
  rows.reduce((sum, row) => sum + columns.reduce((all, column) => all + Number(row[column] ?? 0), 0), 0);

/** Transactions of all databases, and sessions at work once a second. */
async function watch(session: Session, { seconds, signal }: ReadOptions): Promise<Watched> {
  const rowsOf = async (name: string) => {
    const look = new Look(session.database);
    await look.run(session, [probeNamed(name)]);
    return look.readings.get(name)?.flatMap(({ rows }) => rows);
  };
  const transactions = async () => {
    const rows = await rowsOf('pg_stat_database');
    return rows && countOf(rows, ['xact_commit', 'xact_rollback']);
  };
  const began = systemClock.monotonic();
  const before = await transactions();
  const waits = new Map<string, number>();
  let samples = 0;
  do {
    const rows = await rowsOf('pg_active_sessions');
    if (rows) samples += 1;
    for (const row of rows ?? [])
      if (row.state === 'active') {
        const name = typeof row.wait_event_type === 'string' ? row.wait_event_type : 'CPU';
        waits.set(name, (waits.get(name) ?? 0) + Number(row.sessions ?? 0));
      }
    const left = seconds * 1000 - (systemClock.monotonic() - began);
    if (left > 0) await sleep(Math.min(SAMPLE_MS, left), signal);
  } while (systemClock.monotonic() - began < seconds * 1000 && !signal.aborted);
  const after = await transactions();
  const took = (systemClock.monotonic() - began) / 1000;
  const shares: WaitShare[] = [...waits].map(([name, sum]) => ({ name, sessions: sum / samples }));
  const isCounted = before !== undefined && after !== undefined && took > 0;
  return {
    seconds: took,
    transactions_per_second: isCounted ? Math.max(0, after - before) / took : null,
    load: samples > 0 ? shares.reduce((sum, { sessions }) => sum + sessions, 0) : null,
    waits: shares.toSorted((a, b) => b.sessions - a.sessions),
  };
}

export async function readServerOnce(settings: UrlSettings, options: ReadOptions): Promise<ServerRead> {
  const { signal, progress } = options;
  const own = { ...settings, allow_private_networks: true };
  const target = { connection_id: 0, revision: 0, node_exporter_url: null, settings: own };
  const serverClock = new ServerClock();
  let isUncounted = false;
  const open = async (database: string) => {
    const session = await openSession({
      ...{ target, database, signal, isUncounted },
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    const attempted_at = systemClock.now();
    const { clock, took_ms } = await learn(session, sqlProbes, systemClock.monotonic());
    serverClock.heard(clock, { attempted_at, took_ms });
    isUncounted ||= maySayUncounted(session);
    return session;
  };
  const session = await open(settings.database);
  const parser = new StatementParser();
  try {
    const { client } = session;
    progress(`Connected to PostgreSQL ${client.server_version} on ${settings.host}:${settings.port}.`);
    const look = new Look(settings.username, parser, serverClock);
    const all = await rosterOf(session);
    look.databases = all;
    const rows = [{ clock_ahead_seconds: serverClock.aheadMs / 1000 }];
    look.readings.set('pg_connectivity', [{ database_name: '', collected_at: systemClock.now(), rows }]);
    progress(`Watching it for ${options.seconds} s.`);
    const watched = await watch(session, options);
    progress('Reading the server.');
    await look.run(session, onServer);
    await look.run(session, inDatabase);
    const others = all.filter(({ name }) => name !== settings.database).slice(0, MOST_DATABASES - 1);
    for (const one of others) {
      signal.throwIfAborted();
      progress(`Reading the database ${one.name}.`);
      await visit(look, one, open);
    }
    return {
      server_version: client.server_version,
      host: settings.host,
      port: settings.port,
      database: settings.database,
      username: settings.username,
      is_encrypted: client.tls,
      known: { now: systemClock.now(), readings: look.readings },
      troubles: look.troubles,
      watched,
      databases: { read: others.length + 1, all: all.length },
    };
  } finally {
    await Promise.all([session.client.close(), parser.stop()]);
  }
}
