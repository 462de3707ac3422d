// The newest rows of a probe as they go over the wire: its columns as stored, when they were collected, and sizes as
// people read them. Guards: a row says of when it is, whatever its age.

import type { Ctx } from '../../identity/identity.ts';
import type { Probe } from '../../probes/types.ts';
import { type Newest, newestPage } from '../../store/read/doors/newest.ts';
import { type Filter, fits, schemaColumn } from './request.ts';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** As pg_size_pretty() of PostgreSQL says it. */
export function prettySize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (unit < UNITS.length - 1 && Math.abs(size) >= (unit === 0 ? 10 * 1024 : 20 * 1024 - 1)) {
    // It halves late: sizes beyond bytes are counted in halves until they are shown.
    size = unit === 0 ? Math.trunc(size / 512) : Math.trunc(size / 1024);
    unit += 1;
  }
  const shown = unit === 0 ? size : Math.trunc((size + (size >= 0 ? 1 : -1)) / 2);
  return `${shown} ${UNITS[unit]}`;
}

const PRETTY = ['table_size', 'index_size'];

function shown(probe: Probe, { connection_id, database_name, collected_at, row }: Newest) {
  const pretty = PRETTY.flatMap((name) => {
    const size = row[name];
    if (!probe.columns.some((column) => column.name === name)) return [];
    const isKnown = size !== null && size !== undefined;
    return [[`${name}_pretty`, isKnown ? prettySize(Number(size)) : null] as const];
  });
  return {
    connection_id,
    collected_at,
    ...(probe.level === 'D' && { database_name }),
    ...row,
    ...Object.fromEntries(pretty),
  };
}

/** What names and describes a row. */
const textColumns = ({ columns }: Probe): string[] =>
  columns
    .filter(({ kind, type }) => type === 'text' && (kind === 'key' || kind === 'label'))
    .map(({ name }) => name);

const holds = (value: unknown, wanted: string): boolean =>
  typeof value === 'string' && value.toLowerCase().includes(wanted);

export interface RowsRequest {
  probe: Probe;
  connection_ids: readonly number[];
  filter: Filter;
  exclude: readonly string[];
  search?: string | undefined;
  order_by: string | undefined;
  order: 'asc' | 'desc';
  limit: number;
  offset?: number;
}

/** With how many there are before the limit. */
export async function newestRows({ db }: Pick<Ctx, 'db'>, asked: RowsRequest) {
  const { probe, connection_ids, filter, exclude, order_by, order, limit, offset = 0 } = asked;
  const schema = schemaColumn(probe);
  const excluded = new Set(schema === undefined ? [] : exclude);
  const wanted = asked.search?.toLowerCase();
  const searched = wanted === undefined ? [] : textColumns(probe);
  const columns = [
    ...Object.keys(filter.where).flatMap((name) => name.split('|')),
    ...(schema !== undefined && excluded.size > 0 ? [schema] : []),
    ...searched,
  ];
  const { database_name } = filter;
  const { rows, total } = await newestPage(db, {
    probe,
    connection_ids,
    limit,
    offset,
    ...(database_name !== undefined && { database_name }),
    ...(order_by !== undefined && { order: { column: order_by, descending: order === 'desc' } }),
    ...((columns.length > 0 || wanted !== undefined) && {
      keep: {
        columns,
        test: (row) =>
          fits(filter.where, row) &&
          !(schema !== undefined && excluded.has(String(row[schema]))) &&
          (wanted === undefined || searched.some((name) => holds(row[name], wanted))),
      },
    }),
  });
  return { rows: rows.map((row) => shown(probe, row)), total };
}
