// What the audit log and the log are told of a connection. Guards: neither its password nor its hostaddr.
import { type AuditAction, type AuditEntry, type Ctx, recordAudit } from '../../identity/identity.ts';
import type { ConnectionRow } from './connections.queries.ts';

type ConnectionName = Pick<ConnectionRow, 'id' | 'name'>;
type Facts = ConnectionName &
  Pick<
    ConnectionRow,
    'host' | 'port' | 'database_name' | 'username' | 'is_shared' | 'is_monitored' | 'password_source'
  >;

const EVENTS = {
  'connection.create': 'connections.created',
  'connection.change': 'connections.changed',
  'connection.delete': 'connections.deleted',
  'secret.use': 'connections.password_used',
} as const satisfies Partial<Record<AuditAction, string>>;

export interface ConnectionAct extends Pick<AuditEntry, 'details' | 'outcome'> {
  action: keyof typeof EVENTS;
}

/** Inside the transaction of the change. */
export async function noteConnection(
  ctx: Ctx,
  { id, name }: ConnectionName,
  act: ConnectionAct,
): Promise<void> {
  await recordAudit(ctx, { ...act, target: { kind: 'connection', id, name } });
  ctx.log.info({ event: EVENTS[act.action], connection_id: id, user_id: ctx.principal.user_id });
}

/** Where it goes and who sees it. */
export function whereItGoes(row: Facts) {
  const { host, port, database_name, username, is_shared, is_monitored, password_source } = row;
  const source = password_source === null ? {} : { password_source };
  return { host, port, database_name, username, is_shared, is_monitored, ...source };
}

const SILENT = ['revision', 'password_destination', 'password_entered_by'];

/** Names of the columns that differ; a password is one of them and stays unread. */
export function changedNames(before: ConnectionRow, after: ConnectionRow): string[] {
  const old = new Map(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => !SILENT.includes(name) && old.get(name) !== value)
    .map(([name]) => (name === 'password_encrypted' ? 'password' : name));
}
