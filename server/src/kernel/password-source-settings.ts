// The setting password_sources: where passwords of connections come from when they are not typed in. Guards: what a source does not say
// clearly stops the start, and only the destinations that its declaration names may get a password of it.
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { UsageError } from './errors.ts';
import { Secret } from './secret.ts';
import { SSL_MODES, type SslMode } from './server-address/ssl-mode.ts';
import type { Declarations } from './setting-values.ts';
import type { Setting } from './settings.ts';
import { didYouMean } from './suggest.ts';

export const PASSWORD_SOURCE_KINDS = ['file', 'environment', 'command', 'aws_rds_iam'] as const;
export type PasswordSourceKind = (typeof PASSWORD_SOURCE_KINDS)[number];

export const passwordSourceSettings = [
  {
    key: 'password_sources',
    type: 'declarations',
    description:
      'Where passwords of connections come from when they are not typed in, by name; docs/password-sources.md describes it. As flag or variable: the same as JSON.',
  },
] as const satisfies readonly Setting[];

interface Common {
  name: string;
  /** Host names, `*.` with a domain, addresses and networks that may get its passwords; empty only for aws_rds_iam. */
  hosts: readonly string[];
  /** The ports of those hosts that may get them; empty for any. */
  ports: readonly number[];
  /** The roles it has passwords of; empty for any. */
  usernames: readonly string[];
  refresh_seconds: number;
  /** The weakest protection of a connection that may use it. */
  min_ssl_mode: SslMode;
}

export type PasswordSource = Common &
  (
    | { kind: 'file'; path: string }
    | { kind: 'environment'; password: Secret | undefined }
    | { kind: 'command'; command: readonly string[]; environment: ReadonlyMap<string, Secret> }
    | { kind: 'aws_rds_iam'; region: string; credentials: AwsCredentialSource }
  );

export interface AwsCredentials {
  access_key_id: string;
  secret_access_key: Secret;
  session_token: Secret | undefined;
}

export type AwsCredentialSource = { given: AwsCredentials } | { file: string; profile: string };

const MOST_SOURCES = 50;
const NAME = /^[a-z][a-z0-9_-]{0,62}$/i;
const HOST = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?$/i;
const PLACEHOLDER = /^\{(?:host|port|user|database)\}$/;

function isHost(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0) return bits === undefined && HOST.test(entry) && !/^[\d.]+$/.test(entry);
  const most = family === 4 ? 32 : 128;
  return rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

/** The members of one declaration; what is read of it is known, and anything else is a typing mistake. */
class Declaration {
  readonly name: string;
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #known = new Set<string>();

  constructor(name: string, tree: unknown) {
    this.name = name;
    if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
      throw new UsageError(`password_sources.${name} must be a group with a kind.`);
    this.#members = new Map(Object.entries(tree));
  }

  fail(member: string, sentence: string): never {
    throw new UsageError(`password_sources.${this.name}.${member} ${sentence}`);
  }

