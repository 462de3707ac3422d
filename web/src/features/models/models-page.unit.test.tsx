// The page of language models: what is configured, whether it answers, and what it says where nothing is.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../testing/api.ts';
import { ADMIN, show } from '../../testing/show.tsx';
import { ModelsPage } from './models-page.tsx';

const OLLAMA = {
  ...{ name: 'ollama', display_name: 'Ollama', display: 'Ollama', model: 'llama3.3' },
  ...{ default: true, isDefault: true },
};
const ANSWERS: Answers = {
  getUserInfo: ADMIN,
  listLlmProviders: { providers: [OLLAMA], default_provider: 'ollama', defaultModel: 'llama3.3' },
  getLlmHealth: { status: 'ok', providers: { ollama: { status: 'ok' } } },
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
