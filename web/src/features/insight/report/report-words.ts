// The report in words. Pure. Guards: an effect is told only where it was measured, and only as promised where it was.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf } from '../../../lib/format.ts';
import { type Finding, figureWords, SEVERITIES, SEVERITY_WORDS } from '../findings/finding-words.ts';

export type Report = OperationTypes['getFindingsReport']['result'];
export type Worse = Report['worse'][number];
export type Mended = Report['mended'][number];
export type Happened = Report['happened'][number];
export type NextStep = Report['next'][number];

/** "14 events, 3 got worse, 1 runs out; 12 servers": what there is any of. */
export function reportWords(report: Report): string {
  const { worse_total, declined_total, first_total, first_look_total, happened_total, mended_total } = report;
  const worse = worse_total + declined_total;
  const out = report.runs_out.length;
  const words = [
    happened_total > 0 && countOf(happened_total, 'event'),
    worse > 0 && `${worse} got worse`,
    first_total > 0 && countOf(first_total, 'new finding'),
    mended_total > 0 && `${mended_total} fixed`,
    out > 0 && `${out} ${out === 1 ? 'runs' : 'run'} out`,
    // What a server had when it was added is no decline.
    first_look_total > 0 && `${first_look_total} in the inventory`,
  ].filter((word) => word !== false);
  const said = words.length > 0 ? words.join(', ') : 'Nothing happened, got worse or runs out';
  return `${said}; ${countOf(report.servers, 'server')}`;
}

export interface InventoryLine {
  check: string;
  title: string;
  count: number;
  severity: Finding['severity'];
}

/** What servers had when they were first looked at, by check: the gravest first, then what is most. */
export function inventoryOf(findings: readonly Finding[]): InventoryLine[] {
  const byCheck = Map.groupBy(findings, ({ check }) => check);
  return [...byCheck]
    .flatMap(([check, own]) => {
      const worst = SEVERITIES.find((severity) => own.some((one) => one.severity === severity));
      const [first] = own;
      return first && worst ? [{ check, title: first.title, count: own.length, severity: worst }] : [];
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || b.count - a.count);
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
