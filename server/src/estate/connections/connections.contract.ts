// Connections: adding, changing, trying and choosing monitored servers. Saving never contacts the server; trying
// never saves.
import { byId, created, DONE, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  Connection,
  ConnectionCreateRequest,
  ConnectionListItem,
  ConnectionTestRequest,
  ConnectionTestResponse,
  ConnectionUpdateRequest,
  CurrentConnection,
  CurrentConnectionRequest,
  DatabaseInfo,
  MonitoringScriptResponse,
  PasswordSourceItem,
} from './connections.schemas.ts';

const operation = operationsOf({ tag: 'connections' });

const connection = {
  id: 2,
  name: 'orders-primary',
  description: 'Orders, Frankfurt',
  host: 'db1.example.com',
  port: 5432,
  database_name: 'postgres',
  username: 'matriarch_monitor',
  ssl_mode: 'verify-full',
  is_monitored: true,
  is_shared: true,
  membership_source: 'auto',
};
const current = {
  connection_id: 2,
  database_name: 'orders',
  host: 'db1.example.com',
  port: 5432,
  name: 'orders-primary',
};

export const listConnections = operation({
  id: 'listConnections',
  route: 'GET /api/v1/connections',
  summary: 'List connections',
  access: { visible: 'connections' },
  success: ok(s.list(ConnectionListItem), [
    {
      id: 2,
      name: 'orders-primary',
      description: 'Orders, Frankfurt',
      host: 'db1.example.com',
      port: 5432,
      database_name: 'postgres',
      is_monitored: true,
      is_shared: true,
      owner_username: 'admin',
      cluster_id: null,
      membership_source: 'auto',
    },
  ]),
  notes: [
    'Ordered by name then id; only connections the caller can read. Never passwords, hostaddr or TLS paths.',
  ],
});

export const createConnection = operation({
  id: 'createConnection',
  route: 'POST /api/v1/connections',
  summary: 'Create a connection',
  access: { permission: 'manage_connections' },
  body: ConnectionCreateRequest,
  bodyExample: {
    name: 'orders-primary',
    host: 'db1.example.com',
    port: 5432,
    database_name: 'postgres',
    username: 'matriarch_monitor',
    password: 'long and random',
    ssl_mode: 'verify-full',
    is_monitored: true,
  },
  faults: [409],
  success: created(Connection, connection),
  notes: [
    'The caller becomes owner. ssl_mode defaults to prefer, is_monitored and is_shared to false.',
    'A password_source instead of a password names one of listPasswordSources; 400 when it is not for that destination.',
    'The password is stored encrypted and never returned. 409 when the owner already has a connection of that name.',
    '400 when the host is in a refused address range.',
  ],
});

export const getConnection = operation({
  id: 'getConnection',
  route: 'GET /api/v1/connections/{id}',
  summary: 'Get a connection',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  success: ok(Connection, connection),
  notes: [
    'Never the password nor hostaddr. ssl_* members are absent when not set.',
    'has_password, and the query of node_exporter_url, which may hold a token, only for those who may manage it.',
  ],
});

export const updateConnection = operation({
  id: 'updateConnection',
  route: 'PUT /api/v1/connections/{id}',
  summary: 'Update a connection',
  access: { connection: 'id', need: 'manage' },
  ...byId(1),
  body: ConnectionUpdateRequest,
  bodyExample: { description: 'Orders, Frankfurt', is_monitored: true },
  faults: [409],
  success: ok(Connection, connection),
  notes: [
    'Partial: absent members stay, null or an empty text clears those that may be absent. A missing, null or empty password keeps the stored one.',
    'A stored password belongs to the host, hostaddr, port, username and TLS it was entered for: 400 when any of them changes (or TLS gets weaker) without a new password, for all callers.',
    "400 for any change of where Matriarch's own datastore is.",
    'Changing is_shared needs permission manage_connections (403); sending the current value is allowed.',
    "A change of host, port, database, user, password or TLS closes the collector's session and reconnects.",
  ],
});

export const deleteConnection = operation({
  id: 'deleteConnection',
  route: 'DELETE /api/v1/connections/{id}',
  summary: 'Delete a connection',
  access: { connection: 'id', need: 'manage' },
  ...byId(1),
  success: DONE,
  notes: ['Stops collection at once; stored metrics are removed in the background.'],
});

