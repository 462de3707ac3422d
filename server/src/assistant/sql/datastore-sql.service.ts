// Statements of assistants on our own datastore. Guards: they run as a role of their own, in a session of their own, over views that show
// what is registered for the number of the session's process, which nothing in a statement can change; what is registered are the
// connections that the caller sees at that moment.

import { withPermit } from '../../estate/estate.ts';
import { type Ctx, recordAudit } from '../../identity/identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault, UsageError } from '../../kernel/errors.ts';
import { lasting } from '../../kernel/leaving.ts';
import type { StatementParser } from '../../kernel/parser/parser.ts';
import type { Secret } from '../../kernel/secret.ts';
import { connectTarget, TargetError, type TextClient } from '../../monitored/connect.ts';
import { readConnectionUrl } from '../../monitored/connection-url.ts';
import { readRows } from '../../monitored/read-only-sql/read.ts';
import { judgeStored } from '../../monitored/read-only-sql/stored.ts';
import { StatementRefused, type Table } from '../../monitored/read-only-sql/types.ts';
import { forgetSession, registerSession } from './datastore-sql.queries.ts';
import type { SqlAnswer } from './read-only-sql.service.ts';

/** Who to sign in as, or why nobody can. */
export type QueryRole =
  | { kind: 'ready'; username: string; password: Secret }
  | { kind: 'missing'; reason: string };

export interface DatastoreSqlParts {
  url: Secret;
  parser: StatementParser;
  /** Makes it where it is missing; `isWrong`: its password was refused. */
  role(isWrong?: boolean): Promise<QueryRole>;
}

export interface StoredQuery {
  text: string;
  /** At most 1,000; 100 when absent. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** As the audit log names it. */
  purpose: string;
}

export interface DatastoreSql {
  /** Why it cannot be asked, as a sentence that says what to do; undefined: it can. */
  missing(ctx: Ctx): Promise<string | undefined>;
  /** Rejects with a Fault where it cannot be asked. */
  run(ctx: Ctx, wanted: StoredQuery): Promise<SqlAnswer<Table>>;
}

const VIEWS = {
  schema: 'matriarch_query',
  names: new Set(['connections', 'metrics', 'facts', 'alerts', 'rules', 'blackouts', 'findings', 'timeline']),
};
const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5000;
/** How long a reason is kept before it is looked again. */
const REASON_MS = 30_000;
const MOST_BYTES = 8 * 1024 * 1024;
const AWAY = 'The datastore cannot be asked at the moment. Try again soon.';
const WRONG_PASSWORD = '28P01';

type Ready = Extract<QueryRole, { kind: 'ready' }>;

function connect({ url }: DatastoreSqlParts, role: Ready, signal?: AbortSignal): Promise<TextClient> {
  const { username, password } = role;
  const settings = {
    ...readConnectionUrl(url.reveal()),
    ...{ username, password },
    application_name: 'matriarch query',
    connect_timeout_ms: CONNECT_MS,
    statement_timeout_ms: TIMEOUT_MS,
    allow_private_networks: true,
    max_socket_bytes: MOST_BYTES,
  };
  return connectTarget(settings, signal);
}

/** The role, once somebody has signed in as it. */
async function proven(parts: DatastoreSqlParts): Promise<QueryRole> {
  for (const isWrong of [false, true]) {
    const role = await parts.role(isWrong);
    if (role.kind === 'missing') return role;
    try {
      const client = await connect(parts, role);
      await client.close();
      return role;
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      if (error.code === WRONG_PASSWORD && !isWrong) continue;
      const reason = `Signing in to the datastore as ${role.username} fails: ${error.message} Let pg_hba.conf admit that role with scram-sha-256.`;
      return { kind: 'missing', reason };
    }
  }
  throw new Error('the role was neither taken nor refused');
}

