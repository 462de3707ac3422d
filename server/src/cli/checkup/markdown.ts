// A verdict as Markdown. Guards: what comes from a server is text and never markup.
import type { Report, ReportedFinding } from '../../findings/report.ts';
import { checksLine, headline, placeOf, proofOf, SEVERITY_TITLES, serverLine, watchedLine } from './words.ts';

const SPECIAL = /[\\`*_{}[\]()<>#+\-!|~]/g;
const text = (value: string) => value.replace(/\s+/g, ' ').replace(SPECIAL, '\\$&');

/** A fence that is longer than any in the text. */
function fenced(value: string): string[] {
  const longest = Math.max(2, ...(value.match(/`+/g) ?? []).slice(0, 100).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}sql`, value, fence];
}

function finding(one: ReportedFinding): string[] {
  const place = placeOf(one);
  return [
    `### ${text(one.title)}${place === '' ? '' : `: ${text(place)}`}`,
    '',
    text(one.message),
    '',
    `${text(one.meaning)} ${text(one.advice)}`,
    '',
    ...fenced(one.remedy),
    '',
    `- Before: ${text(one.caution)}`,
    `- Proof: ${text(proofOf(one))}`,
    `- Documentation: <${one.documentation_url}>`,
    '',
  ];
}

export function markdownOf(report: Report): string {
  const parts = (['critical', 'warning', 'info'] as const).flatMap((severity) => {
    const own = report.findings.filter((one) => one.severity === severity);
    return own.length === 0
      ? []
      : [`## ${SEVERITY_TITLES[severity]} (${own.length})`, '', ...own.flatMap(finding)];
  });
  const unknown = report.unknown.flatMap(({ because, mend, checks }) => [
    `- ${text(because)} Not judged: ${text(checks.join(', '))}.`,
    ...(mend === null ? [] : ['', ...fenced(mend), '']),
  ]);
  return [
    `# Checkup of ${text(report.server.host)}:${report.server.port}`,
    '',
    `**${text(headline(report))}**`,
    '',
    `${text(serverLine(report))} ${text(watchedLine(report))} ${text(checksLine(report))} ${report.checked_at}`,
    '',
    ...parts,
    ...(unknown.length > 0 ? ['## What could not be judged', '', ...unknown, ''] : []),
    `${report.product} ${report.version}`,
  ].join('\n');
}
