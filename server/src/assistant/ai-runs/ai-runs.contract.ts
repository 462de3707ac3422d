// What was asked of language models: read back call by call, and counted by day. Guards: one's own for
// everybody, all for superusers; what is shown is what was masked.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'llm', extra: true });

const summary = {
  id: s.integer(),
  user_id: s.nullable(s.integer({ description: 'Null for what the program asked by itself.' })),
  username: s.nullable(s.text()),
  purpose: s.oneOf(['chat', 'proxy', 'compaction', 'overview', 'ai_analysis']),
  kind: s.oneOf(['chat', 'generate', 'embed', 'rerank']),
  provider: s.text(),
  model: s.text(),
  state: s.oneOf(['running', 'done', 'failed', 'cancelled', 'lost']),
  failure: s.nullable(s.text()),
  input_tokens: s.nullable(s.integer()),
  output_tokens: s.nullable(s.integer()),
  is_estimated: s.boolean({ description: 'The provider did not say how many tokens it took.' }),
  cost_usd: s.nullable(
    s.number({
      description: 'In US dollars, by the price at that time; null where no price of the model was set.',
    }),
  ),
  started_at: s.timestamp(),
  first_ms: s.nullable(s.integer({ description: 'Milliseconds to the first piece of the answer.' })),
  took_ms: s.nullable(s.integer()),
};
const AiRunSummary = s.component('AiRunSummary', summary);
const Masked = s.record(s.integer(), {
  description:
    'How many different values were masked, by kind: secret, text, number, comment, value, email, address.',
});
const AiRun = s.component('AiRun', {
  ...summary,
  request: s.nullable(
    s.text({ description: 'The body as it was sent, up to 256 KiB; null where nothing was sent or kept.' }),
  ),
  masked: Masked,
  answer: s.anyValue({ description: 'Pieces of the answer, or what came of it; null where there is none.' }),
});

const example = {
  ...{
    id: 12,
    user_id: 7,
    username: 'ada',
    purpose: 'proxy',
    kind: 'chat',
    provider: 'ollama',
    model: 'llama3.3',
  },
  ...{
    state: 'done',
    failure: null,
    input_tokens: 420,
    output_tokens: 12,
    is_estimated: false,
    cost_usd: 0.0021,
  },
  ...{ started_at: '2026-11-20T10:00:00.000Z', first_ms: 320, took_ms: 1400 },
} as const;

export const listAiRuns = operation({
  id: 'listAiRuns',
  route: 'GET /api/v1/ai/runs',
  summary: 'List calls of language models',
  access: 'signed-in',
  query: s.object({
    limit: s.optional(s.integer({ minimum: 1, maximum: 500, default: 50 })),
    offset: s.optional(s.integer({ minimum: 0, maximum: 2147483647, default: 0 })),
  }),
  success: ok(s.component('AiRunList', { runs: s.list(AiRunSummary) }), { runs: [example] }),
  notes: ["The caller's own, newest first; a superuser reads those of all and of the program itself."],
});

export const getAiRun = operation({
  id: 'getAiRun',
  route: 'GET /api/v1/ai/runs/{id}',
  summary: 'Read a call of a language model back',
  access: { object: 'ai-run' },
  params: s.object({ id: s.integer({ minimum: 1, maximum: 2147483647 }) }),
  paramsExample: { id: 12 },
  success: ok(AiRun, {
    ...example,
    request: '{"model":"llama3.3","messages":[]}',
    masked: { text: 2 },
    answer: [{ type: 'text', text: 'It waits for locks.' }],
  }),
  notes: [
    'As it was sent after masking, and what was answered. A superuser reads those of all. A token that is limited to some connections reads neither, since both may be of others.',
  ],
});

export const getLlmUsage = operation({
  id: 'getLlmUsage',
  route: 'GET /api/v1/llm/usage',
  summary: 'Tokens and cost of language models by user, day and model',
  access: 'signed-in',
  query: s.object({
    days: s.optional(s.integer({ minimum: 1, maximum: 400, default: 30 })),
    all: s.optional(s.boolean({ default: false, description: 'Of all users; for superusers.' })),
  }),
  faults: [403],
  success: ok(
    s.component('LLMUse', {
      usage: s.list(
        s.object({
          day: s.text({ description: 'In UTC.' }),
          user_id: s.nullable(s.integer({ description: 'Null for the program itself.' })),
          username: s.nullable(s.text()),
          provider: s.text(),
          model: s.text(),
          calls: s.integer(),
          input_tokens: s.integer(),
          output_tokens: s.integer(),
          cost_usd: s.nullable(
            s.number({
              description:
                'In US dollars, of the calls whose price was known then (`llm.prices`); null where none was.',
            }),
          ),
          unpriced_calls: s.integer({
            description: 'Calls that are not in cost_usd, without a known price.',
          }),
        }),
      ),
      budget: s.object({
        tokens_per_day: s.nullable(s.integer({ description: 'Null for any number.' })),
        used: s.integer(),
        reserved: s.integer({ description: 'For calls under way.' }),
        left: s.nullable(s.integer()),
        usd_per_day: s.nullable(s.number({ description: 'US dollars; null for any amount.' })),
        used_usd: s.number({ description: 'Of calls whose price is known.' }),
        reserved_usd: s.number({ description: 'For calls under way.' }),
        left_usd: s.nullable(s.number()),
        begins_anew: s.timestamp(),
      }),
    }),
    {
      usage: [
        {
          ...{ day: '2026-11-20', user_id: 7, username: 'ada', provider: 'ollama', model: 'llama3.3' },
          ...{ calls: 3, input_tokens: 1200, output_tokens: 90, cost_usd: 0.00495, unpriced_calls: 0 },
        },
      ],
      budget: {
        ...{ tokens_per_day: 2_000_000, used: 1290, reserved: 0, left: 1_998_710 },
        ...{ usd_per_day: 5, used_usd: 0.00495, reserved_usd: 0, left_usd: 4.99505 },
        begins_anew: '2026-11-21T00:00:00.000Z',
      },
    },
  ),
  notes: ["The caller's own; the budget is the caller's of today. It is set in the configuration."],
});
