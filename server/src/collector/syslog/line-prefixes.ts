// log_line_prefix of servers, as it was collected last: where it holds neither time nor process, lines could not be read without it.
import type { Db } from '../../kernel/db.ts';
import { probe as settings } from '../../probes/pg-settings.ts';
import { newest } from '../../store/read/doors/newest.ts';

export async function linePrefixes(
  db: Db,
  connection_ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (connection_ids.length === 0) return new Map();
  const keep = {
    columns: ['name'],
    test: (row: Readonly<Record<string, unknown>>) => row.name === 'log_line_prefix',
  };
  const rows = await newest(db, { probe: settings, columns: ['name', 'setting'], connection_ids, keep });
  return new Map(
    rows.flatMap(({ connection_id, row }) =>
      typeof row.setting === 'string' ? [[connection_id, row.setting] as const] : [],
    ),
  );
}
