// SQL of connections. Deleted ones are invisible to every statement but those that purge.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Static } from '../../kernel/schema.ts';
import type { SslMode } from '../../kernel/server-address/ssl-mode.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { ConnectionListItem } from './connections.schemas.ts';
import type { Destination } from './destination.ts';

/** What connects to the server; a change of any of it makes a new revision. */
export interface ConnectionFacts {
  host: string;
  hostaddr: string | null;
  port: number;
  database_name: string;
  username: string;
  ssl_mode: SslMode;
  ssl_cert_path: string | null;
  ssl_key_path: string | null;
  ssl_root_cert_path: string | null;
  node_exporter_url: string | null;
}

export interface ConnectionRow extends ConnectionFacts {
  id: number;
  owner_id: number;
  name: string;
  description: string;
  /** In alphabetical order, each once. */
  tags: readonly string[];
  is_shared: boolean;
  is_monitored: boolean;
  is_embedded: boolean;
  membership_source: 'auto' | 'manual';
  password_encrypted: Buffer | null;
  /** What the password was entered for; null without a password. */
  password_destination: Destination | null;
  password_entered_by: number | null;
  /** The name of a source in the settings, instead of a stored password. */
  password_source: string | null;
  revision: number;
}

export type ConnectionListRow = Static<typeof ConnectionListItem>;

const columns = sql`
  c.id, c.owner_id, c.name, c.description, c.tags, c.host, c.hostaddr, c.port, c.database_name, c.username, c.ssl_mode,
  c.ssl_cert_path, c.ssl_key_path, c.ssl_root_cert_path, c.node_exporter_url, c.is_shared, c.is_monitored,
  c.is_embedded, c.membership_source, c.password_encrypted, c.password_destination, c.password_entered_by,
  c.password_source, c.revision`;

export function listVisible(db: Db, principal: Principal): Promise<ConnectionListRow[]> {
  return db.rows<ConnectionListRow>(sql`/* connections.list */
    select
      c.id, c.name, c.description, c.host, c.port, c.database_name, c.is_monitored, c.is_shared,
      u.username as owner_username, s.cluster_id, c.membership_source
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    join matriarch.users u on u.id = c.owner_id
    where c.deleted_at is null
      and ${visible(principal)}
    order by c.name, c.id`);
}

export function findConnection(db: Db, id: number): Promise<ConnectionRow | undefined> {
  return db.maybe<ConnectionRow>(sql`/* connections.get */
    select ${columns}
    from matriarch.connections c
    where c.id = ${id} and c.deleted_at is null`);
}

export function findConnections(db: Db, ids: readonly number[]): Promise<ConnectionRow[]> {
  return db.rows<ConnectionRow>(sql`/* connections.get_many */
    select ${columns}
    from matriarch.connections c
    where c.id = any (${ids}::int[]) and c.deleted_at is null
    order by c.id`);
}

/** The row stays as it is until the transaction ends. */
export function lockConnection(db: Db, id: number): Promise<ConnectionRow | undefined> {
  return db.maybe<ConnectionRow>(sql`/* connections.lock */
    select ${columns}
    from matriarch.connections c
    where c.id = ${id} and c.deleted_at is null
    for update`);
}

