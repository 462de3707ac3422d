// Shapes of a connection: a monitored server as its owner describes it. Passwords go in and never come out.
import {
  boolean,
  component,
  displayName,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  ours,
  text,
  timestamp,
} from '../../kernel/schema.ts';

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

const name = () => text({ minLength: 1, maxLength: 255 });
const path = () => text({ maxLength: 4096 });
const port = () => integer({ minimum: 1, maximum: 65535 });

export const ConnectionListItem = component('ConnectionListItem', {
  id: id(),
  name: text(),
  description: text(),
  host: text(),
  port: integer(),
  database_name: text(),
  is_monitored: boolean(),
  is_shared: boolean(),
  owner_username: text(),
  cluster_id: nullable(integer()),
  membership_source: oneOf(['auto', 'manual']),
});

export const Connection = component('Connection', {
  id: id(),
  name: text(),
  description: text(),
  host: text(),
  port: integer(),
  database_name: text(),
  username: text(),
  has_password: optional(
    ours(
      boolean({
        description: 'Whether a password is stored; only for those who may manage the connection.',
      }),
    ),
  ),
  password_source: optional(
    ours(
      text({
        description:
          'Name of the source in the settings that the password comes from; only for those who may manage the connection.',
      }),
    ),
  ),
  password_source_reading: optional(
    ours(
      component('PasswordSourceReading', {
        read_at: nullable(timestamp({ description: 'When it last gave a password; null: not yet.' })),
        failed_at: nullable(timestamp()),
        problem: nullable(text({ description: 'Why it gave none the last time; null when it did.' })),
      }),
    ),
  ),
  ssl_mode: optional(oneOf(SSL_MODES)),
  ssl_cert_path: optional(text()),
  ssl_key_path: optional(text()),
  ssl_root_cert_path: optional(text()),
  node_exporter_url: optional(
    ours(
      text({
        description:
          'Where host metrics are read when the server runs elsewhere; the query only for those who may manage the connection.',
      }),
    ),
  ),
  tags: optional(ours(list(text(), { description: 'In alphabetical order.' }))),
  is_monitored: boolean(),
  is_shared: boolean(),
  membership_source: optional(oneOf(['auto', 'manual'])),
});

/** Also bounds what the estate answers of each server. */
const tags = () =>
  optional(
    ours(
      list(displayName({ maxLength: 63 }), {
        maxItems: 20,
        description: 'Words or key=value pairs that the server is found by. Replaces all of them; [] clears.',
      }),
    ),
  );

const tls = {
  ssl_mode: optional(oneOf(SSL_MODES)),
  ssl_cert_path: optional(path()),
  ssl_key_path: optional(path()),
  ssl_root_cert_path: optional(path()),
};
const extras = {
  description: optional(text({ maxLength: 4000 })),
  hostaddr: optional(
    text({ maxLength: 255, description: 'Address to connect to instead of resolving host.' }),
  ),
  node_exporter_url: optional(ours(text({ maxLength: 2048 }))),
  tags: tags(),
  is_shared: optional(boolean({ default: false })),
  is_monitored: optional(boolean({ default: false })),
};

export const ConnectionCreateRequest = component('ConnectionCreateRequest', {
  name: displayName(),
  host: name(),
  port: port(),
  database_name: name(),
  username: name(),
  password: text({
    maxLength: 4096,
    description: 'May be empty where the server asks for none, and is empty with a password_source.',
  }),
  password_source: optional(
    ours(nullable(text({ maxLength: 63, description: 'One of those that listPasswordSources lists.' }))),
  ),
  ...tls,
  ...extras,
});

/** Members that may be taken away again: null or an empty text clears, absent keeps. */
const clearable = (maxLength: number) => optional(nullable(text({ minLength: 0, maxLength })));
const clearables = {
  hostaddr: clearable(255),
  ssl_cert_path: clearable(4096),
  ssl_key_path: clearable(4096),
  ssl_root_cert_path: clearable(4096),
};

