// Whether the figures of an answer stand in the answers of the steps that it was made from: by value, with units and as much rounding
// as the figure itself shows. Pure; the work grows with the length of the texts, and by the logarithm of how many figures there are.

export interface StepAnswer {
  number: number;
  text: string;
  link: string | null;
}

export interface Figure {
  text: string;
  start: number;
  end: number;
  is_proven: boolean;
  step?: number;
  link?: string;
}

const MOST_FIGURES = 2000;
const MOST_KNOWN = 200_000;

const KIB = 1024;
/** By unit in lower case: what kind it is of, and its sizes in the base of that kind (bytes, seconds, one). */
const UNITS = new Map<string, { kind: 'bytes' | 'time' | 'share' | 'count'; sizes: readonly number[] }>();
const unit = (kind: 'bytes' | 'time' | 'share' | 'count', sizes: readonly number[], names: string) => {
  for (const name of names.split(' ')) UNITS.set(name, { kind, sizes });
};
unit('bytes', [1], 'b byte bytes');
unit('bytes', [1000, KIB], 'kb');
unit('bytes', [KIB], 'kib');
unit('bytes', [1000 ** 2, KIB ** 2], 'mb');
unit('bytes', [KIB ** 2], 'mib');
unit('bytes', [1000 ** 3, KIB ** 3], 'gb');
unit('bytes', [KIB ** 3], 'gib');
unit('bytes', [1000 ** 4, KIB ** 4], 'tb');
unit('bytes', [KIB ** 4], 'tib');
unit('time', [1e-6], 'us µs μs microsecond microseconds');
unit('time', [1e-3], 'ms millisecond milliseconds');
unit('time', [1], 's sec secs second seconds');
unit('time', [60], 'min mins minute minutes');
unit('time', [3600], 'h hour hours');
unit('time', [86_400], 'd day days');
unit('time', [604_800], 'week weeks');
unit('share', [0.01], '% percent');
unit('count', [1000], 'k thousand');
unit('count', [1e6], 'm million');
unit('count', [1e9], 'billion');

/** In what plain numbers of a tool may be meant, by the kind of the unit that they are told in: pages and kB, ms and µs, percent. */
const MEANT = {
  bytes: [1, KIB, 8 * KIB, KIB ** 2],
  time: [1, 1e-3, 1e-6, 60],
  share: [1, 0.01],
  count: [1],
} as const;

