// Whatever somebody typed, statement by statement. Guards: nothing that may change anything runs before it was confirmed by whoever may
// write; every statement has a session and a transaction of its own.

import { type Ctx, demandConnection } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { TextTable } from '../../monitored/connect.ts';
import { prepareOnly, proveOnly, readRows } from '../../monitored/read-only-sql/read.ts';
import { splitStatements } from '../../monitored/read-only-sql/split.ts';
import { runWritable } from '../../monitored/read-only-sql/write.ts';
import {
  type Ask,
  answered,
  type RefusedSql,
  type SqlAnswer,
  type SqlParts,
  type Table,
} from './read-only-sql.service.ts';

export interface SqlRequest {
  connection_id: number;
  query: string;
  database_name?: string | undefined;
  confirmed?: boolean | undefined;
}

interface QueryResult {
  columns: string[];
  rows: (string | null)[][];
  row_count: number;
  truncated: boolean;
  query: string;
  error?: string;
}

export interface QueryAnswer {
  results?: QueryResult[];
  total_statements?: number;
  requires_confirmation?: boolean;
  write_statements?: string[];
  confirmation_message?: string;
}

const MOST_STATEMENTS = 20;
const MOST_ROWS = 500;
const STATEMENT_MS = 30_000;

/** Never run here, whoever asks. */
const REFUSED: Readonly<Record<string, string>> = {
  TransactionStmt: 'Transaction control is not run here: every statement has a transaction of its own.',
  ListenStmt: 'LISTEN is not run here: the session ends with the statement.',
  UnlistenStmt: 'UNLISTEN is not run here: the session ends with the statement.',
  CopyStmt: 'COPY is not run here. Use select, or psql for files.',
};
const CHANGES_ROWS = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

interface Statement {
  text: string;
  /** As the grammar names it; undefined: it refuses the text. */
  root: string | undefined;
}

async function statementsOf({ parser }: SqlParts, query: string): Promise<Statement[]> {
  const texts = splitStatements(query);
  if (texts.length === 0) throw new Fault('bad_request', 'query has no statement in it.');
  if (texts.length > MOST_STATEMENTS)
    throw new Fault(
      'bad_request',
      `query has ${texts.length} statements; at most ${MOST_STATEMENTS} are run at once.`,
    );
  const statements: Statement[] = [];
  for (const text of texts) {
    const parsed = await parser.parse(text);
    const all = parsed.kind === 'parsed' ? parsed.statements : [];
    const refused = all.flatMap(({ root }) => REFUSED[root] ?? [])[0];
    if (refused !== undefined) throw new Fault('bad_request', refused);
    statements.push({ text, root: all.length === 1 ? all[0]?.root : undefined });
  }
  return statements;
}

const cut = (query: string, { columns, rows, truncated }: Table): QueryResult => ({
  columns: columns.map(({ name }) => name),
  rows: rows.map((row) => [...row]),
  row_count: rows.length,
  truncated,
  query,
});
const failed = (query: string, error: string): QueryResult => ({
  columns: [],
  rows: [],
  row_count: 0,
  truncated: false,
  query,
  error,
});

const READS = ['SelectStmt', 'ExplainStmt', 'VariableShowStmt'];
const NO_VALUE = 'It has parameters ($1): put values in their place.';
const isWrite = ({ sqlstate }: RefusedSql) => sqlstate === '25006';
const ONLY_READS = 'With read access only statements that are proven to change nothing are run.';

/** One statement on its way through the stages of reading. */
class Reading {
  readonly #ctx: Ctx;
  readonly #parts: SqlParts;
  readonly #wanted: SqlRequest & { mayWrite: boolean };

