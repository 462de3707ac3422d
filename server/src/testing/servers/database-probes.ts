// A database of its own on a shared server and the collector's session on it, so that a test can run probes there and
// look at the same things directly. Guards: close() leaves neither session nor database behind.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { answerOfMostImportant } from '../../collector/most-important.ts';
import { judge, obstacle } from '../../collector/outcomes.ts';
import { runPipeline } from '../../collector/pipeline.ts';
import { probeStatement } from '../../collector/probe.queries.ts';
import { learn, openSession, type Session } from '../../collector/session.ts';
import type { CollectorTarget } from '../../collector/types.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Secret } from '../../kernel/secret.ts';
import { exactTypes } from '../../monitored/values.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { isSqlProbe, type SqlProbe } from '../../probes/types.ts';
import type { Outcome, Row } from '../../store/layout/types.ts';
import type { TestServer } from './postgres.ts';
import { wholeOutcome } from './probing.ts';

export interface ProbedDatabase {
  readonly name: string;
  readonly session: Session;
  /** As the superuser, in the database or another one; values as the collector reads them. */
  query(text: string, values?: unknown[]): Promise<Row[]>;
  elsewhere(text: string): Promise<Row[]>;
  /** A further session of the superuser's, for locks and loads; close() ends it. */
  client(): Promise<pg.Client>;
  /** The collector's session as another role. */
  as(username: string, password: string): Promise<Session>;
  outcome(probe: string, session?: Session): Promise<Outcome<Row>>;
  /** The rows of a probe that has to run. */
  rows(probe: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export function sqlProbe(name: string): SqlProbe {
  const found = probes.find((probe) => probe.name === name);
  if (!found || !isSqlProbe(found)) throw new Error(`no such probe: ${name}`);
  return found;
}

function connect(server: TestServer, database: string): Promise<pg.Client> {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.toString(), types: exactTypes });
  return client.connect().then(() => client);
}

function open(server: TestServer, database: string, role: { username: string; password: string }) {
  const target: CollectorTarget = {
    connection_id: 1,
    revision: 1,
    node_exporter_url: null,
    settings: {
      host: server.host,
      port: server.port,
      database,
      username: role.username,
      password: new Secret(role.password),
      ssl_mode: 'disable',
      allow_private_networks: true,
    },
  };
  const { signal } = new AbortController();
  return openSession({ target, database, connectTimeoutMs: 5000, signal });
}

/** Runs a probe as the collector does, with what the server offers at this moment. */
async function run(name: string, session: Session): Promise<Outcome<Row>> {
  const probe = sqlProbe(name);
  await learn(session, probes, systemClock.monotonic());
  const where = { database: session.database, username: 'watcher', server: session.server };
  const inTheWay = obstacle(probe, session.capabilities, where);
  if (inTheWay) return wholeOutcome(inTheWay);
  const text = probeStatement(probe, session.capabilities);
  const [sent] = await runPipeline(session, [{ text, timeoutMs: probe.caps.timeoutMs }]);
  if (!sent) throw new Error('no answer');
  const answer = await answerOfMostImportant(session, probe, sent);
  const { outcome } = await judge(probe, answer, { attempted_at: systemClock.now(), ...where });
  if (!outcome) throw new Error('no outcome');
  return wholeOutcome(outcome);
}

/** Makes a database with `setup` in it. */
export async function probedDatabase(server: TestServer, setup: readonly string[]): Promise<ProbedDatabase> {
  const name = `probed_${randomBytes(6).toString('hex')}`;
  const admin = await connect(server, 'postgres');
  await admin.query(`create database ${name}`);
  const maker = await connect(server, name);
  for (const statement of setup) await maker.query(statement);
  await maker.end();
  const clients: pg.Client[] = [];
  const session = await open(server, name, { username: server.superuser, password: server.password });
  const sessions = [session];
  const query = async (text: string, values: unknown[] = []) => {
    const client = await connect(server, name);
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const outcome = (probe: string, by = session) => run(probe, by);
  return {
    name,
    session,
    query,
    elsewhere: async (text) => (await admin.query<Record<string, unknown>>(text)).rows,
    outcome,
    client: async () => {
      const client = await connect(server, name);
      clients.push(client);
      return client;
    },
    as: async (username, password) => {
      const opened = await open(server, name, { username, password });
      sessions.push(opened);
      return opened;
    },
    rows: async (probe) => {
      const done = await outcome(probe);
      if (done.kind !== 'ran') throw new Error(`${probe} ${done.kind}: ${done.reason}`);
      return done.rows;
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.end()));
      await Promise.all(sessions.map((one) => one.client.close()));
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
