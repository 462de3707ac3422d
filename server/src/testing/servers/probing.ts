// What tests of probes share: a session like the collector's on a test server, and one run of one probe over it.
import pg from 'pg';
import { judge, obstacle } from '../../collector/outcomes.ts';
import { runPipeline } from '../../collector/pipeline.ts';
import { probeStatement } from '../../collector/probe.queries.ts';
import { learn, openSession, type Session } from '../../collector/session.ts';
import type { CollectorTarget } from '../../collector/types.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Secret } from '../../kernel/secret.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { isSqlProbe, type SqlProbe } from '../../probes/types.ts';
import { type Outcome, type Row, wholeRows } from '../../store/layout/types.ts';
import type { TestServer } from './postgres.ts';

export const catalog: readonly SqlProbe[] = probes.filter(isSqlProbe);

/** Everything that is read once for a server. */
export const serverProbes = catalog.filter(({ level }) => level === 'S');

export function probeNamed(name: string): SqlProbe {
  const found = catalog.find((probe) => probe.name === name);
  if (!found) throw new Error(`There is no probe ${name}.`);
  return found;
}

export interface As {
  username: string;
  password: string;
}

function targetOn(
  server: TestServer,
  id = 1,
  as: As = { username: server.superuser, password: server.password },
) {
  return {
    connection_id: id,
    revision: 1,
    node_exporter_url: null,
    settings: {
      host: server.host,
      port: server.port,
      database: 'postgres',
      username: as.username,
      password: new Secret(as.password),
      ssl_mode: 'disable',
      allow_private_networks: true,
    },
  } as const satisfies CollectorTarget;
}

/** A session of the collector that knows what the server offers. Close its client. */
export async function sessionOn(server: TestServer, as?: As, database = 'postgres'): Promise<Session> {
  const { signal } = new AbortController();
  const session = await openSession({
    target: targetOn(server, 1, as),
    database,
    connectTimeoutMs: 5000,
    signal,
  });
  await learn(session, catalog, systemClock.monotonic());
  return session;
}

export const wholeOutcome = (outcome: Outcome): Outcome<Row> =>
  outcome.kind === 'ran' ? { ...outcome, rows: wholeRows(outcome.rows) } : outcome;

/** One run, as the collector would do it. */
export async function runProbe(
  session: Session,
  probe: SqlProbe,
  username = 'postgres',
): Promise<Outcome<Row>> {
  const { database, capabilities } = session;
  const skipped = obstacle(probe, capabilities, { database, username, server: session.server });
  if (skipped) return wholeOutcome(skipped);
  const [answer] = await runPipeline(session, [{ text: probeStatement(probe, capabilities) }]);
  if (!answer) throw new Error('no answer');
  const { outcome } = await judge(probe, answer, {
    attempted_at: systemClock.now(),
    database,
    username,
    roles: capabilities.roles,
    server: session.server,
  });
  if (!outcome) throw new Error('the session broke');
  return wholeOutcome(outcome);
}

/** Of samples that are read for all databases in one, what is stored of the session's own. */
export function ofOwn(
  { keeps, serverWide }: SqlProbe,
  rows: readonly Row[],
  database: string,
): readonly Row[] {
  const isOfAll = keeps === 'samples' && serverWide?.databaseColumn !== undefined;
  return isOfAll ? rows.filter(({ datname }) => datname === database) : rows;
}

/** The rows of a run that has to succeed. */
export async function rowsOf(session: Session, name: string): Promise<readonly Row[]> {
  const outcome = await runProbe(session, probeNamed(name));
  if (outcome.kind !== 'ran') throw new Error(`${name}: ${outcome.reason}`);
  return outcome.rows;
}

/** What an ordinary session of the superuser sees. */
export async function directly(server: TestServer, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
