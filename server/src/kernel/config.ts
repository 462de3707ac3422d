// Settings from flags, environment and one optional YAML file, in that order of precedence, parsed once. The only
// file that reads process.env. An unknown key or a bad value stops the start with the key, what was found and
// what is allowed: a typing mistake must never silently mean "default".

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { demandAddresses } from './address-settings.ts';
import { commandLine } from './command-line.ts';
import type { Config, LlmProviderSettings, Resolved, SettingTree } from './config-types.ts';
import { demandDatastoreUrl } from './datastore-url.ts';
import { UsageError } from './errors.ts';
import { fileProblem } from './file-problem.ts';
import { lifetimeMs } from './lifetime.ts';
import { readOidc } from './oidc-settings.ts';
import { readPasswordSources } from './password-source-settings.ts';
import { readProxySignIn } from './proxy-sign-in-settings.ts';
import { Secret } from './secret.ts';
import type { ServiceVariables } from './service-manager.ts';
import { readValue, type SettingValue } from './setting-values.ts';
import { flagOf, hasFlag, KERNEL_SETTINGS, type Setting, variableOf } from './settings.ts';
import { didYouMean } from './suggest.ts';
import { readSyslogSettings } from './syslog-settings.ts';

export type { Config } from './config-types.ts';

export interface ConfigInput {
  /** Every setting the program knows (cli/settings.ts). */
  settings: readonly Setting[];
  argv: readonly string[];
  env?: NodeJS.ProcessEnv;
}

const CONFIG_FLAG = '--config';
const CONFIG_VARIABLE = 'MATRIARCH_CONFIG';
const BOOLEAN = /^(?:true|false|0|1)$/;

interface Reading {
  settings: readonly Setting[];
  into: Map<string, unknown>;
}

function flatten(tree: unknown, prefix: string, reading: Reading): void {
  const { settings, into } = reading;
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    throw new UsageError(
      `${prefix || 'The configuration file'}: found ${JSON.stringify(tree)}, expected keys with values.`,
    );
  for (const [name, value] of Object.entries(tree)) {
    const key = prefix ? `${prefix}.${name}` : name;
    const isGroup = settings.some((setting) => setting.key.startsWith(`${key}.`));
    if (isGroup && value !== null) flatten(value, key, reading);
    else if (value !== null) into.set(key, value);
  }
}

function readFile(path: string, settings: readonly Setting[]): Map<string, unknown> {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`The configuration file ${path} ${fileProblem(cause)}.`);
  }
  let tree: unknown;
  try {
    tree = parseYaml(content);
  } catch (cause) {
    throw new UsageError(
      `The configuration file ${path} is not valid YAML: ${describe(cause).split('\n')[0]}`,
    );
  }
  const values = new Map<string, unknown>();
  if (tree !== null && tree !== undefined) flatten(tree, '', { settings, into: values });
  return values;
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Takes every flag that belongs to a setting out of the arguments; the rest is for the command line's parser. */
export function splitFlags(
  argv: readonly string[],
  settings: readonly Setting[],
): { flags: Map<string, string>; rest: string[] } {
  const known = new Set([CONFIG_FLAG, ...settings.filter(hasFlag).map(({ key }) => flagOf(key))]);
  /** `--log-requests` alone means yes. */
  const switches = new Set(settings.filter(({ type }) => type === 'boolean').map(({ key }) => flagOf(key)));
  const flags = new Map<string, string>();
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    const [name = '', ...inline] = argument.split('=');
    if (!known.has(name)) {
      rest.push(argument);
      continue;
    }
    const next = argv[index + 1];
    const isSwitch = switches.has(name) && !BOOLEAN.test(next ?? '');
    const value = inline.length > 0 ? inline.join('=') : isSwitch ? 'true' : next;
    if (inline.length === 0 && !isSwitch) index += 1;
    if (value === undefined) throw new UsageError(`${name} needs a value.`);
    flags.set(name, value);
  }
  return { flags, rest };
}

function checkUnknown(file: ReadonlyMap<string, unknown>, { env, settings }: Required<ConfigInput>): void {
  const keys = settings.map(({ key }) => key);
  for (const key of file.keys())
    if (!keys.includes(key))
      throw new UsageError(
        `${key}: no such setting in the configuration file.${didYouMean(key, keys)} \`${commandLine('config reference')}\` lists them all.`,
      );
  const variables = [CONFIG_VARIABLE, ...keys.map(variableOf)];
  for (const name of Object.keys(env))
    if (name.startsWith('MATRIARCH_') && !variables.includes(name))
      throw new UsageError(
        `${name}: no such environment variable.${didYouMean(name, variables)} \`${commandLine('config reference')}\` lists them all.`,
      );
}

function resolveAll(input: Required<ConfigInput>): Resolved[] {
  const { flags } = splitFlags(input.argv, input.settings);
  const path = flags.get(CONFIG_FLAG) ?? input.env[CONFIG_VARIABLE];
  const file = path ? readFile(path, input.settings) : new Map<string, unknown>();
  checkUnknown(file, input);
  return input.settings.map((setting): Resolved => {
    const flag = flagOf(setting.key);
    const variable = variableOf(setting.key);
    const fromFlag = flags.get(flag);
    if (fromFlag !== undefined) return { setting, value: readValue(setting, flag, fromFlag), source: 'flag' };
    const fromEnv = input.env[variable];
    if (fromEnv) return { setting, value: readValue(setting, variable, fromEnv), source: 'environment' };
    const fromFile = file.get(setting.key);
    if (fromFile !== undefined)
      return { setting, value: readValue(setting, setting.key, fromFile), source: 'file' };
    if (setting.default === undefined) return { setting, value: undefined, source: 'not set' };
    return { setting, value: readValue(setting, setting.key, setting.default), source: 'default' };
  });
}