export const listConnectionDatabases = operation({
  id: 'listConnectionDatabases',
  route: 'GET /api/v1/connections/{id}/databases',
  summary: 'List databases of a connection',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  faults: [502, 504],
  success: ok(s.list(DatabaseInfo), [{ name: 'orders', owner: 'app', encoding: 'UTF8', size: '41 GB' }]),
  notes: [
    'Live query on the monitored server (5 s to connect, 10 s to run); template databases are left out.',
    'At most 2 live calls and tests at once for a user and 4 for a server; the rest waits 5 s, then 429.',
  ],
});

export const getCurrentConnection = operation({
  id: 'getCurrentConnection',
  route: 'GET /api/v1/connections/current',
  summary: 'Get the current connection',
  access: 'signed-in',
  faults: [404],
  success: ok(CurrentConnection, current),
  notes: ['Kept per session or API token. 404 when none is set, or when access to it was lost.'],
});

export const setCurrentConnection = operation({
  id: 'setCurrentConnection',
  route: 'POST /api/v1/connections/current',
  summary: 'Set the current connection',
  access: { connection: 'body.connection_id', need: 'read' },
  body: CurrentConnectionRequest,
  bodyExample: { connection_id: 2, database_name: 'orders' },
  success: ok(CurrentConnection, current),
  notes: ["database_name is optional; absent means the connection's own database."],
});

export const clearCurrentConnection = operation({
  id: 'clearCurrentConnection',
  route: 'DELETE /api/v1/connections/current',
  summary: 'Clear the current connection',
  access: 'signed-in',
  success: DONE,
  notes: ['Idempotent.'],
});

export const testConnection = operation({
  id: 'testConnection',
  route: 'POST /api/v1/connections/test',
  summary: 'Try a connection without saving it',
  access: { permission: 'manage_connections' },
  body: ConnectionTestRequest,
  bodyExample: {
    host: 'db1.example.com',
    port: 5432,
    database_name: 'postgres',
    username: 'matriarch_monitor',
    password: 'long and random',
    ssl_mode: 'verify-full',
  },
  faults: [404],
  extra: true,
  success: ok(ConnectionTestResponse, {
    success: false,
    steps: [
      { step: 'resolve', status: 'ok', message: 'db1.example.com is 203.0.113.10.', took_ms: 3 },
      {
        step: 'connect',
        status: 'failed',
        message: 'Nothing listens on 203.0.113.10 port 5432.',
        took_ms: 1,
      },
    ],
    server_version: null,
    cluster_name: null,
    monitoring_script: 'create role matriarch_monitor login …',
  }),
  notes: [
    'One result per step, each ok or in plain words what failed and what to do.',
    'With an id the stored password is used only for the destination it was entered for; for any other give it again (400).',
  ],
});

export const getMonitoringScript = operation({
  id: 'getMonitoringScript',
  route: 'GET /api/v1/connections/monitoring-script',
  summary: 'SQL for a role that may only read statistics',
  access: { permission: 'manage_connections' },
  usesDatastore: false,
  query: s.object({
    username: s.optional(s.text({ minLength: 1, maxLength: 255, default: 'matriarch_monitor' })),
    database_name: s.optional(s.text({ minLength: 1, maxLength: 255, default: 'postgres' })),
  }),
  paramsExample: { username: 'matriarch_monitor', database_name: 'postgres' },
  extra: true,
  success: ok(MonitoringScriptResponse, { monitoring_script: 'grant pg_monitor to matriarch_monitor;' }),
  notes: [
    'For any supported version, before the server was ever reached; a test answers with one made for the server.',
  ],
});

export const listPasswordSources = operation({
  id: 'listPasswordSources',
  route: 'GET /api/v1/connections/password-sources',
  summary: 'List the sources that passwords of connections may come from',
  access: { permission: 'manage_connections' },
  usesDatastore: false,
  extra: true,
  success: ok(s.list(PasswordSourceItem), [{ name: 'vault', kind: 'command', hosts: ['*.example.com'] }]),
  notes: [
    'Declared in the settings of the server alone (password_sources). Never a password, a path, a command or a variable.',
  ],
});
