// The AI SDK's own types, by the names that we use.
import type { LanguageModel } from 'ai';

/** A model as the SDK's packages make it. */
export type SdkModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;

type Streamed = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
/** One part of what a model says. */
export type SdkPart = Streamed extends ReadableStream<infer Part> ? Part : never;
