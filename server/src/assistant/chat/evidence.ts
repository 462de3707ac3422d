// Which figures of an answer stand in what was looked up for it, and where. Pure and the same each time. Guards: a figure that stands
// nowhere is never called proven; the work grows with the length of the texts, whatever is in them.
import { cutText } from '../../kernel/inert-text.ts';
import { type Figure, figuresIn, type Kind, unitOfName } from './figures.ts';

/** What was looked up in one step. */
export interface StepAnswer {
  number: number;
  text: string;
  /** Lines of its tables, where that is known. */
  rows?: number | null;
  link: string | null;
}

export interface JudgedFigure {
  text: string;
  /** UTF-16 units of the whole answer. */
  start: number;
  end: number;
  is_proven: boolean;
  step?: number;
  link?: string;
}

const MOST_JUDGED = 500;
const LONGEST_ANSWER = 200_000;
const LONGEST_SOURCE = 400_000;
/** What "about" allows. */
const ABOUT = 0.05;
const APPROXIMATE =
  /(?:\b(?:about|around|roughly|approximately|nearly|almost|some|over|under|than)|[~≈])\s?$/i;
const MARKER = /(?:^|\n)(?:[^\S\n]|[>#*-])*$/;

interface ProvenValue {
  value: number;
  step: number;
}

/** To the second, in UTC, in which tools write. */
const plainMoment = (text: string) =>
  text
    .replace(' ', 'T')
    .replace(/(:\d\d)\.\d+/, '$1')
    .replace(/(:\d\d)(?:Z|[+-]00(?::?00)?)$/, '$1')
    .replace(/^(\d):/, '0$1:');

/** Values in order, found by halving. */
class Values {
  readonly #all: ProvenValue[] = [];
  #isSorted = true;

  add(value: number, step: number): void {
    if (!Number.isFinite(value)) return;
    this.#all.push({ value: Math.abs(value), step });
    this.#isSorted = false;
  }

  /** The step of one that is no further away. */
  near(value: number, within: number): number | undefined {
    if (!this.#isSorted) this.#all.sort((a, b) => a.value - b.value || a.step - b.step);
    this.#isSorted = true;
    const wanted = Math.abs(value);
    const allowed = within + wanted * 1e-9;
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle]?.value ?? 0) < wanted - allowed) low = middle + 1;
      else high = middle;
    }
    const found = this.#all[low];
    return found && found.value <= wanted + allowed ? found.step : undefined;
  }
}

class Facts {
  readonly #by: Record<Exclude<Kind, 'text'>, Values> = {
    ...{ plain: new Values(), bytes: new Values(), time: new Values(), percent: new Values() },
  };
  /** Numbers without a unit, which may be of any. */
  readonly #bare = new Values();
  readonly #texts = new Map<string, number>();

  add(figure: Figure, step: number, name: string | undefined): void {
    if (figure.kind === 'text') {
      this.#addText(figure.text, step);
      return;
    }
    this.#by.plain.add(figure.written, step);
    for (const value of figure.values) this.#by[figure.kind].add(value, step);
    if (figure.kind !== 'plain') return;
    const unit = name === undefined ? undefined : unitOfName(name);
    if (unit && unit.kind !== 'text')
      for (const factor of unit.factors) this.#by[unit.kind].add(figure.written * factor, step);
    else this.#bare.add(figure.written, step);
  }

  addCount(count: number, step: number): void {
    this.#by.plain.add(count, step);
  }

  /** A moment also stands for its day, its minute and its second; a span is so many seconds too. */
  #addText(text: string, step: number): void {
    const plainText = plainMoment(text);
    const [day = '', clock = ''] = /^\d{4}-/.test(text) ? plainText.split('T') : ['', plainText];
    const forms = [plainText, day, clock.slice(0, 5), clock.slice(0, 8), `${day}T${clock.slice(0, 5)}`];
    for (const form of forms) if (form.length > 2 && !this.#texts.has(form)) this.#texts.set(form, step);
    const [hours, minutes, seconds] = text.split(':').map(Number);
    if (day === '' && hours !== undefined && minutes !== undefined && seconds !== undefined)
      this.#by.time.add(hours * 3600 + minutes * 60 + seconds, step);
  }

  find(figure: Figure, isAbout: boolean): number | undefined {
    const { kind, values, within } = figure;
    if (kind === 'text') return this.#texts.get(plainMoment(figure.text));
    for (const [index, value] of values.entries()) {
      const half = within[index] ?? 0;
      const allowed = isAbout ? Math.max(half, Math.abs(value) * ABOUT) : half;
      const step = this.#by[kind].near(value, allowed) ?? this.#asBare(kind, value, allowed);
      if (step !== undefined) return step;
    }
    return undefined;
  }

  /** Where nothing names the unit: bytes, seconds and thousandths of them, and shares of 1 and of 100. */
  #asBare(kind: Exclude<Kind, 'text'>, value: number, allowed: number): number | undefined {
    if (kind === 'plain') return undefined;
    const factors = kind === 'bytes' ? [1] : kind === 'time' ? [1, 1e3, 1e6] : [1, 0.01];
    for (const factor of factors) {
      const step = this.#bare.near(value * factor, allowed * factor);
      if (step !== undefined) return step;
    }
    return undefined;
  }
}

