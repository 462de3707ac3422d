// Short questions to a monitored server while somebody waits for the answer: a session of their own, opened and
// closed for each. Guards: few at once, 5 s to connect, 10 s to run, and only our own words reach the caller.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { connectTarget, SESSION_STATEMENT, TargetError, type TextClient } from '../../monitored/connect.ts';
import { noteConnection } from './connection-audit.ts';
import type { DatabaseInfo } from './connections.schemas.ts';
import type { ConnectionsDeps } from './connections.service.ts';
import { untilEnded } from './left-running.ts';
import { LIVE_DATABASES } from './live.queries.ts';
import { type Keep, liveLimiter, serverKey } from './live-limiter.ts';
import { readLiveRoom } from './live-room.service.ts';
import { secretUse } from './secret-uses.service.ts';
import { StatementLedger, writeLedger } from './statement-ledger.ts';
import { loadTargets, type ServerSettings } from './targets.service.ts';

const CONNECT_MS = 5000;
const RUN_MS = 10_000;
const MAX_REPLY_BYTES = 8 * 1024 * 1024;

function publicFault(error: unknown): unknown {
  if (!(error instanceof TargetError)) return error;
  return new Fault(error.step === 'timeout' ? 'gateway_timeout' : 'bad_gateway', error.message, {
    cause: error,
  });
}

export interface LiveSession {
  connection_id: number;
  /** Another database than the connection's own. */
  database_name?: string | undefined;
  /** What for, as the audit log names it. */
  purpose: string;
  /** As the server lists it; `matriarch live` when absent. */
  application_name?: string;
  /** 10 s when absent. */
  statement_timeout_ms?: number;
}

interface ReadySession extends LiveSession {
  settings: ServerSettings;
  /** Of the connection. */
  name: string;
  keep: Keep;
}

/** Notes a statement that was sent. */
export type Ran = (statement: string, failed: boolean) => void;
type LiveCall<T> = (client: TextClient, ran: Ran) => Promise<T>;

/** Whatever is run on a monitored server is in its ledger. */
async function enter(ctx: Ctx, connection_id: number, ledger: StatementLedger): Promise<void> {
  try {
    await writeLedger(ctx.db, ledger);
  } catch (error) {
    ctx.log.warn({ event: 'connections.ledger_failed', connection_id, err: error });
  }
}

/** Work elsewhere that counts among the questions of its caller, `server` being no monitored one. */
export const withPermit = <T>(ctx: Ctx, server: string, work: () => Promise<T>): Promise<T> =>
  liveLimiter.run({ user_id: ctx.principal.user_id, server, signal: ctx.signal }, work);

/** The caller's access has been checked. Rejects with a Fault, or with what the work rejected with. */
export async function withLiveSession<T>(
  ctx: Ctx,
  { deps, ...wanted }: LiveSession & { deps: ConnectionsDeps },
  work: LiveCall<T>,
): Promise<T> {
  const { allow_private_networks, password_sources, tls_folders, vault } = deps;
  const { connection_id, database_name } = wanted;
  const [target] = await loadTargets(ctx.db, vault, {
    ids: [connection_id],
    allow_private_networks,
    tls_folders,
    password_sources,
  });
  if (!target) throw new Fault('not_found', 'There is no such connection.');
  if (!target.settings) throw new Fault('bad_gateway', target.problem ?? 'The connection cannot be used.');
  const settings = { ...target.settings, ...(database_name !== undefined && { database: database_name }) };
  const { user_id } = ctx.principal;
  const room = await readLiveRoom(ctx, connection_id);
  const asking = { user_id, server: serverKey(settings), room, signal: ctx.signal };
  try {
    return await liveLimiter.run(asking, (keep) =>
      onServer<T>(ctx, { ...wanted, settings, name: target.name, keep }, work),
    );
  } catch (error) {
    throw publicFault(error);
  }
}

async function onServer<T>(ctx: Ctx, session: ReadySession, work: LiveCall<T>): Promise<T> {
  const { settings, connection_id: id, name, purpose } = session;
  if (settings.password || settings.fetched_password)
    await noteConnection(ctx, { id, name }, { action: 'secret.use', details: secretUse(settings, purpose) });
  const client = await connectTarget(
    {
      ...settings,
      application_name: session.application_name ?? 'matriarch live',
      connect_timeout_ms: CONNECT_MS,
      statement_timeout_ms: session.statement_timeout_ms ?? RUN_MS,
      max_socket_bytes: MAX_REPLY_BYTES,
      session: { default_transaction_read_only: 'on', lock_timeout: '2000' },
    },
    ctx.signal,
  );
  const abort = () => client.destroy();
  ctx.signal.addEventListener('abort', abort, { once: true });
  const ledger = new StatementLedger();
  const ran: Ran = (statement, failed) => ledger.ran(id, statement, { at: ctx.clock.now(), failed });
  ran(SESSION_STATEMENT, false);
  try {
    return await work(client, ran);
  } finally {
    ctx.signal.removeEventListener('abort', abort);
    await client.close();
    if (client.isAbandoned && client.way === 'direct') session.keep(untilEnded(settings, client.backend_pid));
    await enter(ctx, id, ledger);
  }
}

/** The rows of one statement of our own. */
function ask<T extends object>(
  ctx: Ctx,
  session: LiveSession & { deps: ConnectionsDeps },
  statement: string,
): Promise<T[]> {
  return withLiveSession(ctx, session, async (client, ran) => {
    let failed = true;
    try {
      const rows = await client.query<T>(statement);
      failed = false;
      return rows;
    } finally {
      ran(statement, failed);
    }
  });
}

type LiveDatabase = Static<typeof DatabaseInfo>;

/** The caller's access has been checked. */
export async function listConnectionDatabases(
  ctx: Ctx,
  deps: ConnectionsDeps,
  id: number,
): Promise<LiveDatabase[]> {
  return ask<LiveDatabase>(ctx, { deps, connection_id: id, purpose: 'listing databases' }, LIVE_DATABASES);
}
