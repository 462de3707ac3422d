// Everything server-info answers, as one statement over current snapshots and current facts, each found by its key.
// A plain union of rows on purpose: letting PostgreSQL build the JSON took longer than building it here.
import type { Db } from '../../kernel/db.ts';
import { join, nameLiteral, preparedOnce, type Sql, sql } from '../../kernel/sql.ts';
import { factsInForce, newestRuns } from '../../store/read/doors/relations.ts';
import { KEY_SETTINGS } from './server-info.contract.ts';

/** Part of the text, so that nothing is sent for them. */
const names = join(KEY_SETTINGS.map(nameLiteral), sql`, `);

export interface ServerFacts {
  version: string | null;
  cluster_name: string | null;
  data_directory: string | null;
  max_connections: number | null;
  max_wal_senders: number | null;
  max_replication_slots: number | null;
}

export interface DatabaseFacts {
  datname: string;
  datistemplate: boolean | null;
  database_size_bytes: number | null;
  encoding: string | null;
  datconnlimit: number | null;
}

export interface HostFact {
  kind: 'value' | 'source';
  field?: string;
  value?: unknown;
}

/** When a probe last collected; rows only of those whose rows are kept in the snapshot. */
type SnapshotPart =
  | { part: 'host'; collected_at: string | null; value: readonly HostFact[] | null }
  | { part: 'pg_database'; collected_at: string | null; value: readonly DatabaseFacts[] | null }
  | { part: 'pg_server_info' | 'pg_extension' | 'pg_settings'; collected_at: string | null; value: null };

/** One item of a change-tracked probe, as it is now. Of items that are many, only what is answered is read. */
type FactPart =
  | { part: 'server'; value: ServerFacts }
  | {
      part: 'extension';
      name: string;
      /** Version, schema, database. */
      text_1: string | null;
      text_2: string | null;
      text_3: string;
    }
  | {
      part: 'setting';
      name: string;
      /** Value, unit, category. */
      text_1: string | null;
      text_2: string | null;
      text_3: string | null;
    };

export type ServerInfoPart = SnapshotPart | FactPart;
export type ExtensionPart = Extract<ServerInfoPart, { part: 'extension' }>;
export type SettingPart = Extract<ServerInfoPart, { part: 'setting' }>;

const SNAPSHOTS = sql`('host', 'pg_server_info', 'pg_database', 'pg_extension', 'pg_settings')`;

const hasChanged = (known_state: Sql) =>
  sql`(select state.found from state) is distinct from ${known_state}::text`;

/** In what state all of that is. */
interface StatePart {
  part: 'state';
  text_1: string;
}

/**
 * A run writes when it collected and a hash of what it found in the transaction in which it changes facts, and of a database
 * that no longer exists the snapshots go with the facts. So this is another text whenever anything would be answered
 * otherwise. Where it is the known one, nothing else is read.
 */
const statementOf = preparedOnce(
  ['connection_id', 'known_state'],
  ({ connection_id, known_state }) => sql`/* server_info.get */
    with state as materialized (
      select concat_ws(':', count(*), sum(hashtextextended(
        concat_ws(' ', s.probe, s.database_name, s.collected_at, s.content_hash), 0
      ))) as found
      from ${newestRuns} s
      where s.connection_id = ${connection_id} and s.probe in ${SNAPSHOTS}
    )
    select 'state' as part, null as collected_at, null as value,
      null as name, state.found as text_1, null as text_2, null as text_3
    from state
    union all
    select s.probe, s.collected_at, s.rows, null, null, null, null
    from ${newestRuns} s
    where s.connection_id = ${connection_id} and s.probe in ${SNAPSHOTS} and ${hasChanged(known_state)}
    union all
    select 'server', null, f.value, null, null, null, null
    from ${factsInForce('pg_server_info')} f
    where f.connection_id = ${connection_id} and ${hasChanged(known_state)}
    union all
    select 'extension', null, null,
      f.value ->> 'extname', f.value ->> 'extversion', f.value ->> 'schema_name', f.database_name
    from ${factsInForce('pg_extension')} f
    where f.connection_id = ${connection_id} and ${hasChanged(known_state)}
    union all
    select 'setting', null, null, f.item_key, f.value ->> 'setting', f.value ->> 'unit', f.value ->> 'category'
    from ${factsInForce('pg_settings')} f
    where f.connection_id = ${connection_id}
      and f.database_name = ''
      and f.item_key in (${names})
      and ${hasChanged(known_state)}`,
);

export interface ServerInfoParts {
  state: string;
  /** Undefined where the state is the known one. */
  parts: ServerInfoPart[] | undefined;
}

/** One statement. `known_state` is the one that was found before, if it was. */
export async function readServerInfo(
  db: Db,
  connection_id: number,
  known_state: string | undefined,
): Promise<ServerInfoParts> {
  const rows = await db.rows<ServerInfoPart | StatePart>(
    statementOf({ connection_id, known_state: known_state ?? null }),
  );
  let state = '';
  const parts: ServerInfoPart[] = [];
  for (const row of rows) {
    if (row.part === 'state') state = row.text_1;
    else parts.push(row);
  }
  return { state, parts: state === known_state ? undefined : parts };
}
