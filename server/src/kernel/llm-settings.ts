// The settings of language models that do not belong to one provider.
import type { Setting } from './settings.ts';

export const llmSettings = [
  {
    key: 'llm.max_iterations',
    type: 'integer',
    default: 50,
    minimum: 1,
    maximum: 1000,
    description: "Most rounds of a client's tool loop.",
  },
  {
    key: 'llm.calls_per_minute',
    type: 'integer',
    default: 120,
    minimum: 1,
    maximum: 100000,
    description: 'Calls of language models a minute for each user.',
  },
  {
    key: 'llm.timeout_seconds',
    type: 'integer',
    default: 300,
    minimum: 1,
    maximum: 300,
    description: 'How long a language model may take to answer; of a streamed answer, to its next piece.',
  },
] as const satisfies readonly Setting[];
