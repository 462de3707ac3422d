// SQL for connection 1, the embedded datastore seen as a monitored server. Runs as the datastore's superuser.
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { Destination } from './destination.ts';
import type { StoredPassword } from './stored-password.ts';

export interface EmbeddedRow {
  id: number;
  is_deleted: boolean;
}

export function findEmbedded(db: Db): Promise<EmbeddedRow | undefined> {
  return db.maybe<EmbeddedRow>(sql`/* connections.find_embedded */
    select c.id, c.deleted_at is not null as is_deleted
    from matriarch.connections c
    where c.is_embedded
    order by c.id
    limit 1
    for update`);
}

export interface EmbeddedFacts {
  owner_id: number;
  host: string;
  port: number;
  database_name: string;
  username: string;
}

export async function insertEmbedded(db: Db, facts: EmbeddedFacts): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* connections.insert_embedded */
    insert into matriarch.connections (
      owner_id, name, description, host, port, database_name, username,
      ssl_mode, is_shared, is_monitored, is_embedded
    )
    values (
      ${facts.owner_id}, 'Matriarch datastore', 'The PostgreSQL server that Matriarch brings and stores its metrics in.',
      ${facts.host}, ${facts.port}, ${facts.database_name}, ${facts.username}, 'disable', false, true, true
    )
    returning id`);
  return id;
}

/** Whatever leads there is as the program says, so that the new password goes nowhere else. */
export async function updateEmbedded(
  db: Db,
  row: Destination & StoredPassword & { id: number },
): Promise<void> {
  await db.run(sql`/* connections.update_embedded */
    update matriarch.connections
    set host = ${row.host},
      hostaddr = ${row.hostaddr},
      port = ${row.port},
      username = ${row.username},
      ssl_mode = ${row.ssl_mode},
      ssl_cert_path = null,
      ssl_key_path = null,
      ssl_root_cert_path = ${row.ssl_root_cert_path},
      password_encrypted = ${row.password_encrypted},
      password_destination = ${row.password_destination}::jsonb,
      password_entered_by = ${row.password_entered_by},
      password_source = null,
      password_entered_at = now(),
      revision = revision + 1,
      updated_at = now()
    where id = ${row.id}`);
}

/**
 * Makes or renews the role that monitors. The password travels as a parameter into a setting of the transaction and
 * from there into the statement, so that no statement text ever holds it.
 */
export async function ensureMonitorRole(db: Db, password: string): Promise<void> {
  await db.run(sql`/* connections.monitor_password */
    select set_config('matriarch.monitor_password', ${password}, true)`);
  await db.run(sql`/* connections.ensure_monitor_role */
    do $body$
    begin
      if not exists (select from pg_catalog.pg_roles where rolname = 'matriarch_monitor') then
        create role matriarch_monitor login connection limit 10;
      end if;
      grant pg_monitor to matriarch_monitor;
      -- pg_monitor may not see who may sign in from where; this server is our own.
      grant select on pg_catalog.pg_hba_file_rules, pg_catalog.pg_ident_file_mappings to matriarch_monitor;
      grant execute on function pg_catalog.pg_hba_file_rules(), pg_catalog.pg_ident_file_mappings()
        to matriarch_monitor;
      -- Nor how far sequences have come, which is all that select on them shows.
      grant select on all sequences in schema matriarch, metrics to matriarch_monitor;
      alter default privileges in schema matriarch, metrics grant select on sequences to matriarch_monitor;
      execute format('alter role matriarch_monitor password %L', current_setting('matriarch.monitor_password'));
    end
    $body$`);
  await db.run(
    sql`/* connections.ensure_statements */ create extension if not exists pg_stat_statements schema public`,
  );
}
