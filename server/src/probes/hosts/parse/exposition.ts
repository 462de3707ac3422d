// Prometheus' text format, version 0.0.4, as far as gauges and counters go. Lines that do not parse are left out;
// only the asked names are kept, so that a big page costs little memory.

export interface Sample {
  labels: ReadonlyMap<string, string>;
  value: number;
}
export type Samples = ReadonlyMap<string, readonly Sample[]>;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|(?=\}))/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n' };

function parseLabels(line: string, from: number): { labels: Map<string, string>; end: number } | undefined {
  const labels = new Map<string, string>();
  let at = from;
  while (line[at] !== '}') {
    LABEL.lastIndex = at;
    const found = LABEL.exec(line);
    if (!found?.[1]) return undefined;
    labels.set(
      found[1],
      (found[2] ?? '').replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char),
    );
    at = LABEL.lastIndex;
    while (line[at] === ' ') at += 1;
  }
  return { labels, end: at + 1 };
}

function parseValue(text: string): number | undefined {
  const word = text.trim().split(/\s+/)[0] ?? '';
  if (/^[+-]?inf$/i.test(word))
    return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(word)) return Number.NaN;
  return /^[+-]?[0-9.]/.test(word) && Number.isFinite(Number(word)) ? Number(word) : undefined;
}

export function parseExposition(text: string, wanted: ReadonlySet<string>): Samples {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const name = NAME.exec(line)?.[0];
    if (name === undefined || !wanted.has(name)) continue;
    const labelled = line[name.length] === '{' ? parseLabels(line, name.length + 1) : undefined;
    if (line[name.length] === '{' && !labelled) continue;
    const value = parseValue(line.slice(labelled?.end ?? name.length));
    if (value === undefined) continue;
    const list = samples.get(name) ?? [];
    list.push({ labels: labelled?.labels ?? new Map(), value });
    samples.set(name, list);
  }
  return samples;
}
