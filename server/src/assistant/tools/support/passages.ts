// Passages of rows that a search found, chosen so that they are near to the question and do not say the same twice. Pure. Guards: work and
// output are bounded, whatever the rows hold.
import { cutText } from '../../../kernel/inert-text.ts';
import { wordsOf } from '../../knowledge/search-terms.ts';

export interface FoundRow {
  /** What tells the row from others. */
  key: string;
  distance: number;
  text: string;
}

export interface Passage {
  key: string;
  distance: number;
  text: string;
}

export interface Choice {
  question: string;
  most: number;
  /** Of one passage. */
  chunk_tokens: number;
  /** Of all of them. */
  output_tokens: number;
  /** From 0, where they only have to differ, to 1, where they only have to be near. */
  lambda: number;
}

const CHARACTERS_A_TOKEN = 4;
/** More of a row is not looked at. */
const MOST_OF_ROW = 20;
/** How much the row counts, and how much the words that a passage shares with the question. */
const [OF_ROW, OF_WORDS] = [0.7, 0.3];

/** Pieces of at most so many characters, cut between words where there are any. */
export function cut(text: string, size: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest !== '' && pieces.length < MOST_OF_ROW) {
    const space = rest.length > size ? rest.lastIndexOf(' ', size) : -1;
    const end = rest.length <= size ? rest.length : space > size / 2 ? space : size;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return pieces;
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const both = [...a].filter((word) => b.has(word)).length;
  return both / (a.size + b.size - both);
}

interface Candidate extends Passage {
  words: ReadonlySet<string>;
  near: number;
}

function candidatesOf(rows: readonly FoundRow[], { question, chunk_tokens }: Choice): Candidate[] {
  const distances = rows.map(({ distance }) => distance);
  const least = distances.reduce((a, b) => Math.min(a, b), Infinity);
  const span = distances.reduce((a, b) => Math.max(a, b), -Infinity) - least;
  const asked = new Set(wordsOf(question));
  return rows.flatMap(({ key, distance, text }) =>
    cut(text, chunk_tokens * CHARACTERS_A_TOKEN).map((piece) => {
      const words = new Set(wordsOf(piece));
      const hit = [...asked].filter((word) => words.has(word)).length / Math.max(1, asked.size);
      const row = span > 0 ? 1 - (distance - least) / span : 1;
      return { key, distance, text: piece, words, near: OF_ROW * row + OF_WORDS * hit };
    }),
  );
}

/** Best first, each the one that is nearest and least like those before it (maximal marginal relevance). */
export function choosePassages(rows: readonly FoundRow[], choice: Choice): Passage[] {
  const { most, output_tokens, lambda } = choice;
  const left = candidatesOf(rows, choice).map((one) => ({ ...one, likeness: 0 }));
  const chosen: Passage[] = [];
  let room = output_tokens * CHARACTERS_A_TOKEN;
  while (left.length > 0 && chosen.length < most) {
    const score = ({ near, likeness }: (typeof left)[number]) => lambda * near - (1 - lambda) * likeness;
    const best = left.reduce((a, b) => (score(b) > score(a) ? b : a));
    left.splice(left.indexOf(best), 1);
    if (best.text.length > room && chosen.length > 0) break;
    const text = cutText(best.text, room);
    chosen.push({ key: best.key, distance: best.distance, text });
    room -= text.length;
    for (const other of left) other.likeness = Math.max(other.likeness, shared(best.words, other.words));
  }
  return chosen;
}
