// The numbers of a text with their units, as people and tools write them: 1,234, 1.2 GB, 93 %, 4 min 50 s, 00:04:50, 12:04. Pure.
// Guards: one pass over the text, whatever it holds; digits within a name, an address or a statement are no figure.

/** `plain` without a unit; `bytes` in bytes; `time` in seconds; `percent` of 100; `text` is compared as it is written, such as 12:04. */
export type Kind = 'plain' | 'bytes' | 'time' | 'percent' | 'text';

export interface Figure {
  /** As it is written, with its unit. */
  text: string;
  start: number;
  end: number;
  kind: Kind;
  /** In the unit of its kind; of bytes both readings, by 1000 and by 1024. */
  values: readonly number[];
  /** As written, without the unit. */
  written: number;
  /** Half of the last digit that is shown, in the unit of its kind, for each of the values. */
  within: readonly number[];
}

interface Unit {
  kind: Kind;
  factors: readonly number[];
}

const bytes = (power: number): Unit => ({ kind: 'bytes', factors: [1000 ** power, 1024 ** power] });
const time = (seconds: number): Unit => ({ kind: 'time', factors: [seconds] });
const plain = (factor: number): Unit => ({ kind: 'plain', factors: [factor] });
const PERCENT: Unit = { kind: 'percent', factors: [1] };
const NONE = plain(1);

const UNITS: Readonly<Record<string, Unit>> = {
  ...{ b: { kind: 'bytes', factors: [1] }, byte: bytes(0), bytes: bytes(0) },
  ...{ kb: bytes(1), kib: bytes(1), mb: bytes(2), mib: bytes(2), gb: bytes(3), gib: bytes(3) },
  ...{ tb: bytes(4), tib: bytes(4), pb: bytes(5), pib: bytes(5) },
  ...{ kilobytes: bytes(1), megabytes: bytes(2), gigabytes: bytes(3), terabytes: bytes(4) },
  ...{ ns: time(1e-9), us: time(1e-6), µs: time(1e-6), μs: time(1e-6), ms: time(1e-3) },
  ...{ millisecond: time(1e-3), milliseconds: time(1e-3), s: time(1), sec: time(1), secs: time(1) },
  ...{
    second: time(1),
    seconds: time(1),
    min: time(60),
    mins: time(60),
    minute: time(60),
    minutes: time(60),
  },
  ...{ h: time(3600), hr: time(3600), hrs: time(3600), hour: time(3600), hours: time(3600) },
  ...{ d: time(86_400), day: time(86_400), days: time(86_400), week: time(604_800), weeks: time(604_800) },
  ...{ '%': PERCENT, percent: PERCENT, pct: PERCENT },
  ...{ k: plain(1e3), thousand: plain(1e3), m: plain(1e6), million: plain(1e6), billion: plain(1e9) },
};

const PAGES: Unit = { kind: 'bytes', factors: [8192] };
/** What PostgreSQL counts in its pages. */
const IN_PAGES = /(?:_buffers|relpages|_pages|_cache_size|_blks_\w+)$/i;

/** Undefined where a name says nothing of a unit: `total_ms`, `size_bytes`, `percent`. */
export function unitOfName(name: string): Unit | undefined {
  if (name === '8kB' || IN_PAGES.test(name)) return PAGES;
  const last = /(?<![a-z])([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  // Names end in whole words of units, or in these short ones behind a line.
  if (last.length <= 2 && last !== name.toLowerCase() && !/_[a-z]+$/i.test(name)) return undefined;
  const unit = Object.hasOwn(UNITS, last) ? UNITS[last] : undefined;
  return unit?.kind === 'plain' ? undefined : unit;
}

const TIMESTAMP =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?(?!\d))?)?/y;
const CLOCK = /\d{1,3}:\d\d(?::\d\d(?:\.\d{1,9})?)?/y;
const DOTTED = /\d{1,5}(?:\.\d{1,5}){2,8}/y;
const GROUPED = /\d{1,3}(?:,\d{3}){1,8}(?:\.\d{1,20})?/y;
const NUMBER = /\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?/iy;
const UNIT = /[ \u00a0\u202f]?(%|[a-zµμ]{1,12})/iy;
const WORD = /[\p{L}\d_]/u;
const REST_OF_WORD = /[\p{L}\d_]*/uy;
const BETWEEN_PARTS = /(?:,? and |, | )(?=\d)/y;
const MOST_FIGURES = 200_000;

