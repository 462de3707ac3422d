// Numbers as bytes: unsigned varints, also of whole numbers beyond 32 and 53 bits, and the reader that takes them back.

export class Bytes {
  #data = new Uint8Array(256);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#data.length) {
      const grown = new Uint8Array(this.#data.length * 2);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.#length] = value;
    this.#length += 1;
  }

  /** A whole number from 0 on, up to 2^53 - 1. */
  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  bigVarint(value: bigint): void {
    let rest = value;
    while (rest > 0x7fn) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  all(values: Uint8Array): void {
    for (const value of values) this.byte(value);
  }

  take(): Uint8Array {
    return this.#data.slice(0, this.#length);
  }
}

/** Reads what `Bytes` wrote; beyond its end is an error, never an endless loop. */
export class Cursor {
  readonly #data: Uint8Array;
  #at: number;

  constructor(data: Uint8Array, at = 0) {
    this.#data = data;
    this.#at = at;
  }

  byte(): number {
    const value = this.#data[this.#at];
    if (value === undefined) throw new Error('packed values end too early');
    this.#at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  bigVarint(): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  }

  some(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#data.length) throw new Error('packed values end too early');
    const part = this.#data.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  rest(): Uint8Array {
    return this.#data.subarray(this.#at);
  }
}
