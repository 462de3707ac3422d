// Server information from what was collected, whatever its age. Invariant: nothing is made up; what nobody
// collected is null or an empty list, and the objects are always there.

import type { Ctx } from '../../identity/identity.ts';
import { KeptTexts } from '../../kernel/kept-texts.ts';
import { compileReply } from '../../kernel/reply-filter.ts';
import type { Static } from '../../kernel/schema.ts';
import { KEY_SETTINGS, type KeySetting, ServerInfoResponse } from './server-info.contract.ts';
import * as queries from './server-info.queries.ts';

type ServerInfo = Static<typeof ServerInfoResponse>;
type Extension = ServerInfo['extensions'][number];

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

/** The parts by what they are, in one pass: there are fifty of a small server. */
interface Sorted {
  server: queries.ServerFacts | undefined;
  host: readonly queries.HostFact[];
  databases: readonly queries.DatabaseFacts[];
  extensions: Extension[];
  settings: Map<string, queries.SettingPart>;
  /** When nothing of a section is older, and when anything is newest. */
  oldest: Map<queries.ServerInfoPart['part'], string>;
  newest: string | null;
}

function noteTime(sorted: Sorted, part: queries.ServerInfoPart['part'], collected_at: string | null): void {
  if (!collected_at) return;
  const oldest = sorted.oldest.get(part);
  if (oldest === undefined || collected_at < oldest) sorted.oldest.set(part, collected_at);
  if (sorted.newest === null || collected_at > sorted.newest) sorted.newest = collected_at;
}

const extensionOf = ({ name, text_1, text_2, text_3 }: queries.ExtensionPart): Extension => ({
  name,
  version: text_1,
  schema: text_2,
  database: text_3,
});

function sort(parts: readonly queries.ServerInfoPart[]): Sorted {
  const sorted: Sorted = {
    server: undefined,
    host: [],
    databases: [],
    extensions: [],
    settings: new Map(),
    oldest: new Map(),
    newest: null,
  };
  for (const one of parts) {
    if (one.part === 'extension') {
      if (!isTemplate(one.text_3)) sorted.extensions.push(extensionOf(one));
    } else if (one.part === 'setting') sorted.settings.set(one.name, one);
    else if (one.part === 'server') sorted.server = one.value;
    else {
      noteTime(sorted, one.part, one.collected_at);
      if (one.part === 'host') sorted.host = one.value ?? [];
      else if (one.part === 'pg_database') sorted.databases = one.value ?? [];
    }
  }
  sorted.extensions.sort((a, b) => compare(a.database, b.database) || compare(a.name, b.name));
  return sorted;
}

function systemOf(facts: readonly queries.HostFact[]): ServerInfo['system'] {
  const found: Record<string, unknown> = {};
  for (const { kind, field, value } of facts)
    if (kind === 'value' && field !== undefined) found[field] = value;
  return { ...EMPTY_SYSTEM, ...found };
}

function databasesOf(
  rows: readonly queries.DatabaseFacts[],
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

function settingsOf(known: ReadonlyMap<string, queries.SettingPart>): Static<typeof KeySetting>[] {
  return KEY_SETTINGS.flatMap((name) => {
    const found = known.get(name);
    if (!found) return [];
    const { text_1: setting, text_2: unit, text_3: category } = found;
    return [{ name, setting, ...(unit ? { unit } : {}), category }];
  });
}

/** Pure: the answer from the parts the statement gives. */
function assemble(connection_id: number, parts: readonly queries.ServerInfoPart[]): ServerInfo {
  const { server, host, databases, extensions, settings, oldest, newest } = sort(parts);
  const since = (part: queries.ServerInfoPart['part']) => oldest.get(part) ?? null;
  return {
    connection_id,
    collected_at: newest,
    system: systemOf(host),
    postgresql: { ...EMPTY_POSTGRESQL, ...server },
    databases: databasesOf(databases, extensions),
    extensions,
    key_settings: settingsOf(settings),
    sections_collected_at: {
      system: since('host'),
      postgresql: since('pg_server_info'),
      databases: since('pg_database'),
      extensions: since('pg_extension'),
      key_settings: since('pg_settings'),
    },
  };
}

/** About a thousand servers with a few databases each. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
const textOf = compileReply(ServerInfoResponse);

/**
 * Answers JSON text, by one statement. What is kept between requests knows no caller, and is sent again only where the datastore
 * says that nothing has changed; the caller has checked access to the connection.
 */
export function createServerInfo(): (ctx: Ctx, connection_id: number) => Promise<string> {
  const texts = new KeptTexts<number>(MOST_CHARACTERS);
  return async ({ db }, connection_id) => {
    const known = texts.find(connection_id);
    const { state, parts } = await queries.readServerInfo(db, connection_id, known?.state);
    if (known && parts === undefined) return known.text;
    const text = textOf(assemble(connection_id, parts ?? []));
    texts.keep(connection_id, state, text);
    return text;
  };
}
