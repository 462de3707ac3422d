// What may be seen of a connection. Guards: neither its password nor its hostaddr, and what may sign in somewhere, such
// as a token in the address of node_exporter, is for those alone who may manage the connection. Pure.
import type { Static } from '../../kernel/schema.ts';
import type { ConnectionRow } from './connections.queries.ts';
import type { Connection } from './connections.schemas.ts';
import type { SourceState } from './password-source.queries.ts';

export type ConnectionView = Static<typeof Connection>;

/** Where node_exporter is, without what lets somebody in there. */
function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return '';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

export function viewOf(
  row: ConnectionRow,
  mayManage: boolean,
  reading: SourceState = { read_at: null, failed_at: null, problem: null },
): ConnectionView {
  const exporter = row.node_exporter_url;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    host: row.host,
    port: row.port,
    database_name: row.database_name,
    username: row.username,
    ...(mayManage && { has_password: row.password_encrypted !== null }),
    ...(mayManage &&
      row.password_source !== null && {
        password_source: row.password_source,
        password_source_reading: reading,
      }),
    ssl_mode: row.ssl_mode,
    ...(row.ssl_cert_path !== null && { ssl_cert_path: row.ssl_cert_path }),
    ...(row.ssl_key_path !== null && { ssl_key_path: row.ssl_key_path }),
    ...(row.ssl_root_cert_path !== null && { ssl_root_cert_path: row.ssl_root_cert_path }),
    ...(exporter !== null && { node_exporter_url: mayManage ? exporter : withoutCredentials(exporter) }),
    tags: [...row.tags],
    is_monitored: row.is_monitored,
    is_shared: row.is_shared,
    membership_source: row.membership_source,
  };
}
