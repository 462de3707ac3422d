// The report as Markdown, to hand on. Pure. Guards: what comes from a server is text and never markup.
import { markdownText } from '../../kernel/markdown.ts';
import {
  QUIET,
  type Report,
  type ReportLine,
  type ReportPart,
  reportDay,
  reportParts,
  serversText,
} from './report-lines.ts';

function lineOf({ head, place, message, words }: ReportLine): string {
  const said = [markdownText(message), words].filter(Boolean).join(' ');
  return place === null
    ? `- ${markdownText(head)}: ${said}`
    : `- **${markdownText(head)}** (${markdownText(place)}): ${said}`;
}

function partOf({ title, total, lines }: ReportPart): string[] {
  const left = total - lines.length;
  return [
    `## ${title} (${total})`,
    '',
    ...lines.map(lineOf),
    ...(left > 0 ? [`- and ${left} more`] : []),
    '',
  ];
}

export function reportMarkdown(report: Report): string {
  const parts = reportParts(report);
  return [
    `# Report of ${reportDay(report.start_time)} to ${reportDay(report.end_time)}`,
    '',
    `${serversText(report)}.`,
    '',
    ...(parts.length === 0 ? [QUIET, ''] : []),
    ...parts.flatMap(partOf),
  ].join('\n');
}
