// A verdict as a page in a terminal: the gravest first, each with its remedy ready to copy. Guards: control characters of a server
// never reach the terminal; colour is never the only signal.
import { styleText } from 'node:util';
import type { Severity } from '../../alerting/rules/types.ts';
import type { Report, ReportedFinding } from '../../insight/checks/report.ts';
import { inertBlock, inertLine } from '../../kernel/inert-text.ts';
import { wrapped } from '../wrapped.ts';
import {
  checksLine,
  headline,
  placeOf,
  proofOf,
  SEVERITY_TITLES,
  serverLine,
  watchedLine,
  withheldLine,
} from './sentences.ts';

export interface PageOptions {
  width: number;
  isColoured: boolean;
}

const MARKS = { critical: '✗', warning: '!', info: '·' } as const satisfies Record<Severity, string>;
const COLOURS = { critical: 'red', warning: 'yellow', info: 'blue' } as const satisfies Record<
  Severity,
  string
>;
/** Of notes of the same kind the rest is counted. */
const MOST_NOTES = 5;

const block = (value: string, indent: string) =>
  inertBlock(value)
    .split('\n')
    .map((line) => indent + line);

function finding(one: ReportedFinding, { width, isColoured }: PageOptions): string[] {
  const place = placeOf(one);
  const head = inertLine(`${MARKS[one.severity]} ${one.title}${place === '' ? '' : `: ${place}`}`);
  return [
    isColoured ? styleText([COLOURS[one.severity], 'bold'], head, { validateStream: false }) : head,
    ...wrapped(one.message, '  ', width),
    ...wrapped(`${one.meaning} ${one.advice}`, '  ', width),
    ...block(one.remedy, '      '),
    ...wrapped(`Before: ${one.caution} Proof: ${proofOf(one)}.`, '  ', width),
    '',
  ];
}

/** The first of each check whole; of further notes of the same check a line. */
function notes(own: readonly ReportedFinding[], options: PageOptions): string[] {
  return [...Map.groupBy(own, ({ check }) => check).values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const more = rest.slice(0, MOST_NOTES).flatMap((one) => wrapped(`· ${one.message}`, '  ', options.width));
    const left = rest.length - MOST_NOTES;
    const counted = left > 0 ? [`  · and ${left} more; --json, --markdown and --html list them all.`] : [];
    const also = rest.length > 0 ? ['  The same:', ...more, ...counted, ''] : [];
    return [...finding(first, options), ...also];
  });
}

export function pageOf(report: Report, options: PageOptions): string[] {
  const { width, isColoured } = options;
  const strong = (line: string) => (isColoured ? styleText('bold', line, { validateStream: false }) : line);
  const parts = (['critical', 'warning', 'info'] as const).flatMap((severity) => {
    const own = report.findings.filter((one) => one.severity === severity);
    if (own.length === 0) return [];
    const lines = severity === 'info' ? notes(own, options) : own.flatMap((one) => finding(one, options));
    return [strong(`${SEVERITY_TITLES[severity]} (${own.length})`), '', ...lines];
  });
  const unknown = report.unknown.flatMap(({ because, mend, checks }) => [
    ...wrapped(`? ${because}`, '', width),
    ...wrapped(`Not judged: ${checks.join(', ')}.`, '  ', width),
    ...(mend === null ? [] : block(mend, '      ')),
  ]);
  return [
    strong(inertLine(headline(report))),
    ...wrapped(withheldLine(report) ?? '', '', width),
    ...wrapped(serverLine(report), '', width),
    ...wrapped(watchedLine(report), '', width),
    ...wrapped(checksLine(report), '', width),
    '',
    ...parts,
    ...(unknown.length > 0 ? [strong('What could not be judged'), '', ...unknown] : []),
  ];
}