/** What the number is called: by the word before `:` or `=`, or by a name of several words before a space. */
const KEY = /([A-Za-z_]\w{0,60})"?[ \t]?[:=][ \t]?"?$|([a-z]\w{0,60}_\w{1,60})[ \t]$/;
/** A cell that is the unit of its row, as in pg_settings. */
const UNIT_CELL = /\t(8kB|kB|MB|ms|s|min)(?=\t|$)/;

/** Figures of a line of a table get the name of their column. */
function addLine(
  facts: Facts,
  line: string,
  { step, columns }: { step: number; columns: readonly string[] },
) {
  let [column, cell] = [0, 0];
  const ofRow = UNIT_CELL.exec(line)?.[1];
  for (const figure of figuresIn(line)) {
    for (
      let tab = line.indexOf('\t', cell);
      tab !== -1 && tab < figure.start;
      tab = line.indexOf('\t', cell)
    ) {
      column += 1;
      cell = tab + 1;
    }
    const isAlone = line[figure.start - 1] === undefined || line[figure.start - 1] === '\t';
    const [, named, spaced] = KEY.exec(line.slice(Math.max(0, figure.start - 130), figure.start)) ?? [];
    facts.add(figure, step, named ?? ofRow ?? spaced ?? (isAlone ? columns[column] : undefined));
  }
}

function addSource(facts: Facts, { number: step, text, rows }: StepAnswer): void {
  if (typeof rows === 'number') facts.addCount(rows, step);
  let columns: string[] | undefined;
  for (const line of cutText(text, LONGEST_SOURCE).split('\n')) {
    const isTable = line.includes('\t');
    if (isTable && columns === undefined)
      columns = line.split('\t').map((name) => name.replace(/ \[[^\]]*\]$/, ''));
    else addLine(facts, line, { step, columns: columns ?? [] });
    if (!isTable) columns = undefined;
  }
}

/** Between backticks, a figure is told and nothing else is. */
const isFigure = (code: string) => /^`\d[\d.,:]*(?: ?(?:%|[a-zA-Zµ]{1,12}))?`$/.test(code);

/** Code, addresses of links and the version of the server are blanked, so that what is left keeps its place. */
function prose(answer: string): string {
  const blank = (found: string) => ' '.repeat(found.length);
  let isCode = false;
  const lines = answer.split('\n').map((line) => {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode) return blank(line);
    return line
      .replaceAll(/`[^`]{0,400}`/g, (found) => (isFigure(found) ? found : blank(found)))
      .replaceAll(/\bPostgreSQL \d+(?:\.\d+)?/g, blank)
      .replaceAll(/\]\([^()\s]{0,2000}\)|https?:\/\/[^\s)>\]]{1,2000}/g, blank);
  });
  return lines.join('\n');
}

const isMarker = (text: string, { start, end, kind }: Figure) =>
  kind === 'plain' &&
  /^[.)]\s/.test(text.slice(end, end + 2)) &&
  MARKER.test(text.slice(Math.max(0, start - 20), start));

/** The figures of an answer in order, at most 500, each with the step that proves it. */
export function evidenceOf(answer: string, steps: readonly StepAnswer[]): JudgedFigure[] {
  const facts = new Facts();
  for (const step of steps) addSource(facts, step);
  const links = new Map(steps.map(({ number, link }) => [number, link]));
  const text = prose(answer.slice(0, LONGEST_ANSWER));
  const figures = figuresIn(text).filter((figure) => !isMarker(text, figure));
  return figures.slice(0, MOST_JUDGED).map((figure) => {
    const { start, end } = figure;
    const isAbout = APPROXIMATE.test(text.slice(Math.max(0, start - 16), start));
    const step = facts.find(figure, isAbout);
    const link = step === undefined ? undefined : links.get(step);
    return {
      ...{ text: figure.text, start, end, is_proven: step !== undefined },
      ...(step !== undefined && { step }),
      ...(link && { link }),
    };
  });
}
