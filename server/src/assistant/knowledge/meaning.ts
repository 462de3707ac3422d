// Finds entries by what they mean, with the vectors of whichever model makes them. Guards: what is sent are our own texts, each once for a
// model and process, in batches; whoever asks waits a moment at most, and finds by words alone where it takes longer or fails.
import { sleep } from '../../kernel/clock.ts';
import type { Entry } from './types.ts';

/** Vectors of texts, in their order, as they are made for whoever asks. */
export interface Embedder {
  /** Of provider and model: vectors of another are of no use. */
  name: string;
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

const BATCH = 100;
const PATIENCE_MS = 3000;
const PAUSE_MS = 10 * 60_000;
/** Of how many models vectors are kept. */
const MOST_MODELS = 2;

interface EmbeddedEntries {
  vectors: Map<Entry, Float32Array>;
  filling: Promise<void> | undefined;
  /** By the monotonic clock. */
  failed_at: number | undefined;
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

const textOf = ({ kind, name, text = '' }: Entry) => `${name} (${kind}): ${text}`;

export interface Meaning {
  /** How near each entry is to the question, from -1 to 1; undefined where that is not known yet. */
  nearness(query: string, embedder: Embedder): Promise<ReadonlyMap<Entry, number> | undefined>;
}

export function createMeaning(entries: readonly Entry[], now: () => number): Meaning {
  const explained = entries.filter(({ text }) => text !== undefined);
  const models = new Map<string, EmbeddedEntries>();

  const knownOf = (name: string): EmbeddedEntries => {
    const known = models.get(name) ?? { vectors: new Map(), filling: undefined, failed_at: undefined };
    models.delete(name);
    models.set(name, known);
    const [oldest] = models.keys();
    if (models.size > MOST_MODELS && oldest !== undefined) models.delete(oldest);
    return known;
  };
  const fill = async (known: EmbeddedEntries, embedder: Embedder) => {
    const missing = explained.filter((entry) => !known.vectors.has(entry));
    for (let from = 0; from < missing.length; from += BATCH) {
      const part = missing.slice(from, from + BATCH);
      const vectors = await embedder.embed(part.map(textOf));
      for (const [index, entry] of part.entries()) known.vectors.set(entry, unit(vectors[index] ?? []));
    }
  };
  const begin = (known: EmbeddedEntries, embedder: Embedder): Promise<void> => {
    if (known.vectors.size === explained.length) return Promise.resolve();
    known.filling ??= fill(known, embedder)
      .catch((error: unknown) => {
        known.failed_at = now();
        throw error;
      })
      .finally(() => {
        known.filling = undefined;
      });
    return known.filling;
  };

  return {
    async nearness(query, embedder) {
      const known = knownOf(embedder.name);
      if (known.failed_at !== undefined && now() - known.failed_at < PAUSE_MS) return undefined;
      const late = Symbol('late');
      try {
        const work = Promise.all([begin(known, embedder), embedder.embed([query])]);
        work.catch(() => undefined);
        const done = await Promise.race([work, sleep(PATIENCE_MS).then(() => late)]);
        if (!Array.isArray(done)) return undefined;
        const asked = unit(done[1][0] ?? []);
        return new Map([...known.vectors].map(([entry, vector]) => [entry, cosine(asked, vector)]));
      } catch {
        known.failed_at = now();
        return undefined;
      }
    },
  };
}
