// From the operator's settings to what a provider is called with. A setting that cannot work stops the start with
// its name; a secret's value is never part of such a sentence.
import { UsageError } from '../../../kernel/errors.ts';
import { isForbiddenHost } from '../../../kernel/http/guarded-lookup.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { LlmConfig, Provider, ProviderSettings } from '../types.ts';

export interface CallSettings {
  api_key: Secret | undefined;
  base_url: string;
  model: string;
}

/** Model names as providers use them; no `..`, because some SDKs put the name into a path. */
export const isModelName = (name: string) => /^[A-Za-z0-9\-.:/_]{1,256}$/.test(name) && !name.includes('..');

const isSet = (value: Secret | string | undefined) =>
  (value instanceof Secret ? value.reveal() : (value ?? '')) !== '';

const isConfigured = (spec: Provider, settings: ProviderSettings | undefined) =>
  spec.needs.some((set) => set.every((name) => isSet(settings?.[name])));

function checkBaseUrl(key: string, value: string): void {
  const url = URL.parse(value);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isWeb || url.search || url.hash)
    throw new UsageError(`${key}: expected an http:// or https:// address without query or fragment.`);
  if (url.username || url.password)
    throw new UsageError(`${key}: a user or password in the address is not supported; use the api_key.`);
  if (isForbiddenHost(url.hostname, true))
    throw new UsageError(`${key}: ${url.hostname} is a link-local or unusable address and is never called.`);
}

function checkProvider(name: string, { api_key, base_url, model }: ProviderSettings): void {
  if (base_url) checkBaseUrl(`llm.${name}.base_url`, base_url);
  if (model && !isModelName(model))
    throw new UsageError(
      `llm.${name}.model: found ${JSON.stringify(model)}, allowed are 1 to 256 letters, digits and -.:/_ without "..".`,
    );
  if (api_key && !/^[\x21-\x7e]{0,1024}$/.test(api_key.reveal()))
    throw new UsageError(
      `llm.${name}.api_key: expected printable characters without spaces (its value is not shown).`,
    );
}

const whatIsMissing = ({ name, needs }: Provider) =>
  needs.map((set) => set.map((setting) => `llm.${name}.${setting}`).join(' and ')).join(' or ');

/** Throws a UsageError for settings that name no provider, or that cannot work. */
export function checkSettings(catalog: readonly Provider[], config: LlmConfig): void {
  const names = catalog.map(({ name }) => name).join(', ');
  for (const [name, settings] of Object.entries(config.providers)) {
    if (!catalog.some((spec) => spec.name === name))
      throw new UsageError(`llm.${name}: no such provider; allowed are ${names}.`);
    checkProvider(name, settings);
  }
  const wanted = config.default_provider;
  if (wanted === undefined) return;
  const spec = catalog.find(({ name }) => name === wanted);
  if (!spec)
    throw new UsageError(`llm.default_provider: found ${JSON.stringify(wanted)}, allowed are ${names}.`);
  if (!isConfigured(spec, config.providers[wanted]))
    throw new UsageError(`llm.default_provider: ${wanted} is not configured; set ${whatIsMissing(spec)}.`);
}

/** A base URL without a path gets the API's usual one, so that a bare host works too. */
function completeUrl(base: string, apiPath: string): string {
  const trimmed = base.replace(/(?<!\/)\/+$/, '');
  return new URL(trimmed).pathname === '/' ? `${trimmed}${apiPath}` : trimmed;
}

/** What to call the provider with, or undefined while it is not configured. */
export function configuredSettings(spec: Provider, config: LlmConfig): CallSettings | undefined {
  const settings = config.providers[spec.name];
  if (!settings || !isConfigured(spec, settings)) return undefined;
  const base = settings.base_url || spec.defaults.base_url || '';
  return {
    api_key: isSet(settings.api_key) ? settings.api_key : undefined,
    base_url: completeUrl(base, spec.api_path),
    model: settings.model || spec.defaults.model,
  };
}

/** The default provider in front: the one that was named, else the first in the catalog's order. */
export function defaultFirst<P extends { name: string }>(bound: readonly P[], config: LlmConfig): P[] {
  const isDefault = ({ name }: P) => name === config.default_provider;
  return [...bound.filter(isDefault), ...bound.filter((provider) => !isDefault(provider))];
}