/** The id of the next connection, which its password is sealed for before the row exists. */
export async function nextConnectionId(db: Db): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* connections.next_id */
    select nextval(pg_get_serial_sequence('matriarch.connections', 'id')) as id`);
  return id;
}

export type NewConnectionRow = Omit<ConnectionRow, 'is_embedded' | 'membership_source' | 'revision'>;

export async function insertConnection(db: Db, row: NewConnectionRow): Promise<void> {
  await db.run(sql`/* connections.insert */
    insert into matriarch.connections (
      id, owner_id, name, description, tags, host, hostaddr, port, database_name, username, ssl_mode, ssl_cert_path,
      ssl_key_path, ssl_root_cert_path, node_exporter_url, is_shared, is_monitored, password_encrypted,
      password_destination, password_entered_by, password_source, password_entered_at
    )
    values (
      ${row.id}, ${row.owner_id}, ${row.name}, ${row.description}, ${row.tags}::text[], ${row.host},
      ${row.hostaddr}, ${row.port},
      ${row.database_name}, ${row.username}, ${row.ssl_mode}, ${row.ssl_cert_path}, ${row.ssl_key_path},
      ${row.ssl_root_cert_path}, ${row.node_exporter_url}, ${row.is_shared}, ${row.is_monitored},
      ${row.password_encrypted}, ${row.password_destination}::jsonb, ${row.password_entered_by},
      ${row.password_source},
      case when ${row.password_encrypted}::bytea is not null then now() end
    )`);
}

export async function saveConnection(db: Db, row: ConnectionRow): Promise<void> {
  await db.run(sql`/* connections.update */
    update matriarch.connections c
    set name = ${row.name},
      description = ${row.description},
      tags = ${row.tags}::text[],
      host = ${row.host},
      hostaddr = ${row.hostaddr},
      port = ${row.port},
      database_name = ${row.database_name},
      username = ${row.username},
      ssl_mode = ${row.ssl_mode},
      ssl_cert_path = ${row.ssl_cert_path},
      ssl_key_path = ${row.ssl_key_path},
      ssl_root_cert_path = ${row.ssl_root_cert_path},
      node_exporter_url = ${row.node_exporter_url},
      is_shared = ${row.is_shared},
      is_monitored = ${row.is_monitored},
      password_encrypted = ${row.password_encrypted},
      password_destination = ${row.password_destination}::jsonb,
      password_entered_by = ${row.password_entered_by},
      password_source = ${row.password_source},
      password_entered_at = case
        when c.password_encrypted is distinct from ${row.password_encrypted}::bytea then now()
        else c.password_entered_at
      end,
      revision = ${row.revision},
      updated_at = now()
    where c.id = ${row.id}`);
}

/** The row stays for the purge of its metrics; its secret goes at once. */
export async function markDeleted(db: Db, id: number): Promise<number> {
  return db.run(sql`/* connections.delete */
    update matriarch.connections c
    set deleted_at = now(),
      is_monitored = false,
      password_encrypted = null,
      password_destination = null,
      password_entered_by = null,
      password_source = null,
      password_entered_at = null,
      revision = c.revision + 1,
      updated_at = now()
    where c.id = ${id} and c.deleted_at is null`);
}

/** Those whose password was sealed before it was bound to a destination, locked; the first byte says how it was sealed. */
export function lockUnboundPasswords(db: Db): Promise<ConnectionRow[]> {
  return db.rows<ConnectionRow>(sql`/* connections.lock_unbound_passwords */
    select ${columns}
    from matriarch.connections c
    where length(c.password_encrypted) > 0 and get_byte(c.password_encrypted, 0) = 1
    order by c.id
    for update`);
}

/** The same password for the same destination, sealed anew. */
/** Names of connections with a stored password, in order. */
export async function namesWithPassword(db: Db): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`/* connections.names_with_password */
    select c.name
    from matriarch.connections c
    where c.password_encrypted is not null and c.deleted_at is null
    order by c.name`);
  return rows.map(({ name }) => name);
}

export async function saveSealed(db: Db, id: number, sealed: Buffer | null): Promise<void> {
  await db.run(sql`/* connections.save_sealed */
    update matriarch.connections set password_encrypted = ${sealed} where id = ${id}`);
}

/** Nobody has a deleted connection selected. */
export async function clearSelections(db: Db, id: number): Promise<void> {
  await db.run(sql`/* connections.clear_session_selections */
    update matriarch.sessions
    set current_connection_id = null, current_database_name = null
    where current_connection_id = ${id}`);
  await db.run(sql`/* connections.clear_token_selections */
    update matriarch.api_tokens
    set current_connection_id = null, current_database_name = null
    where current_connection_id = ${id}`);
}

/** Takes a deleted connection out of the scopes of tokens; a list that becomes empty stays, and allows nothing. */
export async function removeFromScopes(db: Db, id: number): Promise<void> {
  await db.run(sql`/* connections.remove_from_scopes */
    update matriarch.api_tokens t
    set scope = jsonb_set(t.scope, '{connections}', coalesce((
      select jsonb_agg(entry order by position)
      from jsonb_array_elements(t.scope -> 'connections') with ordinality as listed (entry, position)
      where entry ->> 'connection_id' is distinct from ${id}::int::text
    ), '[]'::jsonb))
    where t.scope -> 'connections' @> jsonb_build_array(jsonb_build_object('connection_id', ${id}::int))`);
}

/** Takes a deleted connection out of what groups were granted. */
export async function removeFromGrants(db: Db, id: number): Promise<void> {
  await db.run(sql`/* connections.remove_from_grants */
    delete from matriarch.group_connections where connection_id = ${id}`);
}

/** Wakes the collectors when the transaction commits. */
export async function notifyChanged(db: Db, id: number): Promise<void> {
  await db.run(sql`/* connections.notify */ select pg_notify('matriarch_connections', ${id}::int::text)`);
}

export interface CurrentRow {
  connection_id: number;
  database_name: string | null;
  host: string;
  port: number;
  name: string;
}

type Via = Principal['via'];

function holder(via: Via): Sql | undefined {
  if (via.kind === 'session') return sql`matriarch.sessions`;
  return via.kind === 'token' ? sql`matriarch.api_tokens` : undefined;
}

/** The selection of that session or token, as far as it can still be seen. */
export async function findCurrent(db: Db, principal: Principal): Promise<CurrentRow | undefined> {
  const table = holder(principal.via);
  if (!table) return undefined;
  return db.maybe<CurrentRow>(sql`/* connections.current */
    select c.id as connection_id, h.current_database_name as database_name, c.host, c.port, c.name
    from ${table} h
    join matriarch.connections c on c.id = h.current_connection_id and c.deleted_at is null
    where h.id = ${principal.via.id} and ${visible(principal)}`);
}

export interface Selection {
  connection_id: number;
  database_name: string | null;
}

export async function saveCurrent(db: Db, via: Via, selection: Selection): Promise<void> {
  const table = holder(via);
  if (!table) return;
  await db.run(sql`/* connections.select */
    update ${table}
    set current_connection_id = ${selection.connection_id}::int,
      current_database_name = ${selection.database_name}::text
    where id = ${via.id}`);
}

export async function clearCurrent(db: Db, via: Via): Promise<void> {
  const table = holder(via);
  if (!table) return;
  await db.run(sql`/* connections.unselect */
    update ${table}
    set current_connection_id = null, current_database_name = null
    where id = ${via.id} and current_connection_id is not null`);
}
