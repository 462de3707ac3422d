// The providers this process may call: settings in, bound providers out. Invariant: only what is configured is
// reachable, keys stay inside, and every call goes through the same limits.
import type { Agent } from 'undici';
import { Fault } from '../../kernel/errors.ts';
import { createAgent, type Transport } from '../../kernel/http/transport.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import type { TextModel, TextModels } from '../../kernel/text-model.ts';
import { providers as catalog, type ProviderName } from './catalog.gen.ts';
import { callProvider, streamProvider } from './support/call.ts';
import { demandCapable } from './support/chat-prompt.ts';
import { type ChatEvent, type ChatRequest, type Feature, NotCapable } from './support/chat-types.ts';
import {
  type CallSettings,
  checkSettings,
  configuredSettings,
  defaultFirst,
  isModelName,
} from './support/configuration.ts';
import { generate } from './support/generate.ts';
import { chat } from './support/sdk.ts';
import type { EmbedPart, Ranked } from './support/vectors.ts';
import type { Capability, LlmConfig, ModelInfo, Provider } from './types.ts';

const GENERATE_TIMEOUT_MS = 45_000;
const LIST_TIMEOUT_MS = 15_000;
const GENERATED_BYTES = 4 * 1024 * 1024;
const LISTED_BYTES = 8 * 1024 * 1024;
/** Each token comes in an event of some hundred bytes. */
const STREAMED_BYTES = 64 * 1024 * 1024;

export interface ProviderLimits {
  /** For reading a provider's list of models; 15 s when absent. */
  list_timeout_ms?: number;
}

export interface ConfiguredProvider extends TextModel {
  readonly name: ProviderName;
  readonly display_name: string;
  /** The model that is used when the caller names none. */
  readonly model: string;
  /** The one that makes vectors when the caller names none. */
  readonly embedding_model: string;
  readonly capabilities: readonly Capability[];
  /** The provider's own list; rejects with an OutboundError. */
  listModels(signal?: AbortSignal): Promise<ModelInfo[]>;
  /** Resolves when the provider answers and accepts the key within `timeout_ms`. */
  ping(timeout_ms: number): Promise<void>;
  /** A conversation goes on; throws an OutboundError, or NotCapable before anything is sent. */
  chat(request: ChatRequest, limits: ChatLimits): AsyncIterable<ChatEvent>;
  /** Whether it has this at all; a model of it may still lack it. */
  can(feature: Feature): boolean;
  /** Vectors in the order of the inputs. */
  embed(input: EmbedInput, limits: ChatLimits): Promise<number[][]>;
  /** The best documents first. */
  rank(input: RankInput, limits: ChatLimits): Promise<Ranked>;
}

export interface EmbedInput {
  /** That of the provider for this when absent. */
  model?: string | undefined;
  inputs: readonly (readonly EmbedPart[])[];
}

export interface RankInput {
  model?: string | undefined;
  query: string;
  documents: readonly string[];
  top_k: number;
}

export interface ChatLimits {
  signal: AbortSignal;
  /** Longest wait for the next piece of the answer. */
  timeout_ms: number;
  /** Told what is about to be sent; throwing keeps it from being sent. */
  outgoing?: ((body: string | null) => void) | undefined;
}

export interface Providers extends Part, TextModels {
  /** The default provider first. */
  readonly configured: readonly ConfiguredProvider[];
  readonly default: ConfiguredProvider | undefined;
  get(name: string): ConfiguredProvider | undefined;
}

/** The provider and the model of a call; 400 where there is none such. */
export function chosen(
  providers: Providers,
  { provider: name, model }: { provider?: string; model?: string },
): { provider: ConfiguredProvider; model: string } {
  const names = providers.configured.map((one) => one.name).join(', ');
  if (names === '') throw new Fault('bad_request', 'No LLM provider is configured.');
  const provider = name ? providers.get(name) : providers.default;
  if (!provider)
    throw new Fault('bad_request', `provider must be one of the configured providers: ${names}.`);
  if (model && !isModelName(model))
    throw new Fault('bad_request', 'model must be 1 to 256 letters, digits and -.:/_ without "..".');
  return { provider, model: model || provider.model };
}

interface Binding {
  config: LlmConfig;
  limits: ProviderLimits;
  agent: () => Promise<Agent>;
}

/** Tokens of all that is sent and answered: a guess on the high side. */
const contextOf = (request: ChatRequest) =>
  Math.ceil(JSON.stringify([request.system, request.messages, request.tools]).length / 2) +
  request.max_tokens;

const VECTOR_BYTES = 128 * 1024 * 1024;

/** Vectors and ranks: one question, one answer. */
function vectorCalls(
  spec: Provider<ProviderName>,
  { api_key, base_url, model: usual }: CallSettings,
  agent: Binding['agent'],
): Pick<ConfiguredProvider, 'can' | 'embed' | 'rank'> {
  const lacks = spec.lacks?.(base_url) ?? [];
  const isImage = (part: EmbedPart) => 'image' in part;
  return {
    can: (feature) => !lacks.includes(feature),
    async embed({ inputs, model = spec.defaults.embedding_model ?? usual }, limits) {
      const feature = inputs.some((parts) => parts.some(isImage)) ? 'multimodal_embeddings' : 'embeddings';
      const { embed } = spec;
      if (!embed || lacks.includes(feature)) throw new NotCapable(feature);
      return callProvider(await agent(), { ...limits, max_bytes: VECTOR_BYTES }, (transport) =>
        embed({ api_key, base_url, transport, model, inputs }),
      );
    },
    async rank({ model = usual, ...input }, limits) {
      const { rank } = spec;
      if (!rank || lacks.includes('reranking')) throw new NotCapable('reranking');
      return callProvider(await agent(), { ...limits, max_bytes: LISTED_BYTES }, (transport) =>
        rank({ api_key, base_url, transport, model, ...input }),
      );
    },
  };
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
      embedding_model: spec.defaults.embedding_model ?? model,
      capabilities: spec.capabilities,
      ...vectorCalls(spec, settings, agent),
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
        const { signal, timeout_ms = GENERATE_TIMEOUT_MS, outgoing } = input;
        const characters = input.instructions.length + input.prompt.length;
        const context_tokens = Math.ceil(characters / 2) + input.answer_tokens;
        const limits = { timeout_ms, max_bytes: GENERATED_BYTES, signal, outgoing };
        return callProvider(await agent(), limits, (transport) =>
          generate(
            () => spec.prepareModel({ api_key, base_url, transport, model, context_tokens }),
            transport,
            input,
          ),
        );
      },
      async *chat(request, { signal, timeout_ms, outgoing }) {
        const lacks = spec.lacks?.(base_url) ?? [];
        demandCapable(request, lacks);
        const context_tokens = contextOf(request);
        const wanted = request.model ?? model;
        const limits = { timeout_ms, max_bytes: STREAMED_BYTES, signal, outgoing };
        const prepare = (own: Transport) =>
          spec.prepareModel({ api_key, base_url, transport: own, model: wanted, context_tokens });
        yield* streamProvider(await agent(), limits, (transport) =>
          chat({ transport, prepare, plain: spec.plainText, lacks }, request),
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
