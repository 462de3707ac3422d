import { expect, it } from 'vitest';
import { dollarsOf, nanodollarsOf, PRICE, Prices } from './prices.ts';

const prices = new Prices([
  'anthropic/claude-x=3/15',
  'openai/*=0.15/0.6',
  'openai/o:1/b=2.125/0',
  'ollama/*=0/0',
]);
const million = { input: 1_000_000, output: 1_000_000 };

it('tells what tokens cost by the price of the model, else of the provider', () => {
  const dollars = (provider: string, model: string) =>
    dollarsOf(prices.cost({ provider, model }, million) ?? Number.NaN);
  expect(dollars('anthropic', 'claude-x')).toBe(18);
  expect(dollars('openai', 'anything')).toBe(0.75);
  expect(dollars('openai', 'o:1/b')).toBe(2.125);
  expect(dollars('ollama', 'llama')).toBe(0);
  expect(prices.cost({ provider: 'openai', model: 'x' }, { input: 7, output: 1 })).toBe(7 * 150 + 600);
});

it('knows no price of others', () => {
  expect(prices.cost({ provider: 'anthropic', model: 'claude-y' }, million)).toBeUndefined();
  expect(prices.cost({ provider: 'gemini', model: '*' }, million)).toBeUndefined();
});

it.each([
  'claude=3/15',
  'anthropic/claude-x',
  'anthropic/claude-x=3',
  'a/b=-1/2',
  'a/b=1.2345/2',
  'a/b=1e9/2',
  'a/b=1/x',
])('%s is no price', (one) => expect(PRICE.test(one)).toBe(false));

it('keeps dollars exact to the thousand-millionth', () => {
  expect(nanodollarsOf(0.1) + nanodollarsOf(0.2)).toBe(nanodollarsOf(0.3));
});
