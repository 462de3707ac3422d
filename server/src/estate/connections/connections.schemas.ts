// Shapes of a connection: a monitored server as its owner describes it. Passwords go in and never come out.
import * as s from '../../kernel/schema.ts';

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

const name = () => s.text({ minLength: 1, maxLength: 255 });
const path = () => s.text({ maxLength: 4096 });
const port = () => s.integer({ minimum: 1, maximum: 65535 });

export const ConnectionListItem = s.component('ConnectionListItem', {
  id: s.id(),
  name: s.text(),
  description: s.text(),
  host: s.text(),
  port: s.integer(),
  database_name: s.text(),
  is_monitored: s.boolean(),
  is_shared: s.boolean(),
  owner_username: s.text(),
  cluster_id: s.nullable(s.integer()),
  membership_source: s.oneOf(['auto', 'manual']),
});

export const Connection = s.component('Connection', {
  id: s.id(),
  name: s.text(),
  description: s.text(),
  host: s.text(),
  port: s.integer(),
  database_name: s.text(),
  username: s.text(),
  has_password: s.optional(
    s.ours(
      s.boolean({
        description: 'Whether a password is stored; only for those who may manage the connection.',
      }),
    ),
  ),
  password_source: s.optional(
    s.ours(
      s.text({
        description:
          'Name of the source in the settings that the password comes from; only for those who may manage the connection.',
      }),
    ),
  ),
  password_source_reading: s.optional(
    s.ours(
      s.component('PasswordSourceReading', {
        read_at: s.nullable(s.timestamp({ description: 'When it last gave a password; null: not yet.' })),
        failed_at: s.nullable(s.timestamp()),
        problem: s.nullable(s.text({ description: 'Why it gave none the last time; null when it did.' })),
      }),
    ),
  ),
  ssl_mode: s.optional(s.oneOf(SSL_MODES)),
  ssl_cert_path: s.optional(s.text()),
  ssl_key_path: s.optional(s.text()),
  ssl_root_cert_path: s.optional(s.text()),
  node_exporter_url: s.optional(
    s.ours(
      s.text({
        description:
          'Where host metrics are read when the server runs elsewhere; the query only for those who may manage the connection.',
      }),
    ),
  ),
  tags: s.optional(s.ours(s.list(s.text(), { description: 'In alphabetical order.' }))),
  is_monitored: s.boolean(),
  is_shared: s.boolean(),
  membership_source: s.optional(s.oneOf(['auto', 'manual'])),
});

/** Also bounds what the estate answers of each server. */
const tags = () =>
  s.optional(
    s.ours(
      s.list(s.displayName({ maxLength: 63 }), {
        maxItems: 20,
        description: 'Words or key=value pairs that the server is found by. Replaces all of them; [] clears.',
      }),
    ),
  );

const tls = {
  ssl_mode: s.optional(s.oneOf(SSL_MODES)),
  ssl_cert_path: s.optional(path()),
  ssl_key_path: s.optional(path()),
  ssl_root_cert_path: s.optional(path()),
};
const extras = {
  description: s.optional(s.text({ maxLength: 4000 })),
  hostaddr: s.optional(
    s.text({ maxLength: 255, description: 'Address to connect to instead of resolving host.' }),
  ),
  node_exporter_url: s.optional(s.ours(s.text({ maxLength: 2048 }))),
  tags: tags(),
  is_shared: s.optional(s.boolean({ default: false })),
  is_monitored: s.optional(s.boolean({ default: false })),
};

export const ConnectionCreateRequest = s.component('ConnectionCreateRequest', {
  name: s.displayName(),
  host: name(),
  port: port(),
  database_name: name(),
  username: name(),
  password: s.text({
    maxLength: 4096,
    description: 'May be empty where the server asks for none, and is empty with a password_source.',
  }),
  password_source: s.optional(
    s.ours(
      s.nullable(s.text({ maxLength: 63, description: 'One of those that listPasswordSources lists.' })),
    ),
  ),
  ...tls,
  ...extras,
});

/** Members that may be taken away again: null or an empty text clears, absent keeps. */
const clearable = (maxLength: number) => s.optional(s.nullable(s.text({ minLength: 0, maxLength })));
const clearables = {
  hostaddr: clearable(255),
  ssl_cert_path: clearable(4096),
  ssl_key_path: clearable(4096),
  ssl_root_cert_path: clearable(4096),
};

