// Lines that something else carries, one after the other: pieces of a line are put together, and what holds several lines is read line by
// line. Guards: memory stays bounded; each line of the file is counted once, in an event or as skipped.
import type { Carried } from './envelope.ts';
import { prefixOfLine } from './prefix.ts';
import type { Framed, LineOutcome } from './stderr.ts';

const LONGEST_LINE = 10 * 1024 * 1024;
/** Streams whose line is not whole yet. */
const MOST_OPEN = 256;

const TAB = 9;

/** Whether what is carried is a line of a server. */
export const isOfServer = ({ text }: Carried): boolean =>
  text.charCodeAt(0) === TAB || prefixOfLine(text.split('\n', 1)[0] ?? '') !== undefined;

interface Piece {
  text: string;
  lines: number;
}

export interface CarrierOptions {
  /** Reads one line of PostgreSQL; `lines` is how many lines of the file it stands for. */
  read(line: string, framed: Framed, lines: number): LineOutcome;
  /** Pieces that turned out to be none of PostgreSQL. */
  skip(lines: number): void;
}

export class Carrier {
  readonly #options: CarrierOptions;
  readonly #pieces = new Map<string, Piece>();

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  /** `held`: a piece that is counted with the rest of its line. */
  take(carried: Carried, lines = 1): LineOutcome | 'held' {
    const { stream, isPartial, text } = carried;
    const before = this.#pieces.get(stream);
    const room = LONGEST_LINE - (before?.text.length ?? 0);
    const piece = {
      text: (before?.text ?? '') + text.slice(0, Math.max(0, room)),
      lines: (before?.lines ?? 0) + lines,
    };
    this.#pieces.delete(stream);
    if (isPartial && this.#pieces.size < MOST_OPEN) {
      this.#pieces.set(stream, piece);
      return 'held';
    }
    const outcome = this.#read(piece, carried);
    // This line is counted by the caller.
    if (outcome !== 'taken' && piece.lines > 1) this.#options.skip(piece.lines - 1);
    return outcome;
  }

  end(): void {
    for (const piece of this.#pieces.values())
      if (this.#read(piece, { time: Number.NaN, pid: '', stream: '' }) !== 'taken')
        this.#options.skip(piece.lines);
    this.#pieces.clear();
  }

  #read({ text, lines }: Piece, framed: Framed): LineOutcome {
    let outcome: LineOutcome = 'foreign';
    // Where lines that go on have their tab, others are of other programs.
    const isEntry = !text.includes('\n\t');
    for (const line of text.split('\n')) {
      const own = outcome === 'taken' ? 0 : lines;
      const one = this.#options.read(line, framed, own);
      // A text of several lines has no tab where it goes on.
      if (one === 'foreign' && outcome === 'taken' && isEntry) this.#options.read(`\t${line}`, framed, 0);
      else if (one !== 'foreign' || outcome !== 'taken') outcome = outcome === 'taken' ? 'taken' : one;
    }
    return outcome;
  }
}
