// Server information from what was collected, whatever its age. Invariant: nothing is made up; what nobody
// collected is null or an empty list, and the objects are always there.
import type { Static } from '../../kernel/schema.ts';
import type { Ctx } from '../access/principal.ts';
import { KEY_SETTINGS, type KeySetting, type ServerInfoResponse } from './server-info.contract.ts';
import {
  type DatabaseFacts,
  type HostFact,
  readServerInfo,
  type ServerInfoPart,
} from './server-info.queries.ts';

type ServerInfo = Static<typeof ServerInfoResponse>;
type Extension = ServerInfo['extensions'][number];
type PartOf<P extends ServerInfoPart['part']> = Extract<ServerInfoPart, { part: P }>;

const EMPTY_SYSTEM: ServerInfo['system'] = {
  os_name: null,
  os_version: null,
  architecture: null,
  hostname: null,
  cpu_model: null,
  cpu_cores: null,
  cpu_logical: null,
  cpu_clock_speed: null,
  memory_total_bytes: null,
  memory_used_bytes: null,
  memory_free_bytes: null,
  swap_total_bytes: null,
  swap_used_bytes: null,
  disks: [],
};
const EMPTY_POSTGRESQL: ServerInfo['postgresql'] = {
  version: null,
  cluster_name: null,
  data_directory: null,
  max_connections: null,
  max_wal_senders: null,
  max_replication_slots: null,
};

/** By code unit, so that an order does not depend on a locale. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const isTemplate = (name: string) => name === 'template0' || name === 'template1';

function partsOf<P extends ServerInfoPart['part']>(parts: readonly ServerInfoPart[], part: P): PartOf<P>[] {
  return parts.filter((one): one is PartOf<P> => one.part === part);
}

function newest(parts: readonly ServerInfoPart[]): string | null {
  const times = parts.flatMap((one) => ('collected_at' in one && one.collected_at ? [one.collected_at] : []));
  return times.sort(compare).at(-1) ?? null;
}

/** Nothing of that section is older. */
function oldest(parts: readonly ServerInfoPart[], part: ServerInfoPart['part']): string | null {
  const times = parts.flatMap((one) =>
    one.part === part && 'collected_at' in one && one.collected_at ? [one.collected_at] : [],
  );
  return times.sort(compare)[0] ?? null;
}

function systemOf(facts: readonly HostFact[]): ServerInfo['system'] {
  const values = facts.flatMap(({ kind, field, value }) =>
    kind === 'value' && field !== undefined ? [[field, value]] : [],
  );
  return { ...EMPTY_SYSTEM, ...Object.fromEntries(values) };
}

function extensionsOf(parts: readonly PartOf<'extension'>[]): Extension[] {
  return parts
    .filter(({ database_name }) => !isTemplate(database_name))
    .map(({ database_name, value }) => ({
      name: value.extname,
      version: value.extversion,
      schema: value.schema_name,
      database: database_name,
    }))
    .sort((a, b) => compare(a.database, b.database) || compare(a.name, b.name));
}

function databasesOf(
  rows: readonly DatabaseFacts[],
  extensions: readonly Extension[],
): ServerInfo['databases'] {
  const installed = Map.groupBy(extensions, ({ database }) => database);
  return rows
    .filter(({ datname, datistemplate }) => !isTemplate(datname) && datistemplate !== true)
    .map((row) => ({
      name: row.datname,
      size_bytes: row.database_size_bytes,
      encoding: row.encoding,
      connection_limit: row.datconnlimit,
      extensions: (installed.get(row.datname) ?? []).map(({ name }) => name),
    }))
    .sort((a, b) => compare(a.name, b.name));
}

function settingsOf(parts: readonly PartOf<'setting'>[]): Static<typeof KeySetting>[] {
  const known = new Map(parts.map(({ item_key, value }) => [item_key, value]));
  return KEY_SETTINGS.flatMap((name) => {
    const value = known.get(name);
    if (!value) return [];
    const { setting, unit, category } = value;
    return [{ name, setting, ...(unit ? { unit } : {}), category }];
  });
}

/** Pure: the answer from the parts the statement gives. */
function assemble(connection_id: number, parts: readonly ServerInfoPart[]): ServerInfo {
  const extensions = extensionsOf(partsOf(parts, 'extension'));
  return {
    connection_id,
    collected_at: newest(parts),
    system: systemOf(partsOf(parts, 'host')[0]?.value ?? []),
    postgresql: { ...EMPTY_POSTGRESQL, ...partsOf(parts, 'server')[0]?.value },
    databases: databasesOf(partsOf(parts, 'pg_database')[0]?.value ?? [], extensions),
    extensions,
    key_settings: settingsOf(partsOf(parts, 'setting')),
    sections_collected_at: {
      system: oldest(parts, 'host'),
      postgresql: oldest(parts, 'pg_server_info'),
      databases: oldest(parts, 'pg_database'),
      extensions: oldest(parts, 'pg_extension'),
      key_settings: oldest(parts, 'pg_settings'),
    },
  };
}

/** One statement. Whoever calls has checked the access to the connection. */
export async function getServerInfo(ctx: Ctx, connection_id: number): Promise<ServerInfo> {
  return assemble(connection_id, await readServerInfo(ctx.db, connection_id));
}
