// Rows of every probe of the catalog for servers of any size, made of what the probes declare: the bench of reads has something to read
// of each. Guards: the same server, run and probe make the same rows, so that two runs of the bench read the same data.
import type { Column, Probe } from '../probes/types.ts';
import type { Row } from '../store/layout/types.ts';

/** How large a server is. */
export interface Size {
  name: string;
  tables: number;
  databases: number;
  statements: number;
}

/** Tables and indexes of the catalogs, which every database has. */
const CATALOG_TABLES = 70;
const CATALOG_INDEXES = 110;
/** Of the databases beside the first one. */
const FEW_TABLES = 5;
const SESSIONS = 60;
const AT_WORK = 10;
const FEW = 3;

export const databaseName = (n: number): string => `shop_${n}`;
export const tableName = (n: number): string => `table_${n}`;
export const queryidOf = (n: number): string => String(BigInt(n + 1) * 1_000_000_007n);

const time = (at: number) => new Date(at).toISOString();
/** A quarter of all objects is in use; of the others nothing changes. */
const IN_USE = 4;
const LONG_AGO = time(1_767_225_600_000);
/** Times that come with each reading; the others, of starts and resets, stay. */
const MOVES = /^last_|^query_start$|^state_change$|^reply_time$/;

/** What a row is made for: the n-th of its probe, at the `run`-th reading. */
interface Cell {
  n: number;
  run: number;
  at: number;
}

function cellOf({ name, type, kind }: Column, { n, run, at }: Cell): unknown {
  const isUsed = n % IN_USE === 0;
  if (kind === 'counter') return isUsed ? (run + 1) * (n + 1) * 10 : n;
  if (name === 'stats_since') return null;
  if (kind === 'time') return isUsed && MOVES.test(name) ? time(at) : LONG_AGO;
  if (type === 'bigint' || type === 'integer') return kind === 'key' ? 16_384 + n : n % 1000;
  if (type === 'double precision') return (n % 100) + (isUsed ? run / 10 : 0);
  if (type === 'boolean') return false;
  if (type === 'jsonb') return null;
  if (type === 'text[]') return [];
  return kind === 'key' ? `${name}_${n}` : `${name}_${n % 7}`;
}

/** What is not as any other value of its type. */
function special(probe: string, { n, at }: Cell, size: Size): Row {
  switch (probe) {
    case 'pg_stat_all_tables':
      return {
        relname: tableName(n),
        schemaname: 'public',
        n_live_tup: 1000 + n,
        table_size: 8192 * (n + 1),
      };
    case 'pg_stat_all_indexes':
      return {
        relid: 16_384 + n,
        relname: tableName(n),
        indexrelname: `${tableName(n)}_pkey`,
        schemaname: 'public',
      };
    case 'pg_stat_statements':
      return {
        queryid: queryidOf(n),
        userid: 10,
        dbid: 5 + (n % size.databases),
        toplevel: true,
        username: 'app',
      };
    case 'pg_database':
      return { datname: databaseName(n), oid: 5 + n, datallowconn: true, datistemplate: false };
    case 'pg_stat_activity':
      return {
        pid: 1000 + n,
        datname: databaseName(n % size.databases),
        backend_type: 'client backend',
        state: n % 5 === 0 ? 'active' : 'idle',
        wait_event_type: n % 5 === 0 ? null : 'Client',
        query: `select * from ${tableName(n)} where id = $1`,
        query_id: queryidOf(n),
        query_start: time(at - n * 1000),
        blocked_by: [],
      };
    case 'pg_active_sessions':
      return {
        state: 'active',
        wait_event_type: n % 3 === 0 ? 'IO' : null,
        wait_event: null,
        datname: databaseName(n % size.databases),
        usename: 'app',
        query_id: queryidOf((n * 3 + ((at / 10_000) % 3)) % size.statements),
        is_rest: false,
        sessions: 1,
      };
    case 'pg_server_info':
      return {
        server_version: '18.0',
        server_version_num: 180_000,
        postmaster_start_time: '2026-01-01T00:00:00.000000Z',
      };
    default:
      return {};
  }
}

const ofCatalog = (probe: string, n: number): Row =>
  probe === 'pg_stat_all_tables'
    ? { relid: 1000 + n, relname: `pg_table_${n}`, schemaname: 'pg_catalog' }
    : {
        indexrelid: 1000 + n,
        relid: 1000 + n,
        relname: `pg_table_${n}`,
        indexrelname: `pg_index_${n}`,
        schemaname: 'pg_catalog',
      };

/** How many rows a probe reads of a database of a server (the n-th), or of the server. */
function countOf(
  { name, level, keeps }: Probe,
  { tables, databases, statements }: Size,
  database: number,
): number {
  const own = database === 0 ? tables : FEW_TABLES;
  if (name === 'pg_stat_all_tables' || name === 'pg_stat_all_indexes') return own;
  if (name === 'pg_stat_statements') return Math.ceil(statements / databases);
  if (/sequence|bloat|index_health/.test(name)) return Math.ceil(own / 10);
  if (name === 'pg_database' || name === 'pg_wraparound') return level === 'S' ? databases : 1;
  if (name === 'pg_stat_activity') return SESSIONS;
  if (name === 'pg_active_sessions') return AT_WORK;
  if (name === 'pg_settings') return 370;
  if (/locks_tree|progress|subscription|spock|replication/.test(name)) return 0;
  return keeps === 'change-tracked' || level === 'D' ? 1 : FEW;
}

export interface RowsRequest extends Size {
  /** Which of its databases. */
  database: number;
  run: number;
  runs: number;
  at: number;
}

/** A sixth was there at first; the others came in ten readings of the middle. A tenth of these went after. */
function isThere(n: number, count: number, { run, runs }: RowsRequest): boolean {
  const first = Math.ceil(count / 6);
  if (n < first) return true;
  const middle = Math.floor(runs / 2);
  const born = middle + (n % 10) / 2;
  return run >= born && !(n % 10 === 9 && run >= middle + 8);
}

const withoutBirths = new Set(['pg_database', 'pg_stat_activity', 'pg_active_sessions', 'pg_settings']);

/** What that probe reads of that database then. */
export function rowsOf(probe: Probe, asked: RowsRequest): Row[] {
  const count = Math.min(countOf(probe, asked, asked.database), probe.caps.maxRows);
  const row = (n: number, own: Row): Row => {
    const cell = { n, run: asked.run, at: asked.at };
    const values: Record<string, unknown> = {};
    for (const column of probe.columns) values[column.name] = cellOf(column, cell);
    return Object.assign(values, own);
  };
  const isWhole = withoutBirths.has(probe.name) || asked.database > 0 || probe.keeps !== 'objects';
  const rows: Row[] = [];
  for (let n = 0; n < count; n += 1) {
    // Statements of a database are every so manieth of the server.
    const at = probe.name === 'pg_stat_statements' ? n * asked.databases + asked.database : n;
    if (isWhole || isThere(n, count, asked))
      rows.push(row(at, special(probe.name, { n: at, run: asked.run, at: asked.at }, asked)));
  }
  const catalog = { pg_stat_all_tables: CATALOG_TABLES, pg_stat_all_indexes: CATALOG_INDEXES };
  const more = Object.entries(catalog).find(([name]) => name === probe.name)?.[1] ?? 0;
  for (let n = 0; n < Math.min(more, probe.caps.maxRows - rows.length); n += 1)
    rows.push(row(n, ofCatalog(probe.name, n)));
  return rows;
}
