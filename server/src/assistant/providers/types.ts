// What a provider of language models is: one file of this folder that declares itself with defineProvider. It knows
// its own settings, how to list its models and how to make a model the AI SDK can talk to; everything that guards a
// call (time, size, retry, errors, keys) is around it and the same for all.
import type { Transport } from '../../kernel/http/transport.ts';
import { object, optional, type Schema, text } from '../../kernel/schema.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Feature } from './support/chat-types.ts';
import type { PlainText } from './support/plain-answer.ts';
import type { SdkModel } from './support/sdk.ts';
import type { EmbedPart, Ranked } from './support/vectors.ts';

export type Capability =
  | 'chat'
  | 'tools'
  | 'vision'
  | 'embeddings'
  | 'json_mode'
  | 'streaming'
  | 'multimodal_embeddings'
  | 'reranking';

/** A model as its provider describes it; what the provider does not say is absent. Sizes in tokens. */
export interface ModelInfo {
  id: string;
  name: string;
  description?: string;
  context_window?: number;
  max_output?: number;
  /** Length of its embedding vectors. */
  dimensions?: number;
  capabilities?: Capability[];
  deprecated?: boolean;
}

/** As the operator set them; a provider without what it needs is not configured. */
export interface ProviderSettings {
  api_key?: Secret;
  base_url?: string;
  model?: string;
}
export type SettingName = keyof ProviderSettings;

export interface LlmConfig {
  default_provider?: string;
  providers: Record<string, ProviderSettings>;
}

/** One call of a provider: checked settings and the only way out. */
export interface Call {
  api_key: Secret | undefined;
  /** Without a slash at the end. */
  base_url: string;
  transport: Transport;
}

export interface ModelCall extends Call {
  model: string;
  /** How many tokens the prompt and the answer may need together; a guess on the high side. */
  context_tokens: number;
}

export interface EmbedCall extends Call {
  model: string;
  /** Each is made into one vector. */
  inputs: readonly (readonly EmbedPart[])[];
}

export interface RankCall extends Call {
  model: string;
  query: string;
  documents: readonly string[];
  /** How many of the best. */
  top_k: number;
}

export interface PreparedModel {
  model: SdkModel;
  /** Tokens to allow beyond the answer for models that think first. */
  thinking_tokens: number;
  /** What only this provider is told with each call, under its name. */
  options?: Record<string, Record<string, string | number | boolean>>;
}

export interface ProviderSpec<Name extends string = string> {
  name: Name;
  display_name: string;
  /** Any one of these sets of settings makes the provider configured. */
  needs: readonly (readonly SettingName[])[];
  defaults: { base_url?: string; model: string; embedding_model?: string };
  /** Put behind a base URL that has no path of its own, e.g. `/v1`. */
  api_path: string;
  /** What some model of this provider can do through us. */
  capabilities: readonly Capability[];
  /** What no model at this address can do through us; whoever asks for it is told so before anything is sent. */
  lacks?(base_url: string): readonly Feature[];
  /** Reads the provider's own list of models. */
  listModels(call: Call): Promise<ModelInfo[]>;
  /** The cheapest request that shows that the address answers and the key is accepted. */
  ping(call: Call): Promise<void>;
  /** Vectors in the order of the inputs; of texts, and of images unless it lacks that. */
  embed?(call: EmbedCall): Promise<number[][]>;
  rank?(call: RankCall): Promise<Ranked>;
  /** How a piece of plain text looks in its streams; where it does not say, the SDK reads all of them, at twice the cost. */
  plainText?: PlainText;
  /** Imports the SDK's package for this provider, at the first call and not at start-up. */
  prepareModel(call: ModelCall): Promise<PreparedModel>;
}

export interface Provider<Name extends string = string> extends ProviderSpec<Name> {
  config_schema: Schema;
}

function settingsSchema({ needs, defaults, display_name }: ProviderSpec): Schema {
  const mustHave = (name: SettingName) => needs.every((set) => set.includes(name));
  const secret = text({ description: `API key of ${display_name}; write-only.`, minLength: 1 });
  const url = text({
    description: `Address of ${display_name}'s API.`,
    format: 'uri',
    ...(defaults.base_url && { default: defaults.base_url }),
  });
  return object({
    api_key: mustHave('api_key') ? secret : optional(secret),
    base_url: mustHave('base_url') ? url : optional(url),
    model: optional(text({ description: 'Model to use.', default: defaults.model, maxLength: 256 })),
  });
}

/**
 * Declares a provider; its settings' schema follows from `needs` and `defaults`.
 * @example
 * export const provider = defineProvider({ name: 'example', display_name: 'Example', needs: [['api_key']],
 *   defaults: { base_url: 'https://api.example.com/v1', model: 'example-1' }, api_path: '/v1',
 *   capabilities: ['chat'], listModels, ping, prepareModel });
 */
export function defineProvider<const Name extends string>(spec: ProviderSpec<Name>): Provider<Name> {
  return { ...spec, config_schema: settingsSchema(spec) };
}

/** A model's description without the members nobody knows. */
export function modelInfo(facts: {
  id: string;
  name?: string | undefined;
  description?: string | undefined;
  context_window?: number | undefined;
  max_output?: number | undefined;
  dimensions?: number | undefined;
  capabilities?: Capability[] | undefined;
  deprecated?: boolean | undefined;
}): ModelInfo {
  const { id, name, description, context_window, max_output, dimensions, capabilities, deprecated } = facts;
  return {
    id,
    name: name ?? id,
    ...(description !== undefined && { description }),
    ...(context_window !== undefined && { context_window }),
    ...(max_output !== undefined && { max_output }),
    ...(dimensions !== undefined && { dimensions }),
    ...(capabilities !== undefined && { capabilities }),
    ...(deprecated !== undefined && { deprecated }),
  };
}
