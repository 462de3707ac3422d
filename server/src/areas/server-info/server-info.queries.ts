// Everything server-info answers, as one statement over current snapshots and current facts, each found by its key.
// A plain union of rows on purpose: letting PostgreSQL build the JSON took longer than building it here.
import type { Db } from '../../kernel/db.ts';
import { prepared, sql } from '../../kernel/sql.ts';
import { factsInForce, newestRuns } from '../../store/read/relations.ts';
import { KEY_SETTINGS } from './server-info.contract.ts';

const names: readonly string[] = KEY_SETTINGS;

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

/** One item of a change-tracked probe, as it is now. */
type FactPart =
  | { part: 'server'; value: ServerFacts }
  | {
      part: 'extension';
      database_name: string;
      value: { extname: string; extversion: string | null; schema_name: string | null };
    }
  | {
      part: 'setting';
      item_key: string;
      value: { setting: string | null; unit: string | null; category: string | null };
    };

export type ServerInfoPart = SnapshotPart | FactPart;

export function readServerInfo(db: Db, connectionId: number): Promise<ServerInfoPart[]> {
  const statement = sql`/* server_info.get */
    select s.probe as part, s.database_name, '' as item_key, s.collected_at, s.rows as value
    from ${newestRuns} s
    where s.connection_id = ${connectionId}
      and s.probe in ('host', 'pg_server_info', 'pg_database', 'pg_extension', 'pg_settings')
    union all
    select 'server', f.database_name, f.item_key, null, f.value
    from ${factsInForce('pg_server_info')} f
    where f.connection_id = ${connectionId}
    union all
    select 'extension', f.database_name, f.item_key, null, f.value
    from ${factsInForce('pg_extension')} f
    where f.connection_id = ${connectionId}
    union all
    select 'setting', f.database_name, f.item_key, null, f.value
    from ${factsInForce('pg_settings')} f
    where f.connection_id = ${connectionId}
      and f.database_name = ''
      and f.item_key = any (${names}::text[])`;
  return db.rows<ServerInfoPart>(prepared(statement));
}
