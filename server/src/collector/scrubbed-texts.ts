// What came of the statements that were scrubbed last, since servers send the same ones again and again. Guards: no
// statement stays in memory as it came, only its digest, and so many results that a server with ever new statements
// takes no more than others.
import { hash } from 'node:crypto';

/** Of each of two generations. */
const MOST_TEXTS = 2000;
const MOST_CHARACTERS = 256 * 1024;

/** Undefined: nothing was blanked, so that the text that comes is the one that is kept. */
type Result = string | undefined;

export class ScrubbedTexts {
  readonly #scrub: (text: string) => string;
  #young = new Map<string, Result>();
  #old = new Map<string, Result>();
  #characters = 0;

  constructor(scrub: (text: string) => string) {
    this.#scrub = scrub;
  }

  of(text: string): string {
    const key = hash('sha256', text, 'base64');
    if (this.#young.has(key)) return this.#young.get(key) ?? text;
    const result = this.#old.has(key) ? this.#old.get(key) : this.#made(text);
    this.#keep(key, result);
    return result ?? text;
  }

  /** How many results are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #made(text: string): Result {
    const scrubbed = this.#scrub(text);
    return scrubbed === text ? undefined : scrubbed;
  }

  /** What nobody asked for while the younger generation filled up goes with the older one. */
  #keep(key: string, result: Result): void {
    const characters = result?.length ?? 0;
    if (this.#young.size >= MOST_TEXTS || this.#characters + characters > MOST_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(key, result);
    this.#characters += characters;
  }
}
