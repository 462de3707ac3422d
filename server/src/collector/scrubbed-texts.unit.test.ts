import { expect, it } from 'vitest';
import { ScrubbedTexts } from './scrubbed-texts.ts';

const counted = () => {
  const seen: string[] = [];
  const texts = new ScrubbedTexts((text) => {
    seen.push(text);
    return text.replace(/secret \w+/, 'secret ***');
  });
  return { seen, texts };
};

it('scrubs a text once, whether something was blanked or not', () => {
  const { seen, texts } = counted();
  for (const text of ['select 1', 'a secret x', 'select 1', 'a secret x', 'a secret y'])
    expect(texts.of(text)).toBe(text.replace(/secret \w+/, 'secret ***'));
  expect(seen).toEqual(['select 1', 'a secret x', 'a secret y']);
});

it('keeps those that are asked for, and not ever more of those that are not', () => {
  const { seen, texts } = counted();
  for (let round = 0; round < 20_000; round += 1) {
    expect(texts.of(`select ${round} as secret s${round}`)).toBe(`select ${round} as secret ***`);
    texts.of('a secret of all');
  }
  expect(texts.size).toBeLessThanOrEqual(4000);
  expect(seen.filter((text) => text === 'a secret of all')).toHaveLength(1);
});

it('keeps few of those that are long', () => {
  const { texts } = counted();
  for (let round = 0; round < 200; round += 1) texts.of(`secret s${round} ${'x'.repeat(8000)}`);
  expect(texts.size).toBeLessThan(70);
});
