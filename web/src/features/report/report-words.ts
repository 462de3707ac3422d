// The report in words. Pure. Guards: an effect is told only where it was measured, and only as promised where it was.
import type { OperationTypes } from '../../api/operations.gen.ts';
import { countOf } from '../../lib/format.ts';
import { figureWords, SEVERITY_WORDS } from '../findings/finding-words.ts';

export type Report = OperationTypes['getFindingsReport']['result'];
export type Worse = Report['worse'][number];
export type Mended = Report['mended'][number];
export type Happened = Report['happened'][number];

export const HAPPENED_WORDS: Readonly<Record<Happened['kind'], string>> = {
  deadlocks: 'Deadlocks',
  lock_wait: 'Lock wait',
  index_dropped: 'Dropped index',
  slower_statement: 'Slower statement',
  alert: 'Alert',
};

const were = (count: number) => (count === 1 ? 'was' : 'were');

/** "3 got worse, 2 were fixed, 1 runs out; 12 servers", with what was found and what happened where there is any. */
export function reportWords(report: Report): string {
  const { worse_total, first_total, first_look_total, happened_total, mended_total } = report;
  const [found, out] = [first_total + first_look_total, report.runs_out.length];
  const words = [
    `${worse_total} got worse`,
    ...(found > 0 ? [`${found} ${were(found)} found first`] : []),
    ...(happened_total > 0 ? [countOf(happened_total, 'event')] : []),
    `${mended_total} ${were(mended_total)} fixed`,
    out === 0 ? 'nothing runs out soon' : `${out} ${out === 1 ? 'runs' : 'run'} out`,
  ];
  return `${words.join(', ')}; ${countOf(report.servers, 'server')}`;
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
  before === null ? 'found again' : `was ${SEVERITY_WORDS[before].label.toLowerCase()}`;

/** How many are not shown; undefined where all are. */
export function leftWords(shown: number, total: number): string | undefined {
  return total > shown ? `The first ${shown} of ${total}` : undefined;
}