export const ConnectionUpdateRequest = s.component('ConnectionUpdateRequest', {
  name: s.optional(s.displayName()),
  host: s.optional(name()),
  port: s.optional(port()),
  database_name: s.optional(name()),
  username: s.optional(name()),
  password: s.optional(s.nullable(s.text({ maxLength: 4096 }))),
  password_source: s.optional(
    s.ours(s.nullable(s.text({ minLength: 0, maxLength: 63, description: 'Replaces a stored password.' }))),
  ),
  ssl_mode: tls.ssl_mode,
  ...clearables,
  description: clearable(4000),
  node_exporter_url: s.optional(s.ours(s.nullable(s.text({ minLength: 0, maxLength: 2048 })))),
  tags: tags(),
  is_shared: s.optional(s.boolean()),
  is_monitored: s.optional(s.boolean()),
});

export const DatabaseInfo = s.component('DatabaseInfo', {
  name: s.text(),
  owner: s.text(),
  encoding: s.text(),
  size: s.text({ description: 'Human-readable, e.g. 7910 kB.' }),
});

export const CurrentConnectionRequest = s.component('CurrentConnectionRequest', {
  connection_id: s.id(),
  database_name: s.optional(s.text({ maxLength: 255 })),
});
export const CurrentConnection = s.component('CurrentConnection', {
  connection_id: s.id(),
  database_name: s.optional(s.text()),
  host: s.text(),
  port: s.integer(),
  name: s.text(),
});

/** Fields of a new connection, or the id of a stored one with whatever differs; the stored password fills a gap. */
export const ConnectionTestRequest = s.component('ConnectionTestRequest', {
  id: s.optional(s.id()),
  host: s.optional(name()),
  port: s.optional(port()),
  database_name: s.optional(name()),
  username: s.optional(name()),
  password: s.optional(s.nullable(s.text({ maxLength: 4096 }))),
  password_source: s.optional(s.ours(s.nullable(s.text({ minLength: 0, maxLength: 63 })))),
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

export const ConnectionTestResponse = s.component('ConnectionTestResponse', {
  success: s.boolean({ description: 'True when monitoring can start, perhaps with warnings.' }),
  steps: s.list(
    s.object({
      step: s.oneOf(TEST_STEPS),
      status: s.oneOf(['ok', 'warning', 'failed', 'skipped']),
      message: s.text({ description: 'What was found, or what failed and what to do, in plain words.' }),
      took_ms: s.integer(),
    }),
  ),
  server_version: s.nullable(s.text()),
  cluster_name: s.nullable(s.text({ description: 'As the server calls itself; a name to suggest.' })),
  monitoring_script: s.text({
    description: 'SQL that makes a least-privilege monitoring role on that version.',
  }),
  role: s.optional(
    s.object({
      name: s.text(),
      is_superuser: s.boolean({ description: 'It is one, or may become one: tools run no SQL with it.' }),
      creates_roles: s.boolean(),
      creates_databases: s.boolean(),
      replicates: s.boolean(),
      bypasses_row_security: s.boolean(),
      memberships: s.list(s.text(), { description: 'Predefined roles that may do more than read.' }),
      owned_relations: s.integer({ description: 'In that database; 1000 means that many or more.' }),
    }),
  ),
  tools_script: s.optional(s.text({ description: 'SQL that makes a role that tools may run SQL with.' })),
  logs: s.optional(
    s.component('ConnectionTestLogs', {
      is_readable: s.boolean({
        description: 'Whether the collector can read the log files of the server.',
      }),
      message: s.text(),
      mend: s.nullable(s.text({ description: 'SQL that fixes it; a superuser runs it in that database.' })),
    }),
  ),
});

export const MonitoringScriptResponse = s.component('MonitoringScriptResponse', {
  monitoring_script: s.text({ description: 'SQL that makes a least-privilege monitoring role.' }),
});

export const PasswordSourceItem = s.component('PasswordSource', {
  name: s.text({ description: 'What password_source of a connection names.' }),
  kind: s.oneOf(['file', 'environment', 'command', 'aws_rds_iam']),
  hosts: s.list(s.text(), { description: 'Hosts and networks it has passwords for; empty for any.' }),
});
