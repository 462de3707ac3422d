// Texts that were made of something and can be sent again while that is still in the same state, which whoever asks
// compares. It knows no rights. Guards: what is kept stays within its size; what was made longest ago goes first.

export interface KeptText {
  state: string;
  text: string;
}

export class KeptTexts<K> {
  readonly #mostCharacters: number;
  readonly #kept = new Map<K, KeptText>();
  #characters = 0;

  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  /** The last text of `key`, with the state that it was made of. */
  find(key: K): KeptText | undefined {
    return this.#kept.get(key);
  }

  keep(key: K, state: string, text: string): void {
    this.#drop(key);
    this.#kept.set(key, { state, text });
    this.#characters += state.length + text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#mostCharacters) return;
      this.#drop(oldest);
    }
  }

  get size(): number {
    return this.#kept.size;
  }

  #drop(key: K): void {
    const gone = this.#kept.get(key);
    if (!gone) return;
    this.#kept.delete(key);
    this.#characters -= gone.state.length + gone.text.length;
  }
}
