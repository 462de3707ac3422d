// Short questions to a monitored server while somebody waits for the answer: a session of their own, opened and
// closed for each. Guards: few at once, 5 s to connect, 10 s to run, and only our own words reach the caller.
import { Fault } from '../../kernel/errors.ts';
import { connectTarget, SESSION_STATEMENT, TargetError } from '../../kernel/target/connect.ts';
import type { Ctx } from '../access/principal.ts';
import { noteConnection } from './connection-audit.ts';
import type { ConnectionsDeps } from './connections.service.ts';
import { LIVE_DATABASES } from './live.queries.ts';
import { liveLimiter, serverKey } from './live-limiter.ts';
import { readLiveRoom } from './live-room.service.ts';
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

interface LiveQuestion {
  connection_id: number;
  statement: string;
  /** What for, as the audit log names it. */
  purpose: string;
}

interface ReadyQuestion extends LiveQuestion {
  settings: ServerSettings;
  /** Of the connection. */
  name: string;
}

/** Whatever is run on a monitored server is in its ledger. */
async function enter(ctx: Ctx, { connection_id, statement }: LiveQuestion, failed: boolean): Promise<void> {
  const ledger = new StatementLedger();
  const at = ctx.clock.now();
  ledger.ran(connection_id, SESSION_STATEMENT, { at, failed: false });
  ledger.ran(connection_id, statement, { at, failed });
  try {
    await writeLedger(ctx.db, ledger);
  } catch (error) {
    ctx.log.warn({ event: 'connections.ledger_failed', connection_id, err: error });
  }
}

async function ask<T extends object>(ctx: Ctx, deps: ConnectionsDeps, question: LiveQuestion): Promise<T[]> {
  const { allow_private_networks, tls_folders, vault } = deps;
  const [target] = await loadTargets(ctx.db, vault, {
    ids: [question.connection_id],
    allow_private_networks,
    tls_folders,
  });
  if (!target) throw new Fault('not_found', 'There is no such connection.');
  if (!target.settings) throw new Fault('bad_gateway', target.problem ?? 'The connection cannot be used.');
  const { settings, name } = target;
  const { user_id } = ctx.principal;
  const room = await readLiveRoom(ctx, question.connection_id);
  const asking = { user_id, server: serverKey(settings), room, signal: ctx.signal };
  return liveLimiter.run(asking, () => askServer<T>(ctx, { ...question, settings, name }));
}

async function askServer<T extends object>(ctx: Ctx, question: ReadyQuestion): Promise<T[]> {
  const { settings, name } = question;
  if (settings.password)
    await noteConnection(
      ctx,
      { id: question.connection_id, name },
      { action: 'secret.use', details: { purpose: question.purpose } },
    );
  const client = await connectTarget(
    {
      ...settings,
      application_name: 'matriarch live',
      connect_timeout_ms: CONNECT_MS,
      statement_timeout_ms: RUN_MS,
      max_socket_bytes: MAX_REPLY_BYTES,
      session: { default_transaction_read_only: 'on', lock_timeout: '2000' },
    },
    ctx.signal,
  );
  const abort = () => client.destroy();
  ctx.signal.addEventListener('abort', abort, { once: true });
  let failed = true;
  try {
    const rows = await client.query<T>(question.statement);
    failed = false;
    return rows;
  } finally {
    ctx.signal.removeEventListener('abort', abort);
    await client.close();
    await enter(ctx, question, failed);
  }
}

export interface LiveDatabase {
  name: string;
  owner: string;
  encoding: string;
  size: string;
}

/** The caller's access has been checked. */
export async function listConnectionDatabases(
  ctx: Ctx,
  deps: ConnectionsDeps,
  id: number,
): Promise<LiveDatabase[]> {
  try {
    return await ask<LiveDatabase>(ctx, deps, {
      connection_id: id,
      statement: LIVE_DATABASES,
      purpose: 'listing databases',
    });
  } catch (error) {
    throw publicFault(error);
  }
}
