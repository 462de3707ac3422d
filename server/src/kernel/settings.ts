// What a setting is, and every setting that does not come from a catalog: its key in the YAML file, from which the flag (--data-dir), the environment
// variable (MATRIARCH_DATA_DIR) and the reference follow. A secret is never taken from a flag's value that other
// users could see in the process list, except the datastore's URL, where convenience on a laptop won.

import { channelSettings } from './channel-settings.ts';
import { collecting } from './collector-settings.ts';
import { heartbeatSettings } from './heartbeat-settings.ts';
import { llmSettings } from './llm-settings.ts';
import { logSettings } from './log-settings.ts';
import { metricsSettings } from './metrics-settings.ts';
import { signInSettings } from './oidc-settings.ts';
import { passwordSourceSettings } from './password-source-settings.ts';
import { store } from './store-settings.ts';
import { syslogSettings } from './syslog-settings.ts';

const SCALARS = ['text', 'path', 'url', 'integer', 'number', 'boolean', 'lifetime', 'secret'] as const;
export type SettingType = (typeof SCALARS)[number] | 'list' | 'declarations';

export interface Setting {
  /** Dotted key of the YAML file, e.g. `llm.openai.model`. */
  key: string;
  type: SettingType;
  description: string;
  /** As it would stand in the file; absent for "not set". */
  default?: string | number | boolean;
  minimum?: number;
  maximum?: number;
  /** The only values allowed (for a list: for each entry). */
  allowed?: readonly string[];
  /** What each entry of a list has to look like, and that in words. */
  form?: { pattern: RegExp; words: string };
  /** A secret that may be a flag all the same. */
  flag?: true;
}

const ROLES = ['api', 'collector', 'alerter'] as const;

const server = [
  {
    key: 'host',
    type: 'text',
    default: '127.0.0.1',
    description: 'Address the API and the web interface listen on.',
  },
  {
    key: 'port',
    type: 'integer',
    default: 8080,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; 0 picks a free one and prints it.',
  },
  {
    key: 'data_dir',
    type: 'path',
    default: './data',
    description: 'Where the embedded datastore, the secret key and the lock file live.',
  },
  {
    key: 'datastore_url',
    type: 'secret',
    flag: true,
    description:
      'postgres:// URL of a PostgreSQL 14 or newer to store metrics in, or `host=… dbname=…`; nothing is embedded then.',
  },
  {
    key: 'roles',
    type: 'list',
    default: 'api,collector,alerter',
    allowed: ROLES,
    description: 'Which parts this process runs.',
  },
  {
    key: 'admin_username',
    type: 'text',
    description: 'Superuser that is created or kept at start, together with admin_password.',
  },
  { key: 'admin_password', type: 'secret', description: 'Password of admin_username, 12 to 128 characters.' },
  {
    key: 'secret_key_file',
    type: 'path',
    description:
      'File with the 32-byte key that wraps stored secrets (mode 0600). Default: secret.key in data_dir, made at first start.',
  },
  {
    key: 'log_level',
    type: 'text',
    default: 'info',
    allowed: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    description:
      'Least important log lines to write, on standard error. At a terminal the default is `warn`.',
  },
  {
    key: 'log_format',
    type: 'text',
    default: 'auto',
    allowed: ['auto', 'text', 'json'],
    description:
      'How log lines are written: `auto` writes text at a terminal and JSON elsewhere, such as into a file or a journal.',
  },
  {
    key: 'log_requests',
    type: 'boolean',
    default: false,
    description:
      'Whether each request is a log line (`http.request`, level info); those that fail with 500 or more always are.',
  },
  {
    key: 'web_root',
    type: 'path',
    description: "Folder of a web client to serve instead of Matriarch's own.",
  },
  {
    key: 'web.content_security_policy',
    type: 'text',
    description:
      "Content-Security-Policy of the pages in web_root, for clients that need inline script or other hosts; Matriarch's own pages keep theirs.",
  },
] as const satisfies readonly Setting[];

