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
  {
    key: 'llm.tokens_per_day',
    type: 'integer',
    default: 2_000_000,
    minimum: 0,
    maximum: 1_000_000_000_000,
    description: 'Tokens of language models a day (UTC) for each user; 0 for any number.',
  },
  {
    key: 'llm.own_tokens_per_day',
    type: 'integer',
    default: 2_000_000,
    minimum: 0,
    maximum: 1_000_000_000_000,
    description:
      'Tokens of language models a day (UTC) for what the program asks by itself, such as overviews; 0 for any number.',
  },
  {
    key: 'llm.prices',
    type: 'list',
    form: {
      pattern: /^[\w.-]{1,64}\/[^=\s]{1,256}=\d{1,6}(?:\.\d{1,3})?\/\d{1,6}(?:\.\d{1,3})?$/,
      words:
        'provider/model=input/output in US dollars a million tokens, such as anthropic/claude-sonnet-4-5=3/15 or ollama/*=0/0',
    },
    description:
      'What language models cost, each as `provider/model=input/output` in US dollars a million tokens, with at most three decimals; `*` stands for all other models of a provider. None is known by itself: without a price, what a call cost is shown as unknown. Tokens from a cache of the provider count in full.',
  },
  {
    key: 'llm.usd_per_day',
    type: 'number',
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'US dollars that language models may cost a day (UTC) for each user; 0 for any amount. With a limit, models without a price are not asked.',
  },
  {
    key: 'llm.own_usd_per_day',
    type: 'number',
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'US dollars that language models may cost a day (UTC) for what the program asks by itself; 0 for any amount.',
  },
  {
    key: 'llm.mask_emails',
    type: 'boolean',
    default: true,
    description: 'Whether addresses of mail are masked before a request leaves for a language model.',
  },
  {
    key: 'llm.mask_addresses',
    type: 'boolean',
    default: true,
    description: 'Whether network addresses of clients and servers are masked before a request leaves.',
  },
  {
    key: 'llm.keep_calls_days',
    type: 'integer',
    default: 14,
    minimum: 0,
    maximum: 3650,
    description: 'How long calls of language models can be read back, in days; 0 keeps no texts of them.',
  },
  {
    key: 'llm.keep_calls_megabytes',
    type: 'integer',
    default: 512,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Most room for the texts of calls of language models; the oldest go first.',
  },
] as const satisfies readonly Setting[];
