// Statements of people and of models on monitored servers, for every tool and page that runs one: the only way in. Guards: the caller may
// read the connection; the statement goes through all that read-only-sql/ demands of it; what was run is in the audit log, with its
// fingerprint and without its text, which may hold anything.

import { type ConnectionsDeps, withLiveSession } from '../../estate/estate.ts';
import { type Ctx, demandConnection, recordAudit } from '../../identity/identity.ts';
import type { StatementParser } from '../../kernel/parser/parser.ts';
import type { Purpose } from '../../monitored/read-only-sql/judge.ts';
import { explainStatement, prepareOnly, readRows } from '../../monitored/read-only-sql/read.ts';
import type { ExplainWishes } from '../../monitored/read-only-sql/session.queries.ts';
import { demandReading, type SessionOptions } from '../../monitored/read-only-sql/transaction.ts';
import {
  type Prepared,
  StatementRefused,
  type Table,
  type WhyRefused,
} from '../../monitored/read-only-sql/types.ts';

export type { Prepared, Table, WhyRefused } from '../../monitored/read-only-sql/types.ts';

/** Where, and for what. */
export interface SqlTarget {
  connection_id: number;
  /** The connection's own when absent. */
  database_name?: string | undefined;
  text: string;
  /** What for, as the audit log names it, such as `tool query_database`. */
  purpose: string;
  /** 10 s when absent, at most 30 s. */
  timeout_ms?: number | undefined;
}

export interface RunSql extends SqlTarget {
  /** Values of `$1` and so on, as texts. */
  params?: readonly (string | null)[] | undefined;
  /** At most 1,000; 100 when absent. */
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface ExplainSql extends SqlTarget, Partial<ExplainWishes> {}

/** Not run, or not to its end: the message is for whoever wrote the statement. */
export interface RefusedSql {
  kind: 'refused';
  why: WhyRefused;
  message: string;
  sqlstate: string | undefined;
}

export type SqlAnswer<T> = ({ kind: 'answer' } & T) | RefusedSql;

/** Rejects with a Fault where the caller may not, or the server cannot be reached. */
export interface ReadOnlySql {
  run(ctx: Ctx, wanted: RunSql): Promise<SqlAnswer<Table>>;
  explain(ctx: Ctx, wanted: ExplainSql): Promise<SqlAnswer<Table>>;
  /** Whether the server would take it; it is never run. */
  prepareOnly(ctx: Ctx, wanted: SqlTarget): Promise<SqlAnswer<Prepared>>;
}

const MOST_ROWS = 1000;
const USUAL_ROWS = 100;
const MOST_OFFSET = 1_000_000;
const USUAL_MS = 10_000;
const MOST_MS = 30_000;

const within = (value: number | undefined, usual: number, most: number) =>
  Math.max(0, Math.min(most, Math.trunc(value ?? usual)));

export interface SqlParts {
  connections: ConnectionsDeps;
  parser: StatementParser;
  /** Whether tools may use the connection although it signs in as a superuser. */
  mayBeSuperuser: (connection_id: number) => boolean;
}

type SqlCall<T> = (options: SessionOptions) => Promise<T>;

/** Of what was tried, whether it was run or not. */
async function noteSql<T extends object>(
  ctx: Ctx,
  parts: SqlParts,
  done: { wanted: SqlTarget; answer: SqlAnswer<T>; ms: number },
): Promise<void> {
  const { wanted, answer, ms } = done;
  const parsed = await parts.parser.parse(wanted.text);
  await recordAudit(ctx, {
    action: 'sql.run',
    outcome:
      answer.kind === 'answer'
        ? 'ok'
        : answer.why === 'server' || answer.why === 'time'
          ? 'failed'
          : 'refused',
    target: { kind: 'connection', id: wanted.connection_id },
    details: {
      purpose: wanted.purpose,
      database_name: wanted.database_name,
      fingerprint: parsed.kind === 'parsed' ? parsed.fingerprint : undefined,
      ...('rows' in answer && Array.isArray(answer.rows) && { rows: answer.rows.length }),
      ...('bytes' in answer && typeof answer.bytes === 'number' && { bytes: answer.bytes }),
      ms,
      why: answer.kind === 'refused' ? answer.why : undefined,
    },
  });
}

export interface Ask<T> {
  wanted: SqlTarget;
  work: SqlCall<T>;
  need?: 'read' | 'read_write';
  /** What can be refused without asking the server is. */
  judge?: Purpose;
  /** Somebody runs it who may write there anyway. */
  mayWrite?: boolean;
}

/** Runs the work in a session of its own, and notes what came of it. */
export async function answered<T extends object>(
  ctx: Ctx,
  parts: SqlParts,
  { wanted, work, need = 'read', judge, mayWrite = false }: Ask<T>,
): Promise<SqlAnswer<T>> {
  await demandConnection(ctx, { connection_id: wanted.connection_id, need });
  const { connection_id, database_name, purpose } = wanted;
  const timeout_ms = within(wanted.timeout_ms, USUAL_MS, MOST_MS);
  const session = { connection_id, database_name, purpose, application_name: 'matriarch sql' };
  const allow_superuser = mayWrite || parts.mayBeSuperuser(connection_id);
  const since = ctx.clock.monotonic();
  let answer: SqlAnswer<T>;
  try {
    if (judge !== undefined) await demandReading(parts.parser, wanted.text, judge);
    const found = await withLiveSession(
      ctx,
      { deps: parts.connections, ...session, statement_timeout_ms: timeout_ms },
      (client, ran) => work({ client, ran, parser: parts.parser, timeout_ms, allow_superuser }),
    );
    answer = { kind: 'answer', ...found };
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error;
    answer = { kind: 'refused', why: error.why, message: error.message, sqlstate: error.sqlstate };
  }
  await noteSql(ctx, parts, { wanted, answer, ms: Math.round(ctx.clock.monotonic() - since) });
  return answer;
}

export function createReadOnlySql(parts: SqlParts): ReadOnlySql {
  return {
    run: (ctx, wanted) => {
      const limit = within(wanted.limit, USUAL_ROWS, MOST_ROWS);
      const offset = within(wanted.offset, 0, MOST_OFFSET);
      const { text, params } = wanted;
      return answered(ctx, parts, {
        wanted,
        judge: 'read',
        work: (options) => readRows(options, { text, params, limit, offset }),
      });
    },
    explain: (ctx, wanted) => {
      const { analyze = false, buffers = false, format = 'text', text } = wanted;
      const wishes = { analyze, buffers, format };
      return answered(ctx, parts, {
        wanted,
        judge: analyze ? 'read' : 'plan',
        work: (options) => explainStatement(options, text, wishes),
      });
    },
    prepareOnly: (ctx, wanted) =>
      answered(ctx, parts, {
        wanted,
        judge: 'prepare',
        work: (options) => prepareOnly(options, wanted.text),
      }),
  };
}