export const ConnectionUpdateRequest = component('ConnectionUpdateRequest', {
  name: optional(displayName()),
  host: optional(name()),
  port: optional(port()),
  database_name: optional(name()),
  username: optional(name()),
  password: optional(nullable(text({ maxLength: 4096 }))),
  password_source: optional(
    ours(nullable(text({ minLength: 0, maxLength: 63, description: 'Replaces a stored password.' }))),
  ),
  ssl_mode: tls.ssl_mode,
  ...clearables,
  description: clearable(4000),
  node_exporter_url: optional(ours(nullable(text({ minLength: 0, maxLength: 2048 })))),
  tags: tags(),
  is_shared: optional(boolean()),
  is_monitored: optional(boolean()),
});

export const DatabaseInfo = component('DatabaseInfo', {
  name: text(),
  owner: text(),
  encoding: text(),
  size: text({ description: 'Human-readable, e.g. 7910 kB.' }),
});

export const CurrentConnectionRequest = component('CurrentConnectionRequest', {
  connection_id: id(),
  database_name: optional(text({ maxLength: 255 })),
});
export const CurrentConnection = component('CurrentConnection', {
  connection_id: id(),
  database_name: optional(text()),
  host: text(),
  port: integer(),
  name: text(),
});

/** Fields of a new connection, or the id of a stored one with whatever differs; the stored password fills a gap. */
export const ConnectionTestRequest = component('ConnectionTestRequest', {
  id: optional(id()),
  host: optional(name()),
  port: optional(port()),
  database_name: optional(name()),
  username: optional(name()),
  password: optional(nullable(text({ maxLength: 4096 }))),
  password_source: optional(ours(nullable(text({ minLength: 0, maxLength: 63 })))),
  ssl_mode: tls.ssl_mode,
  ...clearables,
});

export const TEST_STEPS = [
  'resolve',
  'connect',
  'tls',
  'sign_in',
  'version',
  'rights',
  'extensions',
] as const;

export const ConnectionTestResponse = component('ConnectionTestResponse', {
  success: boolean({ description: 'True when monitoring can start, perhaps with warnings.' }),
  steps: list(
    object({
      step: oneOf(TEST_STEPS),
      status: oneOf(['ok', 'warning', 'failed', 'skipped']),
      message: text({ description: 'What was found, or what failed and what to do, in plain words.' }),
      took_ms: integer(),
    }),
  ),
  server_version: nullable(text()),
  cluster_name: nullable(text({ description: 'As the server calls itself; a name to suggest.' })),
  monitoring_script: text({
    description: 'SQL that makes a least-privilege monitoring role on that version.',
  }),
  role: optional(
    object({
      name: text(),
      is_superuser: boolean({ description: 'It is one, or may become one: tools run no SQL with it.' }),
      creates_roles: boolean(),
      creates_databases: boolean(),
      replicates: boolean(),
      bypasses_row_security: boolean(),
      memberships: list(text(), { description: 'Predefined roles that may do more than read.' }),
      owned_relations: integer({ description: 'In that database; 1000 means that many or more.' }),
    }),
  ),
  tools_script: optional(text({ description: 'SQL that makes a role that tools may run SQL with.' })),
  logs: optional(
    component('ConnectionTestLogs', {
      is_readable: boolean({
        description: 'Whether the collector can read the log files of the server.',
      }),
      message: text(),
      mend: nullable(text({ description: 'SQL that fixes it; a superuser runs it in that database.' })),
    }),
  ),
});

export const MonitoringScriptResponse = component('MonitoringScriptResponse', {
  monitoring_script: text({ description: 'SQL that makes a least-privilege monitoring role.' }),
});

export const PasswordSourceItem = component('PasswordSource', {
  name: text({ description: 'What password_source of a connection names.' }),
  kind: oneOf(['file', 'environment', 'command', 'aws_rds_iam']),
  hosts: list(text(), { description: 'Hosts and networks it has passwords for; empty for any.' }),
});
