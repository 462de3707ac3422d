// The page of language models: what is configured, whether it answers, and what it says where nothing is.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { ModelsPage } from './models-page.tsx';

const OLLAMA = {
  ...{ name: 'ollama', display_name: 'Ollama', display: 'Ollama', model: 'llama3.3' },
  ...{ default: true, isDefault: true },
};
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
const FREE = { usd_per_day: null, used_usd: 0, reserved_usd: 0, left_usd: null };
const ANSWERS: Answers = {
  getUserInfo: ADMIN,
  listLlmProviders: { providers: [OLLAMA], default_provider: 'ollama', defaultModel: 'llama3.3' },
  getLlmHealth: { status: 'ok', providers: { ollama: { status: 'ok' } } },
  getLlmUsage: {
    usage: [],
    budget: {
      ...{ tokens_per_day: 500_000, used: 0, reserved: 0, left: 500_000, begins_anew: IN_AN_HOUR },
      ...FREE,
    },
  },
};

it('shows the models with whether their providers answer', async () => {
  await startApi(ANSWERS);
  show(<ModelsPage />);
  const row = within(await screen.findByRole('row', { name: /llama3.3/ }));
  expect(await row.findByText('Answers')).toBeTruthy();
});

it('says which provider does not answer, and claims nothing of the others', async () => {
  const sentence = 'One provider does not answer: ollama.';
  await startApi({ ...ANSWERS, getLlmHealth: new Refusal(503, sentence) });
  show(<ModelsPage />);
  await screen.findByText(sentence);
  expect(within(screen.getByRole('row', { name: /llama3.3/ })).getByText('Not known')).toBeTruthy();
});

it('says what to set where no model is configured, and asks nothing of its health', async () => {
  const api = await startApi({ ...ANSWERS, listLlmProviders: { providers: [], defaultModel: '' } });
  show(<ModelsPage />);
  await screen.findByText('No model is configured');
  expect(api.sent.some(({ operation }) => operation === 'getLlmHealth')).toBe(false);
});

const USED = {
  ...{ day: '2026-11-20', provider: 'ollama', model: 'llama3.3', calls: 3 },
  ...{ cost_usd: null, unpriced_calls: 3 },
};
const BUDGET = {
  ...{ tokens_per_day: 1000, used: 400, reserved: 450, left: 150, begins_anew: IN_AN_HOUR },
  ...FREE,
};

it('shows how much of the budget is used, and what took it; of everybody to superusers', async () => {
  const own = { ...USED, user_id: 1, username: 'anna', input_tokens: 300, output_tokens: 100 };
  const program = { ...USED, user_id: null, username: null, input_tokens: 70, output_tokens: 7 };
  await startApi({
    ...ANSWERS,
    getLlmUsage: ({ path }) => ({
      usage: path.includes('all=true') ? [own, program] : [own],
      budget: BUDGET,
    }),
  });
  const { user } = show(<ModelsPage />);
  await screen.findByText(/400 of 1,000 tokens used today, 450 held for calls under way\./);
  const table = await screen.findByRole('table', { name: 'Tokens of language models by day' });
  expect(within(table).getAllByRole('row')).toHaveLength(2);
  within(table).getByRole('cell', { name: 'Ollama' });
  await user.click(screen.getByRole('checkbox', { name: 'Of all users and of Matriarch itself' }));
  await screen.findByText('Matriarch itself');
});

it('says of a use without a limit that there is none, and shows nothing of others to others', async () => {
  await startApi({
    ...ANSWERS,
    getUserInfo: { ...ADMIN, is_superuser: false, admin_permissions: [] },
    getLlmUsage: { usage: [], budget: { ...BUDGET, tokens_per_day: null, left: null, reserved: 0 } },
  });
  show(<ModelsPage />);
  await screen.findByText(/400 tokens used today; there is no limit\./);
  await screen.findByText('No call of a language model in the last 30 days.');
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('shows what it cost, and of what nobody knows the price', async () => {
  const tokens = { user_id: 1, username: 'anna', input_tokens: 300, output_tokens: 100 };
  await startApi({
    ...ANSWERS,
    getLlmUsage: {
      usage: [
        { ...USED, ...tokens, cost_usd: 0.0006, unpriced_calls: 0 },
        { ...USED, ...tokens, model: 'qwen', cost_usd: 1.5, unpriced_calls: 2 },
        { ...USED, ...tokens, model: 'phi' },
      ],
      budget: { ...BUDGET, usd_per_day: 5, used_usd: 1.5006, reserved_usd: 0.25, left_usd: 3.2494 },
    },
  });
  show(<ModelsPage />);
  await screen.findByText('$1.50 of $5.00 spent today, $0.25 held for calls under way.');
  for (const name of ['$0.0006', '$1.50 + 2 without a price', 'no price set'])
    screen.getByRole('cell', { name });
});

it('shows no cost where no price is set', async () => {
  const own = { ...USED, user_id: 1, username: 'anna', input_tokens: 300, output_tokens: 100 };
  await startApi({ ...ANSWERS, getLlmUsage: { usage: [own], budget: BUDGET } });
  show(<ModelsPage />);
  await screen.findByRole('table', { name: 'Tokens of language models by day' });
  expect(screen.queryByRole('columnheader', { name: 'Cost' })).toBeNull();
  expect(screen.queryByText(/spent today/)).toBeNull();
});

it('shows what would leave, with what was masked', async () => {
  const api = await startApi({
    ...ANSWERS,
    previewChat: {
      provider: 'ollama',
      model: 'llama3.3',
      request: { messages: [{ role: 'user', content: "select '[text 1]'" }] },
      masked: [{ kind: 'text', values: 2, reason: 'a text constant of a statement' }],
    },
  });
  const { user } = show(<ModelsPage />);
  await user.type(await screen.findByLabelText('A question or a statement'), "select 'x'");
  await user.click(screen.getByRole('button', { name: 'Show' }));
  await screen.findByText('To Ollama, llama3.3; masked: 2 values (a text constant of a statement).');
  await screen.findByText(/\[text 1\]/);
  expect(api.sent.find(({ operation }) => operation === 'previewChat')?.body).toEqual({
    messages: [{ role: 'user', content: "select 'x'" }],
  });
});

it('offers no preview where nothing can leave', async () => {
  await startApi({ ...ANSWERS, listLlmProviders: { providers: [], defaultModel: '' } });
  show(<ModelsPage />);
  await screen.findByText('No model is configured');
  expect(screen.queryByLabelText('A question or a statement')).toBeNull();
  await expect.poll(() => screen.queryByRole('region', { name: 'Use' })).toBeNull();
});
