// Statements that an answer offers: found in its blocks of SQL, then parsed and planned on the server that they are for, at that
// moment. Guards: nothing is run; what the server would not take, or what would change something, is an illustration.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import type { ReadOnlySql } from '../sql/read-only-sql.service.ts';
import type { ChatStatement } from './chat-runs.schemas.ts';

const MOST_STATEMENTS = 10;
const MOST_SQL = 20_000;
const MOST_PLAN = 20_000;
const PLAN_MS = 5000;

export interface Offered {
  sql: string;
  start: number;
  end: number;
}

/** The blocks that are whole, by position. */
export function offeredIn(text: string, from = 0): Offered[] {
  const found: Offered[] = [];
  const opening = /^[ \t]{0,3}```(?:sql|postgresql|postgres|pgsql)[ \t]*\r?\n/gim;
  opening.lastIndex = from;
  for (let open = opening.exec(text); open && found.length < MOST_STATEMENTS; open = opening.exec(text)) {
    const start = open.index + open[0].length;
    const end = text.indexOf('```', start);
    if (end === -1) break;
    const sql = text.slice(start, end).trim();
    if (sql !== '') found.push({ sql, start: open.index, end: end + 3 });
    opening.lastIndex = end + 3;
  }
  return found;
}

export interface JudgedStatement {
  told: Static<typeof ChatStatement>;
  /** The server would not take it: another one might do. */
  is_wrong: boolean;
}

/** A node of a plan that changes a table. */
const CHANGES = /^[ \t]*(?:->[ \t]+)?(?:Insert|Update|Delete|Merge) on /m;

export async function judge(
  ctx: Ctx,
  sql: Pick<ReadOnlySql, 'explain' | 'prepareOnly'>,
  { offered, connection_id }: { offered: Offered; connection_id: number | undefined },
): Promise<JudgedStatement> {
  const told = { type: 'statement' as const, ...offered, connection_id: connection_id ?? null };
  const shown = (reason: string, is_wrong = false): JudgedStatement => ({
    told: { ...told, can_run: false, reason },
    is_wrong,
  });
  if (connection_id === undefined) return shown('No server was named that it could be for.');
  if (offered.sql.length > MOST_SQL) return shown(`It is longer than ${MOST_SQL} characters.`);
  const wanted = { connection_id, text: offered.sql, purpose: 'chat', timeout_ms: PLAN_MS };
  try {
    const prepared = await sql.prepareOnly(ctx, wanted);
    if (prepared.kind === 'refused') return shown(prepared.message, true);
    if (prepared.parameter_types.length > 0)
      return shown('It has parameters such as $1: put values in their place to run it.');
    const planned = await sql.explain(ctx, wanted);
    if (planned.kind === 'refused') return shown(planned.message, true);
    const plan = planned.rows.map(([line]) => line ?? '').join('\n');
    if (CHANGES.test(plan))
      return shown('It changes what is stored on the server: run it where you work on that server.');
    return {
      told: { ...told, can_run: true, reason: null, plan: cutText(plan, MOST_PLAN).toWellFormed() },
      is_wrong: false,
    };
  } catch (error) {
    if (error instanceof Fault) return shown(error.message);
    throw error;
  }
}

/** What a model is asked once about statements that the server would not take; undefined: there is nothing to mend. */
export function repairOf(judged: readonly JudgedStatement[]): string | undefined {
  const wrong = judged.filter(({ is_wrong }) => is_wrong);
  if (wrong.length === 0) return undefined;
  const lines = wrong.map(({ told: { sql, reason } }) => `${JSON.stringify(sql)}: ${JSON.stringify(reason)}`);
  return `The server refused statements that you offered, for the reasons behind them:\n${lines.join('\n')}
Write only those that you can mend, each in a block of SQL, with a sentence before it. Call no tool.`;
}
