// Statements of assistants on monitored servers, all by the one way in. Guards: a refusal says why and what to do; what is built
// here out of names quotes them, and what is built out of an expression holds one.
import { getCurrentConnection } from '../../../estate/estate.ts';
import { Fault } from '../../../kernel/errors.ts';
import { optional, text } from '../../../kernel/schema.ts';
import type { SqlAnswer, Table } from '../../sql/read-only-sql.service.ts';
import type { ToolCtx } from '../types.ts';
import type { Section } from './answer.ts';
import { connectionFor, connectionInput } from './inputs.ts';

export const sqlInput = {
  ...connectionInput,
  database_name: optional(
    text({ minLength: 1, maxLength: 255, description: "The connection's own when left out." }),
  ),
};

export const statementInput = () =>
  text({ minLength: 1, maxLength: 100_000, description: 'One statement of SQL.' });

interface NamedDatabase {
  connection_id?: number;
  database_name?: string;
}

export interface QueryTarget {
  connection_id: number;
  database_name: string | undefined;
}

/** The database that was selected counts where the connection was too. */
export async function placeOf(
  ctx: ToolCtx,
  { connection_id: named, database_name }: NamedDatabase,
): Promise<QueryTarget> {
  const connection_id = await connectionFor(ctx, named);
  if (named !== undefined || database_name !== undefined) return { connection_id, database_name };
  return { connection_id, database_name: (await getCurrentConnection(ctx)).database_name };
}

/** What came of it; a refusal is thrown with its reason. */
export function demandAnswer<T extends object>(answer: SqlAnswer<T>): T {
  if (answer.kind === 'answer') return answer;
  throw new Fault('bad_request', answer.message);
}

const CUT = {
  rows: 'Ask again with a larger offset or limit, or let the statement answer less.',
  bytes: 'The answer was cut at 8 MB: select fewer columns or shorter values.',
};

export const rowsSection = ({ columns, rows, cut_by }: Table): Section => ({
  columns: columns.map(({ name, type }) => `${name} [${type}]`),
  rows,
  rest: cut_by === null ? 'Select fewer columns, or shorter values.' : CUT[cut_by],
  ...(cut_by !== null && { more: true }),
  empty: 'It answers no rows.',
});

const UNSAFE = /;|--|\/\*|\$|\\/;

/** Throws unless it is one expression that ends where it ends, so that brackets around it hold all of it. */
export function demandExpression(where: string): void {
  const bare = where.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, ' ');
  let depth = 0;
  const closes = [...bare].some((character) => {
    depth += Number(character === '(') - Number(character === ')');
    return depth < 0;
  });
  if (closes || depth !== 0 || UNSAFE.test(where) || /['"]/.test(bare))
    throw new Fault(
      'bad_request',
      'where must be one expression without comments, semicolons, dollar quotes or backslashes. For more use query_database.',
    );
}
