// The report as Markdown, to hand on. Pure. Guards: what comes from a server is text and never markup.
import { markdownText } from '../../kernel/markdown.ts';
import type { Static } from '../../kernel/schema.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import type { FindingsReport } from './report.contract.ts';

type Report = Omit<Static<typeof FindingsReport>, 'markdown'>;
type Finding = Report['worse'][number]['finding'];

const day = (time: string) => time.slice(0, 10);

function place({ server_name, database_name }: Finding): string {
  return database_name === null ? server_name : `${server_name}, database ${database_name}`;
}

const line = (finding: Finding, words: string) =>
  `- **${markdownText(finding.title)}** (${markdownText(place(finding))}): ${words}`;

function worseLine({ finding, before }: Report['worse'][number]): string {
  const since = before === null ? `new since ${day(finding.opened_at)}` : `was ${before}`;
  return line(finding, `${markdownText(finding.message)} ${finding.severity}, ${since}.`);
}

function mendedLine({
  finding,
  figure_before,
  figure_after,
  is_confirmed,
}: Report['mended'][number]): string {
  const on = `resolved ${day(finding.resolved_at ?? finding.last_seen_at)}`;
  const unit = finding.figure_unit;
  if (figure_before === null || figure_after === null || unit === null) return line(finding, `${on}.`);
  const moved = `${shownValue(figure_before, unit)} became ${shownValue(figure_after, unit)}`;
  return line(finding, `${on}; ${moved}${is_confirmed ? ', as promised' : ''}.`);
}

function runsOutLine(item: Report['runs_out'][number]): string {
  const what = [
    item.kind.replaceAll('_', ' '),
    item.object_name,
    item.database_name && `in ${item.database_name}`,
  ];
  const at = item.runs_out_at === null ? 'at an unknown time' : day(item.runs_out_at);
  return `- ${markdownText(`${what.filter(Boolean).join(' ')} of ${item.server_name}`)}: ${at}`;
}

const part = (title: string, lines: readonly string[], total: number) => {
  if (lines.length === 0) return [];
  const left = total - lines.length;
  return [`## ${title} (${total})`, '', ...lines, ...(left > 0 ? [`- and ${left} more`] : []), ''];
};

export function reportMarkdown(report: Report): string {
  const { worse, mended, runs_out } = report;
  const isQuiet = worse.length + mended.length + runs_out.length === 0;
  return [
    `# Report of ${day(report.start_time)} to ${day(report.end_time)}`,
    '',
    `${report.servers} ${report.servers === 1 ? 'server' : 'servers'}.`,
    '',
    ...(isQuiet ? ['Nothing got worse, nothing was mended, and nothing runs out.', ''] : []),
    ...part('What got worse', worse.map(worseLine), report.worse_total),
    ...part('What was mended', mended.map(mendedLine), report.mended_total),
    ...part('What runs out', runs_out.map(runsOutLine), runs_out.length),
  ].join('\n');
}
