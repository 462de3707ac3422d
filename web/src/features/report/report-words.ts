// The report in words. Pure. Guards: an effect is told only where it was measured, and only as promised where it was.
import type { OperationTypes } from '../../api/operations.gen.ts';
import { countOf } from '../../lib/format.ts';
import { figureWords, SEVERITY_WORDS } from '../findings/finding-words.ts';

export type Report = OperationTypes['getFindingsReport']['result'];
export type Worse = Report['worse'][number];
export type Mended = Report['mended'][number];

/** "3 got worse, 2 were mended, 1 runs out; 12 servers". */
export function reportWords({ worse_total, mended_total, runs_out, servers }: Report): string {
  const were = mended_total === 1 ? 'was' : 'were';
  const out = runs_out.length === 1 ? 'runs' : 'run';
  return `${worse_total} got worse, ${mended_total} ${were} mended, ${runs_out.length} ${out} out; ${countOf(servers, 'server')}`;
}

/** "214 MB became 0 B, as promised"; undefined where nobody can tell. */
export function effectWords({
  finding,
  figure_before,
  figure_after,
  is_confirmed,
}: Mended): string | undefined {
  const [before, after] = [figureWords(figure_before, finding), figureWords(figure_after, finding)];
  if (before === undefined || after === undefined) return undefined;
  return `${before} became ${after}${is_confirmed ? ', as promised' : ''}`;
}

export const beforeWords = ({ before }: Worse): string =>
  before === null ? 'new' : `was ${SEVERITY_WORDS[before].label.toLowerCase()}`;

/** How many are not shown; undefined where all are. */
export function leftWords(shown: number, total: number): string | undefined {
  return total > shown ? `The first ${shown} of ${total}` : undefined;
}
