// A Bloom filter of the words of a block of lines, so that a search reads only blocks that may have them. A word is a run of ASCII letters and
// digits, in any case. Pure. Guards: a word that is there is never missed; time is in line with the length.

const BITS_OF_A_WORD = 24;
const PROBES = 3;
const LEAST_BYTES = 64;
const MOST_BYTES = 64 * 1024;
const START = 0x811c9dc5;
const PRIME = 0x01000193;

/** The code of an ASCII letter, as its small one, or of a digit; 0: no part of a word. */
function wordCode(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code;
  if (code >= 0x30 && code <= 0x39) return code;
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : 0;
}

export const isWordCode = (code: number): boolean => wordCode(code) !== 0;

/** Adds the hash of each word of a text. */
export function addWords(hashes: Set<number>, text: string): void {
  let hash = START;
  let isWord = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = wordCode(text.charCodeAt(at));
    if (code === 0) {
      if (isWord) hashes.add(hash >>> 0);
      hash = START;
      isWord = false;
    } else {
      hash = Math.imul(hash ^ code, PRIME);
      isWord = true;
    }
  }
  if (isWord) hashes.add(hash >>> 0);
}

export const FIELDS = ['database_name', 'user_name', 'application_name', 'process_id', 'queryid'] as const;
export type FilterField = (typeof FIELDS)[number];

/** The hash of a value of a field, which is none of a word. */
export function fieldHash(field: FilterField, value: string): number {
  let hash = Math.imul(START ^ (FIELDS.indexOf(field) + 1), PRIME);
  for (let at = 0; at < value.length; at += 1) hash = Math.imul(hash ^ value.charCodeAt(at), PRIME);
  return hash >>> 0;
}

/** The step between the probes of a word. */
function stepOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
}

/** The bits of a word, before they are taken modulo the bits of a filter. */
export function probesOf(hash: number): number[] {
  const step = stepOf(hash);
  return Array.from({ length: PROBES }, (_none, at) => hash + at * step);
}

export function filterOf(hashes: ReadonlySet<number>): Buffer {
  const wanted = Math.ceil((hashes.size * BITS_OF_A_WORD) / 8);
  const filter = Buffer.alloc(Math.min(MOST_BYTES, Math.max(LEAST_BYTES, wanted)));
  const bits = filter.length * 8;
  for (const hash of hashes)
    for (const probe of probesOf(hash)) {
      const bit = probe % bits;
      const at = bit >>> 3;
      filter[at] = (filter[at] ?? 0) | (1 << (bit & 7));
    }
  return filter;
}
