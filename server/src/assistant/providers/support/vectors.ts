// Vectors and ranks as providers answer them. Guards: as many as were asked for, in the order of the input, numbers only.
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import { countOf, entries, member } from '../../../kernel/read-json.ts';

const MOST_DIMENSIONS = 65_536;

export type EmbedPart = { text: string } | { image: { url: string } | { data: string; media_type: string } };

export interface Ranked {
  /** Best first; `index` is the place in the list that was sent. */
  results: { index: number; score: number }[];
  total_tokens?: number | undefined;
}

const unexpected = () => new OutboundError('failed', { code: 'UNEXPECTED_SHAPE' });

function vectorOf(value: unknown): number[] {
  const numbers = entries(value, MOST_DIMENSIONS).filter((one) => typeof one === 'number');
  if (!Array.isArray(value) || numbers.length === 0 || numbers.length !== value.length) throw unexpected();
  return numbers;
}

/** One vector for each of so many inputs. */
export function vectorsOf(values: unknown, count: number): number[][] {
  if (!Array.isArray(values) || values.length !== count) throw unexpected();
  return values.map(vectorOf);
}

/** The same where each stands with the place of its input, in any order. */
export function indexedVectors(values: unknown, count: number): number[][] {
  const all = entries(values, count + 1);
  const byIndex = new Map(all.map((one) => [member(one, 'index'), member(one, 'embedding')]));
  if (all.length !== count) throw unexpected();
  return vectorsOf(
    Array.from({ length: count }, (_, index) => byIndex.get(index)),
    count,
  );
}

export function ranksOf(answer: unknown, count: number): Ranked {
  const found = member(answer, 'results');
  if (!Array.isArray(found)) throw unexpected();
  const results = entries(found, count).map((one) => {
    const [index, score] = [member(one, 'index'), member(one, 'relevance_score')];
    const isPlace = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < count;
    if (!isPlace || typeof score !== 'number') throw unexpected();
    return { index, score };
  });
  if (new Set(results.map(({ index }) => index)).size !== results.length) throw unexpected();
  const total_tokens = countOf(member(member(answer, 'usage'), 'total_tokens'));
  return { results: results.toSorted((a, b) => b.score - a.score), total_tokens };
}
