// Sessions that do something on a server of a test, and what the sampling of active sessions sees of them.
import pg from 'pg';
import { judge } from '../../collector/outcomes.ts';
import { runPipeline } from '../../collector/pipeline.ts';
import { probeStatement } from '../../collector/probe.queries.ts';
import { systemClock } from '../../kernel/clock.ts';
import { probe } from '../../probes/pg-active-sessions.ts';
import { type Ran, type Row, wholeRows } from '../../store/layout/types.ts';
import type { TestCluster } from './postgres.ts';
import { type As, sessionOn } from './probing.ts';

/** Asks until there is an answer. */
export async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A session that is about to do this; whatever becomes of it, the server's end ends it. */
export async function doing(
  server: TestCluster,
  text: string,
  options: pg.ClientConfig = {},
): Promise<pg.Client> {
  const where = options.user === undefined ? { connectionString: server.url } : {};
  const client = new pg.Client({ ...where, ...options });
  client.on('error', () => undefined);
  await client.connect();
  client.query(text).catch(() => undefined);
  return client;
}

/** One run as the collector does it. */
export async function sample(server: TestCluster, as?: As): Promise<Ran<Row>> {
  const session = await sessionOn(server, as);
  try {
    const { database, capabilities } = session;
    const [answer] = await runPipeline(session, [{ text: probeStatement(probe, capabilities) }]);
    const at = { attempted_at: systemClock.now(), database, username: as?.username ?? 'postgres' };
    const outcome = answer && (await judge(probe, answer, { ...at, roles: capabilities.roles })).outcome;
    if (outcome?.kind !== 'ran') throw new Error(JSON.stringify(outcome));
    return { ...outcome, rows: wholeRows(outcome.rows) };
  } finally {
    await session.client.close();
  }
}

export const ofApplication = (rows: readonly Row[], name: string) =>
  rows.filter(({ application_name }) => application_name === name);