const api = [
  {
    key: 'api.public_url',
    type: 'url',
    description:
      'Address under which browsers reach the server, for links, sign-in and passkeys, which stay with its host name; it may have a path, as https://example.com/matriarch.',
  },
  {
    key: 'api.trusted_proxies',
    type: 'list',
    description: 'Addresses or networks of proxies whose X-Forwarded-For, -Proto and -Host count.',
  },
  {
    key: 'api.allowed_origins',
    type: 'list',
    description: 'Origins of other web clients that may call the API with credentials (CORS).',
  },
  {
    key: 'api.requests_per_minute',
    type: 'integer',
    minimum: 1,
    maximum: 1000000,
    description: 'Requests a minute allowed to each caller; no limit when not set.',
  },
  {
    key: 'api.request_timeout_seconds',
    type: 'integer',
    default: 60,
    minimum: 1,
    maximum: 3600,
    description: 'Requests that take longer are cut with 503.',
  },
  {
    key: 'api.body_limit_bytes',
    type: 'integer',
    default: 1048576,
    minimum: 1024,
    maximum: 104857600,
    description: 'Largest request body.',
  },
  {
    key: 'api.streams',
    type: 'integer',
    default: 500,
    minimum: 1,
    maximum: 10000,
    description: 'Streams of events that a process keeps open at once; one more is refused with 429.',
  },
  {
    key: 'api.streams_per_user',
    type: 'integer',
    default: 20,
    minimum: 1,
    maximum: 10000,
    description: 'Streams of events that one user may have open at once.',
  },
  {
    key: 'rbac.shared_access',
    type: 'text',
    default: 'read_write',
    allowed: ['read', 'read_write'],
    description: 'What all users may do with a shared connection.',
  },
  {
    key: 'connections.allow_private_networks',
    type: 'boolean',
    default: true,
    description: 'Whether monitored servers may stand on loopback and private addresses.',
  },
  {
    key: 'connections.queries_per_minute',
    type: 'integer',
    default: 60,
    minimum: 1,
    maximum: 100000,
    description: 'Most runs of SQL on connections that a user may ask for in a minute.',
  },
  {
    key: 'connections.sql_as_superuser',
    type: 'list',
    description:
      'Ids of connections on which tools may run SQL although they sign in as a superuser, for whom a read-only transaction is no limit. None when not set.',
  },
  {
    key: 'connections.tls_file_folders',
    type: 'list',
    description:
      'Folders in which the certificates and keys that connections name may lie. Without it `certs` in data_dir and `~/.postgresql`, and files that were stored before stay; with it the folders hold for stored ones, too.',
  },
] as const satisfies readonly Setting[];

const limits = [
  {
    key: 'auth.attempts_per_minute',
    type: 'integer',
    default: 20,
    minimum: 1,
    maximum: 100000,
    description: 'Attempts to sign in a minute from one address (IPv6: one /64 network).',
  },
  {
    key: 'auth.failures_per_quarter_hour',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 100000,
    description: 'Failed attempts to sign in within 15 minutes from one address.',
  },
  {
    key: 'auth.account_failures',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 100000,
    description:
      'Failures in a row from one network (IPv4: /24, IPv6: /64) after which an account pauses there, 1 minute at first and 15 at most.',
  },
  {
    key: 'audit.retention_days',
    type: 'integer',
    default: 400,
    minimum: 0,
    maximum: 36500,
    description: 'How long the audit log is kept; 0 keeps it for ever.',
  },
  {
    key: 'auth.max_token_lifetime',
    type: 'lifetime',
    description:
      'How long API tokens may last, such as 12h, 90d, 8w, 6m (of 30 days) or 1y; tokens made without an expiry get this one. No limit when not set.',
  },
  {
    key: 'llm.public_reads_per_minute',
    type: 'integer',
    default: 60,
    minimum: 1,
    maximum: 100000,
    description: 'Reads of providers, models and health a minute for each address, which need no token.',
  },
] as const satisfies readonly Setting[];

/** The settings that do not come from a catalog, in the order of the reference. */
export const KERNEL_SETTINGS = [
  ...server,
  ...api,
  ...limits,
  ...passwordSourceSettings,
  ...logSettings,
  ...syslogSettings,
  ...signInSettings,
  ...collecting,
  ...store,
  ...channelSettings,
  ...metricsSettings,
  ...heartbeatSettings,
  ...llmSettings,
] as const satisfies readonly Setting[];

/** Gives each secret its companion `<key>_file`. */
export function completeSettings(settings: readonly Setting[]): readonly Setting[] {
  return settings.flatMap((setting) =>
    setting.type === 'secret'
      ? [
          setting,
          {
            key: `${setting.key}_file`,
            type: 'path' as const,
            description: `File whose content is ${setting.key}.`,
          },
        ]
      : [setting],
  );
}

export const flagOf = (key: string) => `--${key.replaceAll(/[._]/g, '-')}`;
export const variableOf = (key: string) => `MATRIARCH_${key.replaceAll('.', '_').toUpperCase()}`;
export const hasFlag = (setting: Setting) => setting.type !== 'secret' || setting.flag === true;
