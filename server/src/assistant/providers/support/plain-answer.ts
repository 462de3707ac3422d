// Answers of models are mostly pieces of text, thousands a second where many people ask: those are read here, straight from the
// bytes, and all the rest of an answer by the SDK of its provider, from the first message on that is more than such a piece.
// Guards: no message is read by both of them or by neither; what the SDK would refuse, it gets to see; lengths are bounded.
import { OutboundError } from '../../../kernel/http/outbound-error.ts';
import { type Opened, responseOver } from '../../../kernel/http/streamed.ts';
import type { Transport } from '../../../kernel/http/transport.ts';

const LONGEST_MESSAGE = 4 * 1024 * 1024;
const MOST_HELD = 64 * 1024;

/** A message that says nothing by itself, and that the SDK needs for what comes later. */
export const HELD = Symbol('held');

/**
 * The text of a message that is a piece of text and nothing else; empty where it says nothing to anybody, as thoughts do.
 * Undefined for everything else: from there on the SDK reads.
 */
export type PlainText = (message: unknown) => string | typeof HELD | undefined;

interface Framing {
  /** Where the message that begins at `from` ends, with what parts it from the next one; -1 while it is not whole. */
  end(text: string, from: number): number;
  /** Its JSON; empty for a comment, undefined where it is more than one line of data. */
  json(message: string): string | undefined;
}

const lines: Framing = {
  end: (text, from) => text.indexOf('\n', from) + 1 || -1,
  json: (message) => message.trim(),
};

const events: Framing = {
  end(text, from) {
    for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
      if (text[at + 1] === '\n') return at + 2;
      if (text[at + 1] === '\r' && text[at + 2] === '\n') return at + 3;
    }
    return -1;
  },
  json(message) {
    let data: string | undefined;
    for (const line of message.trimEnd().split('\n')) {
      if (line.startsWith('data:')) {
        if (data !== undefined) return undefined;
        data = line.slice(5);
      } else if (!/^(:|event:|id:|retry:|\r?$)/.test(line)) return undefined;
    }
    // An event without data is nothing that any of them sends.
    return data === '' ? undefined : (data ?? '');
  },
};

function framingOf(type: string): Framing | undefined {
  if (type.includes('ndjson')) return lines;
  return type.includes('event-stream') ? events : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Whoever reads on says what is wrong with it.
    return undefined;
  }
}

/** The answer to one request that an SDK writes: pieces of text first, and what remains for the SDK. */
export class PlainAnswer {
  readonly #plain: PlainText | undefined;
  readonly #decoder = new TextDecoder();
  readonly #opened = Promise.withResolvers<Opened>();
  readonly #remains = Promise.withResolvers<Response>();
  #framing: Framing | undefined;
  #held = '';
  #begun = '';
  #isOver = false;

  constructor(plain: PlainText | undefined) {
    this.#plain = plain;
    this.#remains.promise.catch(() => undefined);
  }

  /** For the SDK: its request is sent at once, and answered with what remains. */
  fetch(transport: Transport): Transport['fetch'] {
    return async (input, init) => {
      if (!this.#plain) return transport.fetch(input, init);
      this.#opened.resolve(await transport.open(input, init));
      return this.#remains.promise;
    };
  }

  /** The next pieces of text; undefined when the SDK reads on. Rejects as `failing` does while there is no answer. */
  async next(failing: PromiseLike<unknown>): Promise<string[] | undefined> {
    if (!this.#plain) return undefined;
    if (!this.#framing) {
      await Promise.race([this.#opened.promise, failing]);
      const { type } = await this.#opened.promise;
      this.#framing = framingOf(type);
    }
    const opened = await this.#opened.promise;
    while (this.#framing && !this.#isOver) {
      const { done, value } = await opened.bytes.next();
      if (done) break;
      const texts = this.#read(this.#framing, this.#plain, this.#decoder.decode(value, { stream: true }));
      if (texts.length > 0) return texts;
    }
    this.#remains.resolve(responseOver({ ...opened, bytes: this.#rest(opened) }));
    return undefined;
  }

  /** Nobody reads any more. */
  leave(): void {
    void this.#opened.promise.then((opened) => opened.leave());
    this.#remains.reject(new OutboundError('failed', { code: 'LEFT' }));
  }

  #read({ end, json }: Framing, plain: PlainText, text: string): string[] {
    const all = this.#begun + text;
    const texts: string[] = [];
    let from = 0;
    for (let to = end(all, 0); to > 0; to = end(all, from)) {
      const message = all.slice(from, to);
      const data = json(message);
      const said = data === undefined || data === '' ? data : plain(parsed(data));
      if (said === undefined) {
        this.#isOver = true;
        break;
      }
      if (said === HELD) this.#held += message;
      else if (said !== '') texts.push(said);
      from = to;
    }
    this.#begun = all.slice(from);
    this.#isOver ||= this.#held.length > MOST_HELD;
    if (!this.#isOver && this.#begun.length > LONGEST_MESSAGE)
      throw new OutboundError('failed', { code: 'ANSWER_TOO_LONG' });
    return texts;
  }

  async *#rest({ bytes }: Opened): AsyncGenerator<Uint8Array, void> {
    const encoder = new TextEncoder();
    try {
      const kept = this.#held + this.#begun;
      if (kept !== '') yield encoder.encode(kept);
      // What was cut within a character is still in the decoder.
      for await (const chunk of bytes) yield encoder.encode(this.#decoder.decode(chunk, { stream: true }));
      const last = this.#decoder.decode();
      if (last !== '') yield encoder.encode(last);
    } finally {
      await bytes.return();
    }
  }
}
