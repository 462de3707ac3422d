// The providers this process may call: settings in, bound providers out. Invariant: only what is configured is
// reachable, keys stay inside, and every call goes through the same limits.
import type { Agent } from 'undici';
import { createAgent } from '../kernel/http/transport.ts';
import type { Part } from '../kernel/lifecycle.ts';
import { providers as catalog, type ProviderName } from './catalog.gen.ts';
import { callProvider } from './support/call.ts';
import { checkSettings, configuredSettings, defaultFirst } from './support/configuration.ts';
import { type Generated, type GenerateInput, generate } from './support/generate.ts';
import type { Capability, LlmConfig, ModelInfo, Provider } from './types.ts';

const GENERATE_TIMEOUT_MS = 45_000;
const LIST_TIMEOUT_MS = 15_000;
const GENERATED_BYTES = 4 * 1024 * 1024;
const LISTED_BYTES = 8 * 1024 * 1024;

export interface ProviderLimits {
  /** For reading a provider's list of models; 15 s when absent. */
  list_timeout_ms?: number;
}

export interface ConfiguredProvider {
  readonly name: ProviderName;
  readonly display_name: string;
  /** The model that is used when the caller names none. */
  readonly model: string;
  readonly capabilities: readonly Capability[];
  /** The provider's own list; rejects with an OutboundError. */
  listModels(signal?: AbortSignal): Promise<ModelInfo[]>;
  /** Resolves when the provider answers and accepts the key within `timeout_ms`. */
  ping(timeout_ms: number): Promise<void>;
  /** One model call; rejects with an OutboundError. */
  generate(input: GenerateInput): Promise<Generated>;
}

export interface Providers extends Part {
  /** The default provider first. */
  readonly configured: readonly ConfiguredProvider[];
  readonly default: ConfiguredProvider | undefined;
  get(name: string): ConfiguredProvider | undefined;
}

interface Binding {
  config: LlmConfig;
  limits: ProviderLimits;
  agent: () => Promise<Agent>;
}

function bind(spec: Provider<ProviderName>, { config, limits: ours, agent }: Binding): ConfiguredProvider[] {
  const settings = configuredSettings(spec, config);
  if (!settings) return [];
  const { api_key, base_url, model } = settings;
  return [
    {
      name: spec.name,
      display_name: spec.display_name,
      model,
      capabilities: spec.capabilities,
      async listModels(signal) {
        const timeout_ms = ours.list_timeout_ms ?? LIST_TIMEOUT_MS;
        const limits = { timeout_ms, max_bytes: LISTED_BYTES, signal };
        return callProvider(await agent(), limits, (transport) =>
          spec.listModels({ api_key, base_url, transport }),
        );
      },
      async ping(timeout_ms) {
        const limits = { timeout_ms, max_bytes: LISTED_BYTES };
        return callProvider(await agent(), limits, (transport) =>
          spec.ping({ api_key, base_url, transport }),
        );
      },
      async generate(input) {
        const { signal, timeout_ms = GENERATE_TIMEOUT_MS } = input;
        const characters = input.instructions.length + input.prompt.length;
        const context_tokens = Math.ceil(characters / 2) + input.answer_tokens;
        return callProvider(await agent(), { timeout_ms, max_bytes: GENERATED_BYTES, signal }, (transport) =>
          generate(
            () => spec.prepareModel({ api_key, base_url, transport, model, context_tokens }),
            transport,
            input,
          ),
        );
      },
    },
  ];
}

/** Checks the settings (UsageError) and binds what is configured; connects to nothing yet. */
export function createProviders(config: LlmConfig, limits: ProviderLimits = {}): Providers {
  checkSettings(catalog, config);
  let opened: Promise<Agent> | undefined;
  const agent = () => {
    opened ??= createAgent({ allow_private: true });
    return opened;
  };
  const bound = catalog.flatMap((spec) => bind(spec, { config, limits, agent }));
  const configured = defaultFirst(bound, config);
  return {
    name: 'llm-providers',
    configured,
    default: configured[0],
    get: (name) => configured.find((provider) => provider.name === name),
    async stop() {
      const open = opened;
      opened = undefined;
      await (await open)?.destroy();
    },
  };
}
