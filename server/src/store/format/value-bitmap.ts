// Which of many places have a value, as a bit each, and how many do before one of them. Pure. Guards: a bit that is read says the
// same on every machine.

/** Places that are counted together: sixteen words of bits. */
const TOGETHER = 512;

function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export class KnownPlaces {
  /** Of all of them. */
  readonly many: number;
  readonly #bits: Uint8Array;
  readonly #words: DataView;
  readonly #before: Uint32Array;

  constructor(bits: Uint8Array) {
    const whole = new Uint8Array(Math.ceil((bits.length * 8) / TOGETHER) * (TOGETHER / 8));
    whole.set(bits);
    this.#bits = whole;
    this.#words = new DataView(whole.buffer);
    this.#before = new Uint32Array(whole.length / (TOGETHER / 8));
    let many = 0;
    for (let at = 0; at < whole.length; at += 4) {
      if (at % (TOGETHER / 8) === 0) this.#before[at / (TOGETHER / 8)] = many;
      const word = this.#words.getUint32(at, true);
      if (word !== 0) many += bitsIn(word);
    }
    this.many = many;
  }

  has(place: number): boolean {
    return (((this.#bits[place >>> 3] ?? 0) >>> (place & 7)) & 1) === 1;
  }

  /** How many there are before it, which may be the end. */
  before(place: number): number {
    const first = Math.floor(place / TOGETHER);
    if (first >= this.#before.length) return this.many;
    let many = this.#before[first] ?? 0;
    const last = (place >>> 5) << 2;
    for (let at = first * (TOGETHER / 8); at < last; at += 4) many += bitsIn(this.#words.getUint32(at, true));
    const rest = place & 31;
    return rest === 0 ? many : many + bitsIn(this.#words.getUint32(last, true) & ((1 << rest) - 1));
  }
}