function at(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Whether digits at this place are a figure, and no part of a name, a parameter, an address or a path. */
function begins(text: string, index: number): boolean {
  const before = text[index - 1] ?? ' ';
  if (WORD.test(before) || before === '$') return false;
  const two = text[index - 2] ?? ' ';
  if (before === '.' || before === ',') return !/\d/.test(two);
  if (before === '-' || before === '/' || before === ':') return !/[\p{L}_/]/u.test(two);
  return true;
}

function unitAt(text: string, index: number): { unit: Unit; end: number } {
  const found = at(UNIT, text, index);
  const name = found?.[1] ?? '';
  const lower = name.toLowerCase();
  const end = index + (found?.[0].length ?? 0);
  const isWhole = name === '%' || !WORD.test(text[end] ?? ' ');
  // A lone m is metres or minutes or nothing; only M means millions, and K and k thousands.
  const isKnown = Object.hasOwn(UNITS, lower) && name !== 'm' && name !== 'S' && name !== 'H' && name !== 'D';
  return found && isWhole && isKnown ? { unit: UNITS[lower] ?? NONE, end } : { unit: NONE, end: index };
}

const digitsAfterPoint = (number: string) => /\.(\d+)/.exec(number)?.[1]?.length ?? 0;

function literal(start: number, found: string): Figure {
  return {
    text: found,
    start,
    end: start + found.length,
    kind: 'text',
    values: [],
    written: Number.NaN,
    within: [],
  };
}

/** A number with its unit; undefined where it is the beginning of a word such as 2nd. */
function numberAt(text: string, start: number): Figure | undefined {
  const found = (at(GROUPED, text, start) ?? at(NUMBER, text, start))?.[0];
  if (found === undefined) return undefined;
  const bare = start + found.length;
  const { unit, end } = unitAt(text, bare);
  if (end === bare && WORD.test(text[bare] ?? ' ')) return undefined;
  const written = Number(found.replaceAll(',', ''));
  const exponent = /e([+-]?\d+)$/i.exec(found)?.[1] ?? '0';
  const half = 0.5 * 10 ** (Number(exponent) - digitsAfterPoint(found));
  return {
    ...{ text: text.slice(start, end), start, end, kind: unit.kind, written },
    values: unit.factors.map((factor) => written * factor),
    within: unit.factors.map((factor) => half * factor),
  };
}

/** 4 min 50 s is one figure, as exact as its last part. */
function joined(text: string, figure: Figure): Figure {
  let whole = figure;
  for (let part = 0; part < 4 && whole.kind === 'time'; part += 1) {
    const gap = at(BETWEEN_PARTS, text, whole.end)?.[0];
    const next = gap === undefined ? undefined : numberAt(text, whole.end + gap.length);
    const [sum, more, within] = [whole.values[0], next?.values[0], next?.within[0]];
    if (next?.kind !== 'time' || sum === undefined || more === undefined || within === undefined)
      return whole;
    if (more >= (figure.within[0] ?? 0) * 2) return whole;
    whole = {
      ...whole,
      text: text.slice(whole.start, next.end),
      end: next.end,
      values: [sum + more],
      within: [within],
    };
  }
  return whole;
}

function figureAt(text: string, start: number): Figure | undefined {
  const fixed = at(TIMESTAMP, text, start) ?? at(CLOCK, text, start) ?? at(DOTTED, text, start);
  if (fixed && !/[\p{L}_]/u.test(text[start + fixed[0].length] ?? ' ')) return literal(start, fixed[0]);
  const number = numberAt(text, start);
  return number && joined(text, number);
}

const wordEnd = (text: string, start: number) => start + (at(REST_OF_WORD, text, start)?.[0].length ?? 0);

/** In order, at most 200,000. */
export function figuresIn(text: string): Figure[] {
  const figures: Figure[] = [];
  const digit = /\d/g;
  for (let found = digit.exec(text); found && figures.length < MOST_FIGURES; found = digit.exec(text)) {
    const { index } = found;
    const figure = begins(text, index) ? figureAt(text, index) : undefined;
    if (figure) figures.push(figure);
    digit.lastIndex = Math.max(figure ? figure.end : wordEnd(text, index), index + 1);
  }
  return figures;
}