// A moment or a part of one; or a number, with groups of thousands, a fraction, and perhaps a unit behind it.
const MOMENT = String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:Z|[+-]\d\d(?::?\d\d)?)?)?|\d{1,2}:\d\d(?::\d\d)?`;
const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?`;
const FIGURES = new RegExp(
  String.raw`(?<![\p{L}\p{N}_$.\-:])(?:(?<moment>${MOMENT})|(?<number>${NUMBER})(?:[ \u00a0\u202f]?(?<unit>%|[a-zµμ]{1,12})(?![\p{L}\p{N}_]))?)(?![\p{L}_\d]|[.:]\d)`,
  'giu',
);
const KNOWN = new RegExp(
  String.raw`(?<number>${NUMBER})(?:[ \u00a0]?(?<unit>%|[a-zµμ]{1,12})(?![\p{L}\p{N}_]))?`,
  'giu',
);
const TIMES = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?/g;
/** Text that is no statement of fact: blocks of code, code in a line, and the number before an item of a list. */
const NOT_TOLD =
  /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]{0,400}`|^[ \t]{0,8}\d{1,3}[.)][ \t]|\bPostgreSQL \d+(?:\.\d+)?/gm;

interface Known {
  value: number;
  step: number;
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''));

/** Values in ascending order; of equal ones that of the earliest step is first. */
class Values {
  readonly #all: Known[] = [];
  #isSorted = true;

  add(value: number, step: number): void {
    if (this.#all.length >= MOST_KNOWN || !Number.isFinite(value)) return;
    this.#all.push({ value, step });
    this.#isSorted = false;
  }

  find(low: number, high: number): number | undefined {
    if (!this.#isSorted) this.#all.sort((a, b) => a.value - b.value || a.step - b.step);
    this.#isSorted = true;
    let [from, to] = [0, this.#all.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#all[middle]?.value ?? 0) < low) from = middle + 1;
      else to = middle;
    }
    const found = this.#all[from];
    return found && found.value <= high ? found.step : undefined;
  }
}

interface Facts {
  plain: Values;
  bytes: Values;
  time: Values;
  share: Values;
  moments: Map<string, number>;
}

function factsOf(steps: readonly StepAnswer[]): Facts {
  const facts: Facts = {
    ...{ plain: new Values(), bytes: new Values(), time: new Values(), share: new Values() },
    moments: new Map(),
  };
  const remember = (moment: string, step: number) => {
    if (!facts.moments.has(moment)) facts.moments.set(moment, step);
  };
  for (const { number: step, text } of steps) {
    for (const { groups } of text.matchAll(KNOWN)) {
      const value = numberOf(groups?.number ?? '');
      facts.plain.add(value, step);
      const known = UNITS.get((groups?.unit ?? '').toLowerCase());
      if (known && known.kind !== 'count')
        for (const size of known.sizes) facts[known.kind].add(value * size, step);
      if (known?.kind === 'count') facts.plain.add(value * (known.sizes[0] ?? 1), step);
    }
    for (const [, day = '', minute = '', second = ''] of text.matchAll(TIMES))
      for (const moment of [day, minute, minute + second, `${day} ${minute}`, `${day} ${minute}${second}`])
        remember(moment, step);
  }
  return facts;
}

/** Half of the last digit that is shown. */
function roundingOf(number: string): number {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const digits = mantissa.split('.')[1]?.length ?? 0;
  return 0.5 * 10 ** (Number(exponent) - digits);
}

function stepOf(facts: Facts, { number, unit: named }: { number: string; unit: string }): number | undefined {
  const value = numberOf(number);
  const rounding = roundingOf(number);
  const within = (values: Values, scale: number) => {
    // Doubles are not exact either.
    const slack = rounding * scale + Math.abs(value * scale) * 1e-12;
    return values.find(value * scale - slack, value * scale + slack);
  };
  // Without rounding first, so that the nearest step is told: a count is a count.
  const known = UNITS.get(named.toLowerCase());
  if (!known) return facts.plain.find(value, value) ?? (value === 0 ? undefined : within(facts.plain, 1));
  const { kind, sizes } = known;
  for (const size of sizes) {
    const own = kind === 'count' ? undefined : within(facts[kind], size);
    if (own !== undefined) return own;
    for (const meant of MEANT[kind]) {
      const plain = within(facts.plain, size / meant);
      if (plain !== undefined) return plain;
    }
  }
  return undefined;
}

/** To the second, as tools write it; they write in UTC. */
const plainMoment = (moment: string) =>
  moment
    .replace('T', ' ')
    .replace(/(:\d\d)(?:\.\d+)?(?:Z|[+-]00(?::?00)?)$/, '$1')
    .replace(/^(\d):/, '0$1:');

/** Where nothing is told, by position, ascending. */
const silent = (text: string) =>
  [...text.matchAll(NOT_TOLD)].map((one) => [one.index, one.index + one[0].length] as const);

export function evidenceOf(text: string, steps: readonly StepAnswer[]): Figure[] {
  const facts = factsOf(steps);
  const links = new Map(steps.map(({ number, link }) => [number, link]));
  const skipped = silent(text);
  let at = 0;
  const figures: Figure[] = [];
  for (const found of text.matchAll(FIGURES)) {
    if (figures.length >= MOST_FIGURES) break;
    const { index: start, groups } = found;
    while ((skipped[at]?.[1] ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    if ((skipped[at]?.[0] ?? Number.POSITIVE_INFINITY) <= start) continue;
    const { moment, number = '', unit: named = '' } = groups ?? {};
    const isUnit = UNITS.has(named.toLowerCase());
    const told = moment ?? (isUnit ? found[0] : number);
    const step = moment
      ? facts.moments.get(plainMoment(moment))
      : stepOf(facts, { number, unit: isUnit ? named : '' });
    const link = step === undefined ? undefined : links.get(step);
    figures.push({
      ...{ text: told, start, end: start + told.length, is_proven: step !== undefined },
      ...(step !== undefined && { step }),
      ...(link && { link }),
    });
  }
  return figures;
}
