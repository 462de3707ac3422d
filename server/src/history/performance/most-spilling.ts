// The statement that wrote most to temporary files, of each database in a window. Guards: shares are of all statements of the database;
// a text is only ever the normalized one, which holds no constants; nothing is asked of the server.

import type { Db } from '../../kernel/db.ts';
import { catalogProbe } from '../../probes/catalog-probe.ts';
import { DATABASE } from '../../store/read/doors/buckets.ts';
import { statementPage } from './statements.ts';
import { type Totals, totals } from './totals.ts';

const probe = catalogProbe('pg_stat_statements');
const COLUMN = 'temp_blks_written';

export interface Spilling {
  connection_id: number;
  database_name: string;
  queryid: string;
  /** Of what all statements of the database wrote to temporary files, up to 1. */
  share: number;
  /** Null where it is not known. */
  query: string | null;
}

/** Totals without idle ones are of growth that is known and above 0, so no unknown is taken for 0. */
const writtenBy = ({ grown }: Totals) => grown.get(COLUMN) ?? 0;

function mostOf(all: readonly Totals[]): Omit<Spilling, 'query'> | undefined {
  const whole = all.reduce((sum, one) => sum + writtenBy(one), 0);
  const [first] = all.toSorted((a, b) => writtenBy(b) - writtenBy(a));
  if (first === undefined || whole === 0) return undefined;
  const { connection_id, group } = first;
  return {
    connection_id,
    database_name: String(group[DATABASE] ?? ''),
    queryid: String(group.queryid ?? ''),
    share: writtenBy(first) / whole,
  };
}

/** One statement, and one more for each server that spills. */
export async function mostSpilling(
  db: Db,
  { connection_ids, from, to }: { connection_ids: readonly number[]; from: number; to: number },
): Promise<Spilling[]> {
  const found = await totals(db, {
    ...{ probe, columns: [COLUMN], connection_ids, from, to },
    group_by: [DATABASE, 'queryid'],
  });
  const byDatabase = Map.groupBy(found, ({ connection_id, group }) =>
    JSON.stringify([connection_id, group[DATABASE]]),
  );
  const most = [...byDatabase.values()].flatMap((all) => mostOf(all) ?? []);
  const spilling: Spilling[] = [];
  for (const [connection_id, statements] of Map.groupBy(most, (one) => one.connection_id)) {
    const limit = statements.length;
    const { rows } = await statementPage(db, { connection_id, statements, offset: 0, limit });
    const texts = new Map(rows.map(({ index, query_text }) => [index, query_text]));
    for (const [index, one] of statements.entries())
      spilling.push({ ...one, query: texts.get(index) ?? null });
  }
  return spilling;
}
