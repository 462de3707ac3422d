// The list of a server's databases, as its answer tells it: each with the reason why nobody can connect to it, if there
// is one. Pure.
import { standIn } from '../monitored/foreign-text.ts';
import { shown } from '../probes/requirements/names.ts';
import type { DatabaseList } from './database-births.ts';

export interface DatabaseEntry {
  readonly datname: string;
  /** Object id, as text. */
  readonly dbid: string;
  readonly may_connect: boolean;
  /** Why nobody can connect to it now, whatever the grants; null when one can. */
  readonly obstacle: string | null;
}

export const isUsable = (entry: DatabaseEntry) => entry.may_connect && entry.obstacle === null;

/** Rows beyond are not sent. */
export const MOST_DATABASES = 10_000;

function obstacleOf(row: Record<string, unknown>): string | null {
  const datname = String(row.datname);
  const name = shown(datname);
  if (standIn(datname, '') !== datname)
    return `The name of the database ${name} (oid ${String(row.dbid)}) is in another encoding than UTF-8, so it cannot be named to the server; rename it to watch what is in it.`;
  if (row.allows_connections !== true)
    return `The database ${name} allows no connections (datallowconn is off).`;
  if (row.connection_limit === -2)
    return `Dropping the database ${name} was interrupted; drop it again to be rid of it.`;
  if (row.connection_limit === 0)
    return `The database ${name} allows no connections (its connection limit is 0).`;
  return null;
}

export function readRoster(rows: readonly Record<string, unknown>[]): DatabaseEntry[] {
  return rows.flatMap((row) =>
    typeof row.datname === 'string' && row.is_template !== true
      ? [
          {
            datname: standIn(row.datname, row.dbid),
            dbid: String(row.dbid),
            may_connect: row.may_connect === true,
            obstacle: obstacleOf(row),
          },
        ]
      : [],
  );
}

/** All of them, those that nobody connects to included. */
export const databaseList = (
  rows: readonly Record<string, unknown>[],
): Pick<DatabaseList, 'names' | 'isWhole'> => ({
  names: new Map(rows.map(({ dbid, datname }) => [String(dbid), String(datname)])),
  isWhole: rows.length <= MOST_DATABASES,
});
