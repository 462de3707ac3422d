// A verdict as Markdown. Guards: what comes from a server is text and never markup.
import type { Report, ReportedFinding } from '../../insight/checks/report.ts';
import { markdownSql, markdownText } from '../../kernel/markdown.ts';
import {
  checksLine,
  headline,
  placeOf,
  proofOf,
  SEVERITY_TITLES,
  serverLine,
  watchedLine,
} from './sentences.ts';

function finding(one: ReportedFinding): string[] {
  const place = placeOf(one);
  return [
    `### ${markdownText(one.title)}${place === '' ? '' : `: ${markdownText(place)}`}`,
    '',
    markdownText(one.message),
    '',
    `${markdownText(one.meaning)} ${markdownText(one.advice)}`,
    '',
    ...markdownSql(one.remedy),
    '',
    `- Before: ${markdownText(one.caution)}`,
    `- Proof: ${markdownText(proofOf(one))}`,
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
    `- ${markdownText(because)} Not judged: ${markdownText(checks.join(', '))}.`,
    ...(mend === null ? [] : ['', ...markdownSql(mend), '']),
  ]);
  return [
    `# Checkup of ${markdownText(report.server.host)}:${report.server.port}`,
    '',
    `**${markdownText(headline(report))}**`,
    '',
    `${markdownText(serverLine(report))} ${markdownText(watchedLine(report))} ${markdownText(checksLine(report))} ${report.checked_at}`,
    '',
    ...parts,
    ...(unknown.length > 0 ? ['## What could not be judged', '', ...unknown, ''] : []),
    `${report.product} ${report.version}`,
  ].join('\n');
}
