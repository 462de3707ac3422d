// Finds entries by words, without a model: names first, whole or by their beginning, then words by how rare they are (BM25). Guards: the
// same question has the same answer; work grows with the number of entries alone.

import { namesIn, type SearchedName, wholeName, wordsOf } from './search-terms.ts';
import type { Entry } from './types.ts';
import type { Version } from './versions.ts';

export interface SearchHit {
  entry: Entry;
  score: number;
}

interface Indexed {
  entry: Entry;
  name: string;
  also: ReadonlySet<string>;
  /** Word → how much of it. */
  words: ReadonlyMap<string, number>;
  length: number;
}

const WEIGHTS = { name: 2.5, also: 1, text: 2, facts: 0.5 } as const;
const [K1, B] = [1.2, 0.6];
const WHOLE_NAME = { sure: 60, unsure: 6 };
const OTHER_NAME = { sure: 25, unsure: 2 };
const NAME_BEGINS = { sure: 20, unsure: 4 };
const SHORTEST_BEGINNING = 3;
/** What is explained is of more use than bare facts. */
const EXPLAINED = 1.4;

function indexOf(entry: Entry): Indexed {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(`${entry.name} ${entry.kind}`, WEIGHTS.name);
  // Of a view with many columns each tells little.
  const each = WEIGHTS.also / Math.max(1, Math.sqrt(entry.also.length / 2));
  for (const also of entry.also) add(also, each);
  add(entry.text ?? '', WEIGHTS.text);
  if (entry.kind === 'parameter') add(entry.facts.join(' '), WEIGHTS.facts);
  return {
    ...{ entry, words, name: wholeName(entry.name) },
    also: new Set(entry.also.map(wholeName)),
    length: [...words.values()].reduce((sum, weight) => sum + weight, 0),
  };
}

export interface WordIndex {
  /** Best first; those that no word fits are left out. */
  search(query: string, wanted: { versions: readonly Version[]; limit: number }): SearchHit[];
}

export function createWordIndex(entries: readonly Entry[]): WordIndex {
  const all = entries.map(indexOf);
  const average = all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length);
  const holding = new Map<string, number>();
  for (const { words } of all)
    for (const word of words.keys()) holding.set(word, (holding.get(word) ?? 0) + 1);

  const rarity = (word: string) => {
    const count = holding.get(word) ?? 0;
    return Math.log(1 + (all.length - count + 0.5) / (count + 0.5));
  };
  const ofWord = ({ words, length }: Indexed, word: string) => {
    const count = words.get(word) ?? 0;
    return (rarity(word) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
  };
  const ofName = ({ name, also }: Indexed, { name: asked, as }: SearchedName) => {
    const how = as === 'word' ? 'unsure' : 'sure';
    if (asked === name) return WHOLE_NAME[how];
    if (also.has(asked)) return OTHER_NAME[how];
    const begins = as !== 'joined' && asked.length >= SHORTEST_BEGINNING && name.startsWith(asked);
    return begins ? (NAME_BEGINS[how] * asked.length) / name.length : 0;
  };

  return {
    search(query, { versions, limit }) {
      const words = [...new Set(wordsOf(query))];
      const names = namesIn(query);
      const found = all
        .filter(({ entry }) => entry.versions.some((version) => versions.includes(version)))
        .map((one): SearchHit => {
          const byWords = words.reduce((sum, word) => sum + ofWord(one, word), 0);
          const byName = names.reduce((most, name) => Math.max(most, ofName(one, name)), 0);
          const score = byName + byWords * (one.entry.text === undefined ? 1 : EXPLAINED);
          return { entry: one.entry, score };
        })
        .filter(({ score }) => score > 0);
      const order = found.toSorted((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
      return order.slice(0, limit);
    },
  };
}