function readSecretFile(key: string, path: string): Secret {
  try {
    return new Secret(readFileSync(path, 'utf8').trim());
  } catch (cause) {
    throw new UsageError(`${key}_file: ${path} ${fileProblem(cause)}.`);
  }
}

class Values {
  readonly #byKey: Map<string, SettingValue>;
  constructor(resolved: readonly Resolved[]) {
    this.#byKey = new Map(resolved.map(({ setting, value }) => [setting.key, value]));
  }
  text(key: string): string | undefined {
    const value = this.#byKey.get(key);
    return typeof value === 'string' ? value : undefined;
  }
  secret(key: string): Secret | undefined {
    const value = this.#byKey.get(key);
    const path = this.text(`${key}_file`);
    if (value instanceof Secret && path)
      throw new UsageError(`${key} and ${key}_file are both set; keep one of them.`);
    if (path) return readSecretFile(key, path);
    return value instanceof Secret ? value : undefined;
  }
  /** As the code reads it: a list that is not set is empty, and a secret may stand in its file. */
  of({ key, type }: Setting): SettingValue {
    if (type === 'secret') return this.secret(key);
    const value = this.#byKey.get(key);
    return type === 'list' ? (value ?? []) : value;
  }
}

/** The declared settings by level; SettingTree says for each key what `readValue` made of it. */
function treeOf(values: Values): SettingTree {
  const tree: Record<string, SettingValue | Record<string, SettingValue>> = {};
  const groups: Record<string, Record<string, SettingValue>> = {};
  for (const setting of KERNEL_SETTINGS) {
    const [group, name] = setting.key.split('.');
    if (group === undefined) continue;
    if (name === undefined) tree[group] = values.of(setting);
    else groups[group] = { ...groups[group], [name]: values.of(setting) };
  }
  return { ...tree, ...groups } as unknown as SettingTree;
}

/** The providers are of a catalog, so their keys are not known here. */
function readProviders(values: Values, settings: readonly Setting[]): Record<string, LlmProviderSettings> {
  const names = settings.flatMap(({ key }) => /^llm\.([a-z]+)\.model$/.exec(key)?.[1] ?? []);
  const providers: Record<string, LlmProviderSettings> = {};
  for (const name of names) {
    const apiKey = values.secret(`llm.${name}.api_key`);
    const baseUrl = values.text(`llm.${name}.base_url`);
    const model = values.text(`llm.${name}.model`);
    providers[name] = {
      ...(apiKey && { api_key: apiKey }),
      ...(baseUrl && { base_url: baseUrl }),
      ...(model && { model }),
    };
  }
  return providers;
}

function demandAdmin({ admin_username: username, admin_password: password }: SettingTree): void {
  if ((username === undefined) !== (password === undefined))
    throw new UsageError('admin_username and admin_password go together; one of them is missing.');
}

const LEAST_IDLE_MINUTES = 5;

/** A use is written down once a minute, so less would end sessions that are in use. */
function idleMs({ auth }: SettingTree): number | undefined {
  const minutes = auth.session_idle_minutes;
  if (minutes === 0) return undefined;
  if (minutes < LEAST_IDLE_MINUTES)
    throw new UsageError(
      `auth.session_idle_minutes must be ${LEAST_IDLE_MINUTES} or more, or 0 for no limit.`,
    );
  return minutes * 60_000;
}

function demandPagePolicy({ web, web_root }: SettingTree): void {
  const key = 'web.content_security_policy';
  const policy = web.content_security_policy;
  if (policy === undefined) return;
  if (web_root === undefined)
    throw new UsageError(`${key} is for the pages in web_root; set both, or neither.`);
  if (!/^[\x20-\x7e]{1,4000}$/.test(policy))
    throw new UsageError(`${key} must be one line of plain text, up to 4,000 characters.`);
}

/** The variables of libpq, for a server that is named on the command line. */
export const libpqVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PG')));

/** What systemd has put there for a service. */
export const serviceVariables = (): ServiceVariables => ({
  socket: process.env.NOTIFY_SOCKET,
  watchdog: process.env.WATCHDOG_USEC,
});

/** Reads and checks all settings; relative paths count from the working directory. */
export function loadConfig({ settings, argv, env = process.env }: ConfigInput): Config {
  const resolved = resolveAll({ settings, argv, env });
  const values = new Values(resolved);
  const tree = treeOf(values);
  if (tree.datastore_url) demandDatastoreUrl('datastore_url', tree.datastore_url);
  demandAdmin(tree);
  demandAddresses(tree);
  demandPagePolicy(tree);
  const dataDir = resolve(tree.data_dir);
  const defaultProvider = values.text('llm.default_provider');
  const proxy = readProxySignIn(values);
  return {
    ...tree,
    data_dir: dataDir,
    secret_key_file: resolve(tree.secret_key_file || resolve(dataDir, 'secret.key')),
    web_root: tree.web_root === undefined ? undefined : resolve(tree.web_root),
    auth: {
      ...tree.auth,
      max_token_ms: lifetimeMs(tree.auth.max_token_lifetime ?? ''),
      session_idle_ms: idleMs(tree),
      providers: readOidc(values, {
        public_url: tree.api.public_url,
        local_sign_in: tree.auth.local_sign_in,
        proxy_label: proxy?.label,
      }),
      proxy,
    },
    llm: {
      ...tree.llm,
      ...(defaultProvider && { default_provider: defaultProvider }),
      providers: readProviders(values, settings),
    },
    password_sources: readPasswordSources(tree.password_sources, env),
    syslog: readSyslogSettings(tree.syslog),
    resolved,
  };
}
