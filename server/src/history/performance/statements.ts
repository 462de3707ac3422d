// The page of some statements with their texts, in one statement. Guards: a text is at most 64 KiB.
import type { Db } from '../../kernel/db.ts';
import { statementTexts, type TextRow, type TextsRead } from './statements.queries.ts';

export interface StatementPage {
  /** Before offset and limit. */
  total: number;
  rows: { index: number; query_text: string | null }[];
}

export async function statementPage(db: Db, read: TextsRead): Promise<StatementPage> {
  const rows = await db.rows<TextRow>(statementTexts(read));
  return {
    total: rows[0]?.total ?? 0,
    rows: rows.flatMap(({ place, query_text }) => (place === null ? [] : [{ index: place - 1, query_text }])),
  };
}
