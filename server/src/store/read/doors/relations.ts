// What was collected last, as relations for a `from` or `join` of a statement that also reads other tables: runs, their
// rows under the columns that the probe declares, and facts in force. Guards: whoever reads so names no table of metrics,
// and only columns that are declared, in their declared type; the server plans a relation as if its table stood there.
import { identifier, join, nameLiteral, type Sql, sql } from '../../../kernel/sql.ts';
import type { ProbeName } from '../../../probes/catalog.gen.ts';
import { catalogProbe } from '../../../probes/catalog-probe.ts';
import type { Column, Probe } from '../../../probes/types.ts';
import { columnType, newestLimit } from '../newest.queries.ts';
import { entitiesKnown } from '../plan.queries.ts';

export { entitiesKnown, newestLimit };

/** `host`: which source told what about the server's machine. */
export type RunName = ProbeName | 'host';

function declared(probe: Probe, name: string): Column {
  const column = probe.columns.find((one) => one.name === name);
  if (!column) throw new Error(`${probe.name} declares no column ${name}`);
  return column;
}

/**
 * The newest run of every probe and database ('': the whole server) of every connection: connection_id, probe,
 * database_name, collected_at (of the rows; null: never), attempted_at, took_ms, outcome, cause, reason, mend, row_count,
 * and rows as jsonb.
 */
export const newestRuns: Sql = sql`metrics.current_snapshots`;

/** The same of one probe on the server as a whole: at most one row a connection. */
export const newestRun = (probe: RunName): Sql => sql`(
  select
    x.connection_id, x.collected_at, x.attempted_at, x.took_ms, x.outcome, x.cause, x.reason, x.mend, x.row_count, x.rows
  from metrics.current_snapshots x
  where x.probe = ${nameLiteral(probe)} and x.database_name = ''
)`;

type Names = readonly [string, ...string[]];

function rowsOf(name: ProbeName, columns: Names, of: { also: Sql; where: Sql }): Sql {
  const own = columns.map((one) => declared(catalogProbe(name), one));
  const typed = own.map((column) => sql`${identifier(column.name)} ${columnType(column)}`);
  const read = own.map((column) => sql`v.${identifier(column.name)}`);
  return sql`(
    select x.connection_id, x.collected_at, ${of.also} ${join(read)}
    from metrics.current_snapshots x
    cross join lateral jsonb_to_recordset(x.rows) as v (${join(typed)})
    where x.probe = ${nameLiteral(name)} and ${of.where} and x.collected_at is not null
  )`;
}

/** The newest rows of a probe of the server as a whole: connection_id, collected_at and these columns. */
export const newestRows = (name: ProbeName, columns: Names): Sql =>
  rowsOf(name, columns, { also: sql``, where: sql`x.database_name = ''` });

/** The same of a probe of databases, with database_name. */
export const newestRowsOfDatabases = (name: ProbeName, columns: Names): Sql =>
  rowsOf(name, columns, { also: sql`x.database_name,`, where: sql`x.database_name <> ''` });

/** The items of a change-tracked probe as they are now: connection_id, database_name, item_key, valid_from, value. */
export const factsInForce = (probe: ProbeName): Sql => sql`(
  select x.connection_id, x.database_name, x.item_key, x.valid_from, x.value
  from metrics.facts x
  where x.probe = ${nameLiteral(probe)} and x.valid_to is null
)`;

/** Every version of every item: connection_id, probe, database_name, item_key, valid_from, valid_to, value, opened_by_switch, closed_by_switch. */
export const everyFact: Sql = sql`metrics.facts`;

/** Those of a probe that has one item a server: connection_id, valid_from, value. */
export const factInForce = (probe: ProbeName): Sql => sql`(
  select x.connection_id, x.valid_from, x.value
  from metrics.facts x
  where x.probe = ${nameLiteral(probe)} and x.database_name = '' and x.item_key = '' and x.valid_to is null
)`;

/**
 * Objects that were ever seen on a server, with the ids by which samples name them: connection_id, object_id, kind (the probe),
 * database_name, key, labels, first_seen, last_seen.
 */
export const knownObjects: Sql = sql`metrics.objects`;

/**
 * Texts of statements, one for each database, role and level: connection_id, database_name, queryid, toplevel, query_text, last_seen.
 */
export const knownStatements: Sql = sql`metrics.queries`;

/** Times in which it is known that nobody collected: connection_id, began_at, ended_at, reason. */
export const knownGaps: Sql = sql`metrics.known_gaps`;
