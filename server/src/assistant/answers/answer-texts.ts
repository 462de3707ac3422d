// Words and links of answers. Pure. Guards: a link leads to a page that stands still at the time that the answer is of.
import type { AnswerInput, Point, Severity } from './answers.types.ts';

/** As people say it: 4 min 50 s, 3 h 20 min, 2 days. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const [minutes, hours] = [Math.floor(whole / 60), Math.floor(whole / 3600)];
  if (hours < 1) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

const instant = (at: number) => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** The window as pages read it. */
export const windowOf = ({ from, to }: Pick<AnswerInput, 'from' | 'to'>): URLSearchParams =>
  new URLSearchParams({ from: instant(from), to: instant(to) });

/** A tab of the server's page over the window. */
export function pageOf(
  { connection_id, from, to }: AnswerInput,
  tab: string,
  more: Record<string, string> = {},
): string {
  const search = new URLSearchParams({ tab, from: instant(from), to: instant(to), ...more });
  return `/servers/${connection_id}?${search}`;
}

/** A tab of the server's page as it was at the end of the window. */
export const momentPage = (asked: AnswerInput, tab: string): string =>
  pageOf(asked, tab, { at: instant(asked.to) });

const RANK: Record<Severity, number> = { critical: 0, warning: 1, info: 2 };

/** Worst first; of the same severity by the order of these kinds, and as they came. */
export function worstFirst(points: readonly Point[], kinds: readonly Point['kind'][]): Point[] {
  const rank = ({ severity, kind }: Point) => RANK[severity] * kinds.length + kinds.indexOf(kind);
  return points.toSorted((a, b) => rank(a) - rank(b));
}

/** The first of them, as a sentence each. */
export const firstOf = (points: readonly Point[], count = 3): string =>
  points
    .slice(0, count)
    .map(({ says }) => says)
    .join(' ');