  constructor(ctx: Ctx, parts: SqlParts, wanted: SqlRequest & { mayWrite: boolean }) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#wanted = wanted;
  }

  #answered<T extends object>(
    text: string,
    judge: Ask<T>['judge'],
    work: Ask<T>['work'],
  ): Promise<SqlAnswer<T>> {
    const { connection_id, database_name, mayWrite } = this.#wanted;
    const wanted = { connection_id, database_name, text, purpose: 'query', timeout_ms: STATEMENT_MS };
    return answered(this.#ctx, this.#parts, { wanted, work, mayWrite, ...(judge && { judge }) });
  }

  /** Undefined: it would write. */
  async result({ text, root }: Statement): Promise<QueryResult | undefined> {
    const wishes = { text, limit: MOST_ROWS, offset: 0 };
    const answer = await this.#answered(text, 'read', (options) => readRows(options, wishes));
    if (answer.kind === 'answer') return cut(text, answer);
    const { why, message } = answer;
    if (why === 'syntax' || why === 'time' || (why === 'server' && !isWrite(answer)))
      return failed(text, message);
    if (!this.#wanted.mayWrite) return failed(text, `${message} ${ONLY_READS}`);
    return root !== undefined && CHANGES_ROWS.includes(root) ? this.#prepared(text) : undefined;
  }

  /** What the server would not even take needs nobody's confirmation. */
  async #prepared(text: string): Promise<QueryResult | undefined> {
    const answer = await this.#answered(text, 'prepare', (options) => prepareOnly(options, text));
    if (answer.kind === 'answer' && answer.parameter_types.length > 0) return failed(text, NO_VALUE);
    return answer.kind === 'refused' && answer.why === 'server' ? failed(text, answer.message) : undefined;
  }

  /** Whether it is proven that it only reads, without running it. */
  async isProven({ text, root }: Statement): Promise<boolean> {
    if (!READS.includes(root ?? '')) return false;
    const answer = await this.#answered(text, 'read', (options) => proveOnly(options, text));
    return answer.kind === 'answer';
  }
}

async function readAll(reading: Reading, statements: readonly Statement[]): Promise<QueryAnswer> {
  const results: QueryResult[] = [];
  for (const [index, statement] of statements.entries()) {
    const result = await reading.result(statement);
    if (result === undefined) {
      const writes = [statement];
      for (const later of statements.slice(index + 1))
        if (!(await reading.isProven(later))) writes.push(later);
      return asking(statements, writes);
    }
    results.push(result);
  }
  return { results, total_statements: statements.length };
}

/** What comes after the first one that writes may depend on it, so it is not tried. */
function asking(statements: readonly Statement[], writes: readonly Statement[]): QueryAnswer {
  const [some, are] =
    writes.length === 1 ? ['One statement', 'changes'] : [`${writes.length} statements`, 'change'];
  return {
    results: [],
    total_statements: statements.length,
    requires_confirmation: true,
    write_statements: writes.map(({ text }) => text),
    confirmation_message: `${some} of ${statements.length} ${are} something on the server, or may. Nothing of that has been run yet. Run ${statements.length === 1 ? 'it' : 'all of them'}, one by one?`,
  };
}

function written(query: string, { columns, rows, row_count }: TextTable): QueryResult {
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.slice(0, MOST_ROWS).map((row) => [...row]),
    row_count: row_count ?? rows.length,
    truncated: rows.length > MOST_ROWS,
    query,
  };
}

/** One by one, up to the first that fails. */
async function writeAll(
  ctx: Ctx,
  parts: SqlParts,
  { connection_id, database_name, statements }: SqlRequest & { statements: readonly Statement[] },
): Promise<QueryAnswer> {
  const results: QueryResult[] = [];
  for (const { text, root } of statements) {
    const wanted = {
      connection_id,
      database_name,
      text,
      purpose: 'query, writable',
      timeout_ms: STATEMENT_MS,
    };
    if (root === undefined) {
      results.push(failed(text, 'It is not a statement.'));
      break;
    }
    const answer = await answered(ctx, parts, {
      wanted,
      need: 'read_write',
      mayWrite: true,
      work: async (options) => ({ table: await runWritable(options, text) }),
    });
    results.push(answer.kind === 'answer' ? written(text, answer.table) : failed(text, answer.message));
    if (answer.kind === 'refused') break;
  }
  return { results, total_statements: statements.length };
}

/** The caller may read the connection. */
export async function runQuery(ctx: Ctx, parts: SqlParts, wanted: SqlRequest): Promise<QueryAnswer> {
  const { connection_id, query, confirmed = false } = wanted;
  const { level } = await demandConnection(ctx, { connection_id, need: 'read' });
  const statements = await statementsOf(parts, query);
  const mayWrite = level >= 2;
  if (confirmed && mayWrite) return writeAll(ctx, parts, { ...wanted, statements });
  return readAll(new Reading(ctx, parts, { ...wanted, mayWrite }), statements);
}