/** Rows of one statement, in a session that is registered for what the caller sees. */
async function readStored(
  ctx: Ctx,
  parts: DatastoreSqlParts,
  { role, wanted }: { role: Ready; wanted: StoredQuery },
): Promise<Table> {
  const { parser } = parts;
  const { text, limit = 100, offset = 0 } = wanted;
  const parsed = await parser.parse(text);
  if (parsed.kind === 'refused') throw new StatementRefused('syntax', parsed.message);
  judgeStored(parsed, VIEWS);
  const client = await connect(parts, role, ctx.signal);
  const abort = () => client.destroy();
  ctx.signal.addEventListener('abort', abort, { once: true });
  const { backend_pid } = client;
  try {
    if (!(await registerSession(ctx.db, { pid: backend_pid, principal: ctx.principal })))
      throw new StatementRefused('server', 'The session is taken by another call. Try again in a moment.');
    const options = { client, parser, timeout_ms: TIMEOUT_MS, allow_superuser: false, backend_pid };
    return await readRows(options, {
      text,
      limit: Math.max(0, Math.min(1000, limit)),
      offset: Math.max(0, Math.min(1_000_000, offset)),
    });
  } finally {
    ctx.signal.removeEventListener('abort', abort);
    await client.close();
    await forgetSession(lasting(ctx.db), backend_pid).catch((error: unknown) =>
      ctx.log.warn({ event: 'sql.session_kept', err: error }),
    );
  }
}

async function note(
  ctx: Ctx,
  parts: DatastoreSqlParts,
  done: { wanted: StoredQuery; answer: SqlAnswer<Table>; ms: number },
) {
  const { wanted, answer, ms } = done;
  const parsed = await parts.parser.parse(wanted.text);
  const isAnswer = answer.kind === 'answer';
  await recordAudit(ctx, {
    action: 'sql.run',
    outcome: isAnswer ? 'ok' : answer.why === 'server' || answer.why === 'time' ? 'failed' : 'refused',
    target: { kind: 'datastore', name: 'datastore' },
    details: {
      purpose: wanted.purpose,
      fingerprint: parsed.kind === 'parsed' ? parsed.fingerprint : undefined,
      ...(isAnswer && { rows: answer.rows.length, bytes: answer.bytes }),
      ms,
      why: isAnswer ? undefined : answer.why,
    },
  });
}

export function createDatastoreSql(parts: DatastoreSqlParts): DatastoreSql {
  let known: { at: number; role: Promise<QueryRole> } | undefined;
  /** Why not is kept like the role itself, so that it is logged once and not at every listing of tools. */
  const look = (ctx: Ctx): Promise<QueryRole> =>
    proven(parts).catch((error: unknown): QueryRole => {
      ctx.log.error({ event: 'sql.query_role_failed', err: error });
      // What is written wrong stays wrong, and says itself what to do.
      return { kind: 'missing', reason: error instanceof UsageError ? error.message : AWAY };
    });
  const role = async (ctx: Ctx): Promise<QueryRole> => {
    const now = systemClock.monotonic();
    const before = await known?.role;
    if (known && (before?.kind === 'ready' || (before && now - known.at < REASON_MS))) return known.role;
    known = { at: now, role: look(ctx) };
    return known.role;
  };
  return {
    async missing(ctx) {
      const found = await role(ctx);
      return found.kind === 'missing' ? found.reason : undefined;
    },
    async run(ctx, wanted) {
      const found = await role(ctx);
      if (found.kind === 'missing')
        throw new Fault(found.reason === AWAY ? 'unavailable' : 'bad_request', found.reason);
      const since = systemClock.monotonic();
      let answer: SqlAnswer<Table>;
      try {
        const table = await withPermit(ctx, 'datastore', () =>
          readStored(ctx, parts, { role: found, wanted }),
        );
        answer = { kind: 'answer', ...table };
      } catch (error) {
        if (error instanceof TargetError) {
          known = undefined;
          throw new Fault('unavailable', AWAY, {
            cause: error,
          });
        }
        if (!(error instanceof StatementRefused)) throw error;
        answer = { kind: 'refused', why: error.why, message: error.message, sqlstate: error.sqlstate };
      }
      await note(ctx, parts, { wanted, answer, ms: Math.round(systemClock.monotonic() - since) });
      return answer;
    },
  };
}
