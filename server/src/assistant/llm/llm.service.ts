// What anybody may know of the language models: which providers there are, their models, whether they answer.
// Invariant: keys, addresses and a provider's own words never leave; a stranger cannot make us call a provider
// more often than the kept answers allow.
import { type Clock, sleep } from '../../kernel/clock.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { addressKey, createRateLimit } from '../../kernel/rate-limit.ts';
import type { ConfiguredProvider, Providers } from '../providers/registry.ts';
import type { ModelInfo } from '../providers/types.ts';
import type { getLlmHealth, listLlmModels, listLlmProviders } from './llm.contract.ts';
import { createMemo } from './memo.ts';
import { kindOf, providerFault } from './model-faults.ts';

const MODELS_KEPT_MS = 5 * 60_000;
const HEALTH_KEPT_MS = 30_000;
const PING_TIMEOUT_MS = 5000;
const READS_A_MINUTE = 60;
/** Nobody's answer waits longer for a list of models. */
const CONTEXT_PATIENCE_MS = 500;

type Health = Output<typeof getLlmHealth>;
type ProviderHealth = Health['providers'][string];

export interface LlmOptions {
  providers: Providers;
  clock: Clock;
  log: Log;
  /** Public reads a minute for each address; 60 when absent. */
  reads_per_minute?: number;
  /** For each provider in a health report; 5 s when absent. */
  ping_timeout_ms?: number;
}

export interface Llm {
  /** Throws the 429 fault when this address asked too often. */
  admit(address: string): void;
  listLlmProviders(): Output<typeof listLlmProviders>;
  listLlmModels(query: Input<typeof listLlmModels>['query']): Promise<Output<typeof listLlmModels>>;
  getLlmHealth(): Promise<Health>;
  /** Size of a model's context in tokens; undefined where it is not known at once. */
  contextOf(provider: ConfiguredProvider, model: string): Promise<number | undefined>;
}

function demandProvider(providers: Providers, name: string): ConfiguredProvider {
  const found = providers.get(name);
  if (found) return found;
  const names = providers.configured.map((provider) => provider.name).join(', ');
  throw new Fault(
    'bad_request',
    names === ''
      ? 'No LLM provider is configured, so there are no models to list.'
      : `The query parameter provider must be one of the configured providers: ${names}.`,
  );
}

/** Entries for clients that show a name and a description of every model. */
const withDescription = (model: ModelInfo) => ({ ...model, description: model.description ?? model.name });

function degradedText(down: readonly string[]): string {
  const subject = down.length === 1 ? 'One LLM provider does' : `${down.length} LLM providers do`;
  return `${subject} not answer: ${down.join(', ')}.`;
}

async function ping(
  provider: ConfiguredProvider,
  { log, ping_timeout_ms = PING_TIMEOUT_MS }: LlmOptions,
): Promise<ProviderHealth> {
  try {
    await provider.ping(ping_timeout_ms);
    return { status: 'ok' };
  } catch (error) {
    const kind = kindOf(error);
    log.warn({ event: 'llm.provider_down', provider: provider.name, kind, err: error });
    return { status: 'down', error: kind };
  }
}

async function askAll(options: LlmOptions): Promise<Health> {
  const { configured } = options.providers;
  const answers = await Promise.all(
    configured.map(async (provider) => [provider.name, await ping(provider, options)] as const),
  );
  const down = answers.flatMap(([name, { status }]) => (status === 'down' ? [name] : []));
  const report = Object.fromEntries(answers);
  if (down.length === 0) return { status: 'ok', providers: report };
  return { status: 'degraded', providers: report, error: degradedText(down) };
}

export function createLlm(options: LlmOptions): Llm {
  const { providers, clock, reads_per_minute = READS_A_MINUTE } = options;
  const reads = createRateLimit({ limit: reads_per_minute, window_ms: 60_000, clock });
  const models = createMemo<ModelInfo[]>(clock, MODELS_KEPT_MS);
  const health = createMemo<Health>(clock, HEALTH_KEPT_MS);
  return {
    admit: (address) => reads.enforce(addressKey(address)),
    listLlmProviders: () => ({
      providers: providers.configured.map((provider) => ({
        name: provider.name,
        display_name: provider.display_name,
        display: provider.display_name,
        model: provider.model,
        default: provider === providers.default,
        isDefault: provider === providers.default,
      })),
      ...(providers.default && { default_provider: providers.default.name }),
      defaultModel: providers.default?.model ?? '',
    }),
    async listLlmModels({ provider: name, metadata = false, capability = [] }) {
      const provider = demandProvider(providers, name);
      const all = await models
        .get(provider.name, () => provider.listModels())
        .catch((cause: unknown) => Promise.reject(providerFault(provider.display_name, cause)));
      const fitting = all.filter((model) => capability.every((one) => model.capabilities?.includes(one)));
      return { models: metadata ? fitting.map(withDescription) : fitting.map(({ id }) => id) };
    },
    async contextOf(provider, model) {
      const known = models.get(provider.name, () => provider.listModels()).catch(() => []);
      const soon = sleep(CONTEXT_PATIENCE_MS).then(() => []);
      const all = await Promise.race<ModelInfo[]>([known, soon]);
      return all.find(({ id }) => id === model)?.context_window;
    },
    getLlmHealth: () => health.get('all', () => askAll(options)),
  };
}
