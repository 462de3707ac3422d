// The settings of one process, as the program reads them.
import type { OidcSettings } from './oidc-settings.ts';
import type { PasswordSource } from './password-source-settings.ts';
import type { ProxySignInSettings } from './proxy-sign-in-settings.ts';
import type { Secret } from './secret.ts';
import type { Declarations, SettingValue } from './setting-values.ts';
import type { KERNEL_SETTINGS, Setting } from './settings.ts';
import type { SyslogSettings } from './syslog-settings.ts';

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

type Declared = (typeof KERNEL_SETTINGS)[number];

/** What a value of this setting is in code, when there is one. */
type Given<S extends Setting> = S['type'] extends 'integer' | 'number'
  ? number
  : S['type'] extends 'boolean'
    ? boolean
    : S['type'] extends 'secret'
      ? Secret
      : S['type'] extends 'declarations'
        ? Declarations
        : S['type'] extends 'list'
          ? readonly AllowedOf<S>[]
          : AllowedOf<S>;
type AllowedOf<S extends Setting> = S extends { allowed: readonly (infer A)[] } ? A : string;
/** A list that is not set is empty; anything else without a default may be absent. */
type ValueOf<S extends Setting> =
  | Given<S>
  | (S extends { default: unknown } | { type: 'list' } ? never : undefined);

type GroupOf<Key extends string> = Key extends `${infer Group}.${string}` ? Group : never;

/** The declared settings, with a level for each dot in a key: types and defaults are those of the declarations. */
export type SettingTree = {
  readonly [S in Declared as S['key'] extends `${string}.${string}` ? never : S['key']]: ValueOf<S>;
} & {
  readonly [Group in GroupOf<Declared['key']>]: {
    readonly [S in Declared as S['key'] extends `${Group}.${infer Name}` ? Name : never]: ValueOf<S>;
  };
};

export interface Config extends Omit<SettingTree, 'secret_key_file' | 'password_sources' | 'syslog'> {
  /** How logs come in by syslog. */
  syslog: SyslogSettings;
  /** Where passwords of connections may come from. */
  password_sources: readonly PasswordSource[];
  /** secret.key in data_dir, where it is not set. */
  secret_key_file: string;
  auth: SettingTree['auth'] & {
    /** Most that an API token may last; undefined without a limit. */
    max_token_ms: number | undefined;
    /** After so long without a request a session ends; undefined without a limit. */
    session_idle_ms: number | undefined;
    /** Where people may sign in by OpenID Connect. */
    providers: readonly OidcSettings[];
    /** The header of a reverse proxy, where one signs people in. */
    proxy: ProxySignInSettings | undefined;
  };
  llm: SettingTree['llm'] & {
    default_provider?: string;
    providers: Record<string, LlmProviderSettings>;
  };
  /** Every setting with its value and where it came from, for `matriarch config print`. */
  resolved: readonly Resolved[];
}
