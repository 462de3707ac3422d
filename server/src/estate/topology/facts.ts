// From stored rows to facts. Pure. What a monitored server says is not trusted: whatever is not of the expected kind
// counts as not read, lists are cut, and texts too.
import { cutText } from '../../kernel/inert-text.ts';
import type { LogicalSlot, NodeFacts, RoleFacts, Sender, SpockNode, Subscription } from './types.ts';

type Values = Readonly<Record<string, unknown>>;

const MOST = 100;
const LONGEST = 255;

function values(value: unknown): Values {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? cutText(value, LONGEST) : null;

function integer(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

const list = (value: unknown): Values[] => (Array.isArray(value) ? value.slice(0, MOST).map(values) : []);

const sender = (value: Values): Sender => ({
  application_name: text(value.application_name) ?? '',
  client_addr: text(value.client_addr),
  slot_name: text(value.slot_name),
});

function slot(value: Values): LogicalSlot[] {
  const name = text(value.name);
  return name === null ? [] : [{ name, database: text(value.database) }];
}

const subscription = (value: Values): Subscription => ({
  name: text(value.name) ?? '',
  slot_name: text(value.slot_name),
  publisher_host: text(value.publisher_host),
  publisher_port: integer(value.publisher_port),
  publisher_database: text(value.publisher_database),
});

function spockOf(row: Values, details: Values): SpockNode | null {
  const node_id = integer(row.spock_node_id);
  if (node_id === null) return null;
  const own = list(details.spock_subscriptions).filter(({ target_id }) => integer(target_id) === node_id);
  return {
    node_id: String(node_id),
    node_name: text(row.spock_node_name) ?? String(node_id),
    version: text(details.spock_version),
    subscriptions: own.map((value) => ({
      ...subscription(value),
      origin_id: String(integer(value.origin_id)),
    })),
  };
}

function roleOf(row: Values): RoleFacts | null {
  if (typeof row.is_in_recovery !== 'boolean') return null;
  const details = values(row.role_details);
  return {
    is_in_recovery: row.is_in_recovery,
    timeline_id: integer(row.timeline_id),
    started_at: text(row.postmaster_start_time),
    is_publisher: (integer(row.publication_count) ?? 0) > 0 || row.has_active_logical_slots === true,
    is_subscriber: (integer(row.subscription_count) ?? 0) > 0,
    upstream_host: text(row.upstream_host),
    upstream_port: integer(row.upstream_port),
    receiver_slot_name: text(details.receiver_slot_name),
    own_address: text(details.server_address),
    own_port: integer(details.server_port),
    standby_count: integer(row.binary_standby_count) ?? 0,
    standbys: list(details.standbys).map(sender),
    subscribers: list(details.subscribers).map(sender),
    logical_slots: list(details.logical_slots).flatMap(slot),
    subscriptions: list(details.subscriptions).map(subscription),
    spock: spockOf(row, details),
  };
}

/** A connection with the newest rows of pg_node_role, pg_server_info and pg_sys_os_info. */
export interface FactsRow {
  connection_id: number;
  name: string;
  host: string;
  hostaddr: string | null;
  port: number;
  is_reachable: boolean;
  collected_at: string | null;
  role: unknown;
  server: unknown;
  os: unknown;
}

export function factsOf(row: FactsRow): NodeFacts {
  const server = values(row.server);
  const os = values(row.os);
  const release = [text(os.name), text(os.version)].filter((part) => part !== null).join(' ');
  return {
    connection_id: row.connection_id,
    name: row.name,
    host: row.host,
    hostaddr: row.hostaddr,
    port: row.port,
    is_reachable: row.is_reachable,
    collected_at: row.collected_at,
    role: roleOf(values(row.role)),
    system_identifier: text(server.system_identifier),
    cluster_name: text(server.cluster_name),
    version: text(server.server_version),
    os: release === '' ? null : release.slice(0, LONGEST),
  };
}
