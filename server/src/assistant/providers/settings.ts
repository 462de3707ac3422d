// The settings of all providers, made from the catalog: a new provider brings its own, and nobody edits a list.
import type { Setting } from '../../kernel/settings.ts';
import { providers } from './catalog.gen.ts';
import type { Provider } from './types.ts';

function settingsOf({ name, display_name, needs, defaults }: Provider): Setting[] {
  const required = needs.some((set) => set.length === 1 && set[0] === 'base_url') && !defaults.base_url;
  return [
    { key: `llm.${name}.api_key`, type: 'secret', description: `API key for ${display_name}.` },
    {
      key: `llm.${name}.base_url`,
      type: 'url',
      description: `Address of ${display_name}${required ? '; configures it' : ', when it is another than the usual one'}.`,
    },
    {
      key: `llm.${name}.model`,
      type: 'text',
      description: `Model to use; ${defaults.model} when not set.`,
    },
  ];
}

/** `llm.default_provider`, and key, address and model of each provider. */
export const PROVIDER_SETTINGS: readonly Setting[] = [
  {
    key: 'llm.default_provider',
    type: 'text',
    allowed: providers.map(({ name }) => name),
    description: 'Provider to use when several are configured; the first configured one otherwise.',
  },
  ...providers.flatMap((provider) => settingsOf(provider)),
];
