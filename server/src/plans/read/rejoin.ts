// Lines of a plan that were broken at the width of a window, a mail or a form, made whole again. Pure. Guards: a text whose figures are
// whole is left as it is; a join is made only where it makes figures whole.

const OPEN_FIGURES = /\((?:cost=|actual |never )[^()]*$/;
/** A node's line may end anywhere within its brackets. */
const OPEN_HEAD = /^(?:\s*->|.*\(cost=).*\s\([^()]*$/;
const COST = String.raw`\(cost=\d+\.\d+\.\.\d+\.\d+ rows=\d+ width=\d+\)`;
const ACTUAL = String.raw`\((?:actual (?:time=\d+\.\d+\.\.\d+\.\d+ )?rows=\d+(?:\.\d+)? loops=\d+|never executed)\)`;
const COST_AT_END = new RegExp(`${COST}(?: ${ACTUAL})?$`);
const ACTUAL_AT_END = new RegExp(`${ACTUAL}$`);
const COST_THEN_OPEN = new RegExp(String.raw`${COST} \(actual [^()]*$`);
const FIGURES_ALONE = /^\s*\((?:cost=|actual |never executed)/;
const ARROW = /^\s*->/;
/** A line of its own: a node, a name with a colon, or what names the next node. */
const START =
  /^\s*(?!\s)(?:->|[A-Z][\w/() -]*:|(?:InitPlan|SubPlan|CTE|Trigger) |\((?:cost=|actual |never )|.*\(cost=)/;
/** psql marks where it broke a line. */
const MARK = /[.…]$/;
/** One line is broken into no more pieces than this. */
const MOST_PIECES = 5;

const unmarked = (line: string) => line.replace(MARK, '');

const variants = (first: string, next: string): string[] => {
  const [start, end] = [first.trimEnd(), next.trimStart()];
  return [
    first + next,
    start + end,
    `${start} ${end}`,
    ...(MARK.test(start) ? [unmarked(start) + end, `${unmarked(start)} ${end}`] : []),
  ];
};

interface Joined {
  line: string;
  /** Lines of the text that it takes. */
  pieces: number;
}

const isOpen = (line: string) => OPEN_FIGURES.test(line) || OPEN_HEAD.test(line);

/** Whether a line ends with all of its figures. */
const isWhole = (line: string) =>
  COST_AT_END.test(line.trimEnd()) || (!line.includes('(cost=') && ACTUAL_AT_END.test(line.trimEnd()));

/** The line with as many of the next ones as make its figures whole; undefined where none do. */
function joined(lines: readonly string[], at: number): Joined | undefined {
  let open = [lines[at] ?? ''];
  for (let pieces = 2; pieces <= MOST_PIECES; pieces += 1) {
    const next = lines[at + pieces - 1];
    if (next === undefined || ARROW.test(next)) return undefined;
    const all = open.flatMap((line) => variants(line, next));
    const whole = all.find(isWhole);
    if (whole !== undefined) {
      const more = lines[at + pieces];
      return more !== undefined && FIGURES_ALONE.test(more)
        ? (joined([whole, ...lines.slice(at + pieces, at + pieces + MOST_PIECES)], 0) ?? {
            line: whole,
            pieces,
          })
        : { line: whole, pieces };
    }
    open = all.filter((line) => isOpen(line) && (COST_THEN_OPEN.test(line) || !line.includes('(actual ')));
    if (open.length === 0) return undefined;
  }
  return undefined;
}

/** The line of a node is not longer, but for the names in it. */
const LONGEST_HEAD = 2000;

const isBroken = (line: string, next: string | undefined) =>
  line.length <= LONGEST_HEAD && (isOpen(line) || (next !== undefined && FIGURES_ALONE.test(next)));

const indentOf = (line: string) => line.length - line.trimStart().length;

/** A property with its pieces: these are further left than it, and are none by themselves. */
function property(lines: readonly string[], at: number): Joined {
  const first = lines[at] ?? '';
  let line = first;
  let pieces = 1;
  while (pieces < MOST_PIECES) {
    const next = lines[at + pieces] ?? '';
    if (next.trim() === '' || START.test(next) || indentOf(next) >= indentOf(first)) break;
    line = unmarked(line.trimEnd()) + next.trimStart();
    pieces += 1;
  }
  return { line, pieces };
}

export function rejoined(lines: readonly string[]): readonly string[] {
  if (!lines.some((line, at) => isBroken(line, lines[at + 1]))) return lines;
  const whole: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const found = isBroken(line, lines[at + 1]) ? joined(lines, at) : property(lines, at);
    whole.push(found?.line ?? line);
    at += found?.pieces ?? 1;
  }
  return whole;
}
