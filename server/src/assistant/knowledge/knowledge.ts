// The knowledge base: what is known of PostgreSQL 14 to 19, found by words and, where vectors can be made, by meaning as well. Guards: a
// name that was asked for stays first whatever a model finds near.
import { systemClock } from '../../kernel/clock.ts';
import { knowledgeEntries } from './entries.ts';
import { createMeaning, type Embedder } from './meaning.ts';
import { createWordIndex, type WordIndex } from './search.ts';
import type { Entry } from './types.ts';
import type { Version } from './versions.ts';

export type { Embedder } from './meaning.ts';
export type { Entry } from './types.ts';
export { VERSIONS, type Version } from './versions.ts';

export interface KnowledgeQuery {
  query: string;
  versions: readonly Version[];
  limit: number;
  embedder?: Embedder | undefined;
}

export interface KnowledgeAnswer {
  entries: Entry[];
  /** Meaning was looked at too. */
  by_meaning: boolean;
}

export interface Knowledge {
  count(): number;
  search(wanted: KnowledgeQuery): Promise<KnowledgeAnswer>;
}

const CANDIDATES = 50;
/** Places count, not scores, which cannot be compared: 1 / (60 + place) from each side. */
const RANK_OFFSET = 60;
/** From here on it is a name that was asked for. */
const IS_NAME = 40;

function merged(byWords: readonly { entry: Entry; score: number }[], byMeaning: readonly Entry[]): Entry[] {
  const named = byWords.filter(({ score }) => score >= IS_NAME).map(({ entry }) => entry);
  const scores = new Map<Entry, number>();
  const count = (entry: Entry, place: number) =>
    scores.set(entry, (scores.get(entry) ?? 0) + 1 / (RANK_OFFSET + place));
  for (const [place, { entry }] of byWords.entries()) count(entry, place);
  for (const [place, entry] of byMeaning.entries()) count(entry, place);
  const rest = [...scores].toSorted((a, b) => b[1] - a[1]).map(([entry]) => entry);
  return [...new Set([...named, ...rest])];
}

export function createKnowledge(
  load: () => readonly Entry[] = knowledgeEntries,
  now: () => number = () => systemClock.monotonic(),
): Knowledge {
  let made: { words: WordIndex; meaning: ReturnType<typeof createMeaning> } | undefined;
  const index = () => {
    made ??= { words: createWordIndex(load()), meaning: createMeaning(load(), now) };
    return made;
  };
  return {
    count: () => load().length,
    async search({ query, versions, limit, embedder }) {
      const { words, meaning } = index();
      const byWords = words.search(query, { versions, limit: CANDIDATES });
      const near = embedder && (await meaning.nearness(query, embedder));
      if (!near) return { entries: byWords.slice(0, limit).map(({ entry }) => entry), by_meaning: false };
      const byMeaning = [...near]
        .filter(([entry]) => entry.versions.some((version: Version) => versions.includes(version)))
        .toSorted((a, b) => b[1] - a[1])
        .slice(0, CANDIDATES)
        .map(([entry]) => entry);
      return { entries: merged(byWords, byMeaning).slice(0, limit), by_meaning: true };
    },
  };
}
