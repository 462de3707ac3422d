// Lines of bytes that come in pieces. Guards: memory stays bounded whatever comes: of a line that is longer than events may be, the
// rest is read and left out; CRLF, also with more than one CR, is one end of a line, and so is CR in a file without LF; every line is counted, also the last one without an end.

/** The longest line that is kept: that of a plan. */
const LONGEST_LINE = 10 * 1024 * 1024;
const RETURN = 13;

/** One character a byte; `isCut` where something of the line was left out. */
export type TakeLine = (line: string, isCut: boolean) => void;

export class LineSplitter {
  readonly #take: TakeLine;
  #rest = '';
  #isCut = false;
  /** Known from the first piece. */
  #hasReturnsAlone: boolean | undefined;

  constructor(take: TakeLine) {
    this.#take = take;
  }

  push(bytes: Buffer): void {
    const text = this.#withEnds(bytes.toString('latin1'));
    let start = 0;
    let end = text.indexOf('\n');
    if (end !== -1 && (this.#rest !== '' || this.#isCut)) {
      this.#keep(text.slice(0, end));
      this.#finish();
      start = end + 1;
      end = text.indexOf('\n', start);
    }
    for (; end !== -1; end = text.indexOf('\n', start)) {
      let last = end;
      while (last > start && text.charCodeAt(last - 1) === RETURN) last -= 1;
      this.#take(text.slice(start, last), false);
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /** As old editors wrote files: at least two lines that end so, and none that ends otherwise. */
  #withEnds(text: string): string {
    this.#hasReturnsAlone ??= text.indexOf('\r') < text.lastIndexOf('\r') && !text.includes('\n');
    return this.#hasReturnsAlone ? text.replaceAll('\r', '\n') : text;
  }

  end(): void {
    if (this.#rest !== '' || this.#isCut) this.#finish();
  }

  #keep(more: string): void {
    const room = LONGEST_LINE - this.#rest.length;
    if (more.length > room) this.#isCut = true;
    this.#rest += more.length > room ? more.slice(0, Math.max(0, room)) : more;
  }

  #finish(): void {
    const line = this.#rest.replace(/(?<!\r)\r+$/, '');
    const isCut = this.#isCut;
    this.#rest = '';
    this.#isCut = false;
    this.#take(line, isCut);
  }
}