  #get(member: string): unknown {
    this.#known.add(member);
    return this.#members.get(member) ?? undefined;
  }

  text(member: string): string | undefined {
    const value = this.#get(member);
    if (value === undefined) return undefined;
    const usable = typeof value === 'string' && value !== '' && !value.includes('\0');
    return usable ? value : this.fail(member, 'must be a text.');
  }

  required(member: string): string {
    return this.text(member) ?? this.fail(member, 'is missing.');
  }

  texts(member: string): readonly string[] {
    const value = this.#get(member) ?? [];
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.map((entry) =>
      typeof entry === 'string' && !entry.includes('\0')
        ? entry
        : this.fail(member, 'must be a list of texts.'),
    );
  }

  ports(): readonly number[] {
    const value = this.#get('ports') ?? [];
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.map((entry) =>
      typeof entry === 'number' && Number.isInteger(entry) && entry >= 1 && entry <= 65_535
        ? entry
        : this.fail('ports', 'must be a list of ports from 1 to 65535, such as [5432, 6432].'),
    );
  }

  seconds(member: string, { otherwise, most }: { otherwise: number; most: number }): number {
    const value = this.#get(member) ?? otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
    return this.fail(member, `must be an integer from 1 to ${most}.`);
  }

  choice<T extends string>(member: string, choices: readonly T[]): T | undefined {
    const value = this.text(member);
    if (value === undefined) return undefined;
    return choices.find((one) => one === value) ?? this.fail(member, `must be one of ${choices.join(', ')}.`);
  }

  demandNoOther(): void {
    for (const member of this.#members.keys())
      if (!this.#known.has(member))
        this.fail(member, `is no member of this kind of source.${didYouMean(member, [...this.#known])}`);
  }
}

function hostsOf(declaration: Declaration, kind: PasswordSourceKind): readonly string[] {
  const hosts = declaration.texts('hosts');
  const wrong = hosts.find((entry) => !isHost(entry));
  if (wrong !== undefined)
    declaration.fail(
      'hosts',
      `has the entry ${JSON.stringify(wrong)}: allowed are db1.example.com, *.example.com, 10.0.0.5 and 10.0.0.0/8.`,
    );
  if (hosts.length === 0 && kind !== 'aws_rds_iam')
    declaration.fail('hosts', 'is missing: name the hosts or networks that may get this password.');
  return hosts;
}

function commandOf(declaration: Declaration, env: NodeJS.ProcessEnv) {
  const command = declaration.texts('command');
  const [program = ''] = command;
  if (!path.isAbsolute(program))
    declaration.fail('command', 'must begin with the absolute path of a program.');
  const odd = command.find((item) => /\{\w*\}/.test(item) && !PLACEHOLDER.test(item));
  if (odd !== undefined)
    declaration.fail(
      'command',
      `has the item ${JSON.stringify(odd)}: {host}, {port}, {user} and {database} must each be an item of their own.`,
    );
  const environment = new Map<string, Secret>();
  for (const name of declaration.texts('pass_environment')) {
    if (name.startsWith('MATRIARCH_')) declaration.fail('pass_environment', `must not pass ${name} on.`);
    const value = env[name];
    if (value !== undefined) environment.set(name, new Secret(value));
  }
  return { command, environment };
}

function credentialsOf(declaration: Declaration, env: NodeJS.ProcessEnv): AwsCredentialSource {
  const chosen = declaration.text('profile');
  const file = declaration.text('credentials_file');
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  if (chosen === undefined && file === undefined && id && secret) {
    const session_token = token ? new Secret(token) : undefined;
    return { given: { access_key_id: id, secret_access_key: new Secret(secret), session_token } };
  }
  const usual = env.AWS_SHARED_CREDENTIALS_FILE || path.join(homedir(), '.aws', 'credentials');
  return { file: file ?? usual, profile: chosen ?? (env.AWS_PROFILE || 'default') };
}

function fileOf(declaration: Declaration): string {
  const file = declaration.required('path');
  return path.isAbsolute(file) ? file : declaration.fail('path', 'must be an absolute path.');
}

/** Undefined where it is not set, as in the shell of a command that has nothing to do with it: that is said when it is needed. */
function passwordOf(declaration: Declaration, env: NodeJS.ProcessEnv): Secret | undefined {
  const variable = declaration.required('variable');
  if (variable.startsWith('MATRIARCH_'))
    declaration.fail('variable', 'must not begin with MATRIARCH_: those are settings.');
  const value = env[variable];
  return value ? new Secret(value) : undefined;
}

function readSource(name: string, tree: unknown, env: NodeJS.ProcessEnv): PasswordSource {
  const declaration = new Declaration(name, tree);
  const kind = declaration.choice('kind', PASSWORD_SOURCE_KINDS) ?? declaration.fail('kind', 'is missing.');
  const isAws = kind === 'aws_rds_iam';
  const common = {
    name,
    hosts: hostsOf(declaration, kind),
    ports: declaration.ports(),
    usernames: declaration.texts('usernames'),
    // A token of RDS lasts for 15 minutes.
    refresh_seconds: declaration.seconds('refresh_seconds', { otherwise: 60, most: isAws ? 840 : 86_400 }),
    min_ssl_mode: declaration.choice('min_ssl_mode', SSL_MODES) ?? (isAws ? 'require' : 'disable'),
  };
  if (isAws && SSL_MODES.indexOf(common.min_ssl_mode) < SSL_MODES.indexOf('require'))
    declaration.fail('min_ssl_mode', 'must be require or stricter: RDS takes its tokens over TLS alone.');
  const own = () => {
    if (kind === 'file') return { kind, path: fileOf(declaration) };
    if (kind === 'environment') return { kind, password: passwordOf(declaration, env) };
    if (kind === 'command') return { kind, ...commandOf(declaration, env) };
    return { kind, region: declaration.required('region'), credentials: credentialsOf(declaration, env) };
  };
  const source = { ...common, ...own() };
  declaration.demandNoOther();
  return source;
}

/** A UsageError for what is not clear. */
export function readPasswordSources(
  declarations: Declarations | undefined,
  env: NodeJS.ProcessEnv,
): readonly PasswordSource[] {
  const entries = [...(declarations?.entries ?? [])];
  if (entries.length > MOST_SOURCES)
    throw new UsageError(
      `password_sources holds ${entries.length} sources; at most ${MOST_SOURCES} are allowed.`,
    );
  return entries.map(([name, tree]) => {
    if (!NAME.test(name))
      throw new UsageError(
        `password_sources: ${JSON.stringify(name)} is no name; allowed are letters, digits, - and _, up to 63.`,
      );
    return readSource(name, tree, env);
  });
}
