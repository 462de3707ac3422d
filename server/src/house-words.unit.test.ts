// What alert rules and checks say is short and plain: titles that a DBA would search for, one fact a sentence, no riddles. Guards:
// measured over all of them, so that a new one is held to it as well.
import { expect, it } from 'vitest';
import { rules } from './alerting/rules/catalog.gen.ts';
import { checks } from './insight/checks/catalog.gen.ts';

const LONGEST_TITLE = 60;
const MOST_WORDS = 20;
const RIDDLES =
  /\b(?:whoever|somebody|nobody|anybody|everybody|one that|what of it|of those|is told|stands|lies|as far as is known)\b/i;

const texts = [
  ...rules.map(({ name, title, meaning, remedy, ...rest }) => ({
    name,
    title,
    prose: ['reading' in rest ? rest.reading : '', meaning, remedy],
  })),
  ...checks.map(({ name, title, meaning, advice, caution }) => ({
    name,
    title,
    prose: [meaning, advice, caution],
  })),
];

const wordsIn = (sentence: string) => sentence.split(/\s+/).filter((word) => word !== '').length;
const sentencesOf = (prose: readonly string[]) => prose.flatMap((text) => text.split(/(?<=[.:])\s/));

it('gives rules and checks short titles', () => {
  expect(texts.length).toBeGreaterThan(150);
  expect(texts.filter(({ title }) => title.length > LONGEST_TITLE || /[.!?]$/.test(title))).toEqual([]);
});

it('says one fact a sentence, in at most 20 words', () => {
  const long = texts.flatMap(({ name, prose }) =>
    sentencesOf(prose).flatMap((one) => (wordsIn(one) > MOST_WORDS ? [`${name}: ${one}`] : [])),
  );
  expect(long).toEqual([]);
});

it('says nothing in riddles', () => {
  const found = texts.flatMap(({ name, title, prose }) =>
    [title, ...prose].flatMap((one) => (RIDDLES.test(one) ? [`${name}: ${one}`] : [])),
  );
  expect(found).toEqual([]);
});

it.each(['Somebody holds a lock.', 'It stands there.', 'As far as is known, all is well.'])(
  'notices %s',
  (text) => expect(text).toMatch(RIDDLES),
);
