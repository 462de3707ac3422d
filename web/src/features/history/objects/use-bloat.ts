// What a rewrite of tables would free, by the newest estimate. Guards: which tables are not in it is said, and unknown is not zero.
import { useMemo } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { numberOf, type Row, textOf } from './rows.ts';

export const BLOAT_PROBE = 'pg_bloat_estimate';
const MOST = 100;
/** It is estimated once an hour unless set otherwise. */
const READ_MS = 300_000;

const keyOf = (row: Row) => `${textOf(row, 'database_name')} ${numberOf(row, 'relid')}`;

export interface Bloat {
  /** Of this table; undefined: it is not in what was read. */
  of: (table: Row) => Row | undefined;
  /** Why a table is not in it. */
  because: string;
}

export function useBloat(id: number): Bloat {
  const { data, error } = useOperation(
    'getLatestMetrics',
    {
      query: {
        connection_id: id,
        probe_name: BLOAT_PROBE,
        order_by: 'reclaimable_bytes',
        order: 'desc',
        limit: MOST,
      },
    },
    { everyMs: READ_MS },
  );
  return useMemo(() => {
    const rows = new Map(data?.rows.map((row) => [keyOf(row), row]));
    const isCut = data !== undefined && data.total_count > data.rows.length;
    const cut = isCut ? `, or not among the ${MOST} with the most bloat` : '';
    const because =
      error?.message ??
      (rows.size === 0 ? 'Not estimated yet' : `Not estimated: it is smaller than 8 MB${cut}`);
    return { of: (table) => rows.get(keyOf(table)), because };
  }, [data, error]);
}
