// One raw value (flag, variable or YAML) turned into the type its setting declares, or refused with a sentence.
import { parse as parseYaml } from 'yaml';
import { UsageError } from './errors.ts';
import { lifetimeMs } from './lifetime.ts';
import { Secret } from './secret.ts';
import type { Setting } from './settings.ts';

/** Groups with free names. As text it is names and kinds alone, since a declaration may hold what not everybody may read. */
export class Declarations {
  readonly entries: ReadonlyMap<string, unknown>;

  constructor(entries: ReadonlyMap<string, unknown>) {
    this.entries = entries;
  }

  toString(): string {
    const kindOf = (tree: unknown) =>
      typeof tree === 'object' && tree !== null && 'kind' in tree ? String(tree.kind) : 'unknown';
    return [...this.entries].map(([name, tree]) => `${name} (${kindOf(tree)})`).join(', ');
  }

  toJSON(): string {
    return this.toString();
  }
}

export type SettingValue = string | number | boolean | string[] | Secret | Declarations | undefined;

function fail(name: string, found: unknown, allowed: string): never {
  throw new UsageError(`${name}: found ${JSON.stringify(found)}, allowed is ${allowed}.`);
}

function readInteger(setting: Setting, name: string, raw: unknown): number {
  const value = typeof raw === 'number' ? raw : /^-?\d+$/.test(String(raw)) ? Number(raw) : Number.NaN;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = setting;
  if (!Number.isInteger(value) || value < minimum || value > maximum)
    fail(name, raw, `an integer from ${minimum} to ${maximum}`);
  return value;
}

function readNumber(setting: Setting, name: string, raw: unknown): number {
  const value = typeof raw === 'number' ? raw : /^\d+(\.\d+)?$/.test(String(raw)) ? Number(raw) : Number.NaN;
  const { minimum = 0, maximum = Number.MAX_VALUE } = setting;
  if (!Number.isFinite(value) || value < minimum || value > maximum)
    fail(name, raw, `a number from ${minimum} to ${maximum}`);
  return value;
}

function readBoolean(name: string, raw: unknown): boolean {
  if (raw === true || raw === 'true' || raw === '1') return true;
  if (raw === false || raw === 'false' || raw === '0') return false;
  return fail(name, raw, 'true or false');
}

function readUrl(name: string, raw: string): string {
  const parsed = URL.canParse(raw) ? new URL(raw) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) fail(name, raw, 'an http:// or https:// address');
  if (parsed.username || parsed.password)
    fail(name, '(an address with a password in it)', 'an address without one');
  return raw;
}

function readList(setting: Setting, name: string, raw: unknown): string[] {
  const entries = (Array.isArray(raw) ? raw : String(raw).split(',')).map((entry) => String(entry).trim());
  const present = [...new Set(entries.filter((entry) => entry !== ''))];
  const { allowed, form } = setting;
  const odd = form && present.find((entry) => !form.pattern.test(entry));
  if (form && odd !== undefined) fail(name, odd, form.words);
  const wrong = allowed && present.find((entry) => !allowed.includes(entry));
  if (allowed && wrong !== undefined) fail(name, wrong, allowed.join(', '));
  if (allowed && present.length === 0) fail(name, raw, `one or more of ${allowed.join(', ')}`);
  return present;
}

function readDeclarations(name: string, raw: unknown): Declarations {
  let tree = raw;
  try {
    if (typeof raw === 'string') tree = parseYaml(raw);
  } catch {
    fail(name, '(a text that is no JSON)', 'groups by name, as JSON or YAML');
  }
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    fail(name, '(no groups)', 'groups by name, each with a kind');
  return new Declarations(new Map(Object.entries(tree)));
}

/** `name` is how the user gave it (flag, variable or key), so that the message names what they typed. */
export function readValue(setting: Setting, name: string, raw: unknown): SettingValue {
  if (setting.type === 'integer') return readInteger(setting, name, raw);
  if (setting.type === 'number') return readNumber(setting, name, raw);
  if (setting.type === 'boolean') return readBoolean(name, raw);
  if (setting.type === 'list') return readList(setting, name, raw);
  if (setting.type === 'declarations') return readDeclarations(name, raw);
  if (typeof raw !== 'string' && typeof raw !== 'number') fail(name, raw, 'one text value');
  const value = String(raw);
  if (setting.type === 'secret') return new Secret(value);
  if (value.includes('\0')) fail(name, value, 'text without NUL characters');
  if (setting.allowed && !setting.allowed.includes(value)) fail(name, raw, setting.allowed.join(', '));
  if (setting.type === 'lifetime' && lifetimeMs(value) === undefined)
    fail(name, raw, 'a lifetime such as 12h, 90d, 8w, 6m or 1y, at most 10y');
  return setting.type === 'url' ? readUrl(name, value) : value;
}
