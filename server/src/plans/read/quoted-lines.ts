// Lines of a condition whose constant has line breaks: they are put together, since the rest of a constant stands at the start of a line, where it
// would end the nodes above it. Pure. Guards: a line of a node is never part of a constant; time is in line with the length.

const PROPERTY = /^\s*(?!Query )[A-Z][\w ()-]{0,60}: /;
const NODE = /\((?:cost=|actual |never executed)/;
const MOST_LINES = 200;

const isOpen = (line: string): boolean => line.split("'").length % 2 === 0;

/** Behind the line in which the constant ends; undefined where it does not. */
function endOf(lines: readonly string[], from: number): number | undefined {
  for (let at = from + 1; at < Math.min(lines.length, from + MOST_LINES); at += 1) {
    const line = lines[at] ?? '';
    if (NODE.test(line)) return undefined;
    if (isOpen(line)) return at + 1;
  }
  return undefined;
}

export function withoutBreaks(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const end = line.includes("'") && PROPERTY.test(line) && isOpen(line) ? endOf(lines, at) : undefined;
    whole.push(end === undefined ? line : lines.slice(at, end).join(' '));
    at = end ?? at + 1;
  }
  return whole;
}
