// Everything server-info answers, as one statement over current snapshots and current facts, each found by its key.
// A plain union of rows on purpose: letting PostgreSQL build the JSON took longer than building it here.
import type { Db } from '../../kernel/db.ts';
import { join, nameLiteral, preparedOnce, sql } from '../../kernel/sql.ts';
import { factsInForce, newestRuns } from '../../store/read/relations.ts';
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

const statementOf = preparedOnce(
  ['connection_id'],
  ({ connection_id }) => sql`/* server_info.get */
    select s.probe as part, s.collected_at, s.rows as value,
      null as name, null as text_1, null as text_2, null as text_3
    from ${newestRuns} s
    where s.connection_id = ${connection_id}
      and s.probe in ('host', 'pg_server_info', 'pg_database', 'pg_extension', 'pg_settings')
    union all
    select 'server', null, f.value, null, null, null, null
    from ${factsInForce('pg_server_info')} f
    where f.connection_id = ${connection_id}
    union all
    select 'extension', null, null,
      f.value ->> 'extname', f.value ->> 'extversion', f.value ->> 'schema_name', f.database_name
    from ${factsInForce('pg_extension')} f
    where f.connection_id = ${connection_id}
    union all
    select 'setting', null, null, f.item_key, f.value ->> 'setting', f.value ->> 'unit', f.value ->> 'category'
    from ${factsInForce('pg_settings')} f
    where f.connection_id = ${connection_id}
      and f.database_name = ''
      and f.item_key in (${names})`,
);

export function readServerInfo(db: Db, connection_id: number): Promise<ServerInfoPart[]> {
  return db.rows<ServerInfoPart>(statementOf({ connection_id }));
}
