// The settings of one process, as the program reads them.
import type { Secret } from './secret.ts';
import type { SettingValue } from './setting-values.ts';
import type { Role, Setting } from './settings.ts';
import type { StoreEngine } from './store-settings.ts';

export type Source = 'default' | 'file' | 'environment' | 'flag' | 'not set';
export interface Resolved {
  setting: Setting;
  value: SettingValue;
  source: Source;
}

export interface LlmProviderSettings {
  api_key?: Secret;
  base_url?: string;
  model?: string;
}

export interface Config {
  host: string;
  port: number;
  data_dir: string;
  datastore_url: Secret | undefined;
  roles: readonly Role[];
  admin: { username: string | undefined; password: Secret | undefined };
  secret_key_file: string;
  log_level: string;
  web_root: string | undefined;
  /** Of the pages in web_root. */
  page_policy: string | undefined;
  api: {
    public_url: string | undefined;
    trusted_proxies: readonly string[];
    allowed_origins: readonly string[];
    requests_per_minute: number | undefined;
    request_timeout_seconds: number;
    body_limit_bytes: number;
  };
  shared_access: 'read' | 'read_write';
  allow_private_networks: boolean;
  auth: {
    attempts_per_minute: number;
    failures_per_quarter_hour: number;
    account_failures: number;
    /** Most that an API token may last; undefined without a limit. */
    max_token_ms: number | undefined;
  };
  audit: { retention_days: number };
  store: { engine: StoreEngine; shard_count: number };
  collector: {
    connect_timeout_seconds: number;
    connects_per_second: number;
    concurrency: number;
    budget_percent: number;
    spool_bytes: number;
    spool_min_free_bytes: number;
  };
  llm: {
    default_provider?: string;
    max_iterations: number;
    public_reads_per_minute: number;
    providers: Record<string, LlmProviderSettings>;
  };
  /** Every setting with its value and where it came from, for `matriarch config print`. */
  resolved: readonly Resolved[];
}
