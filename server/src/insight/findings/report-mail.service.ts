// The report as a mail: text, and the same as HTML. Pure. Guards: what comes from a server is text and never markup or a head of the
// mail; a part that is long is cut, with how much is left out and where it can be read.
import { htmlText } from '../../kernel/html-text.ts';
import {
  QUIET,
  type Report,
  type ReportLine,
  type ReportPart,
  reportParts,
  serversText,
} from './report-lines.ts';

export interface ReportHeading {
  /** Of which servers. */
  name: string;
  /** By the clock of the schedule. */
  period: string;
  /** Why somebody gets it, and by whom. */
  footer: string;
  /** The page of the same report; undefined where nobody knows where that is. */
  link: string | undefined;
  /** Where the web interface is, without a slash at the end. */
  base_url: string | undefined;
}

const MOST_LINES = 100;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const said = ({ message, words }: ReportLine) => oneLine([message, words].filter(Boolean).join(' '));

const leftOf = ({ total, lines }: ReportPart) => total - Math.min(lines.length, MOST_LINES);

function textPart(part: ReportPart): string[] {
  const lines = part.lines
    .slice(0, MOST_LINES)
    .map(
      (one) => `- ${oneLine(one.head)}${one.place === null ? '' : ` (${oneLine(one.place)})`}: ${said(one)}`,
    );
  const left = leftOf(part);
  return [`${part.title} (${part.total})`, '', ...lines, ...(left > 0 ? [`- and ${left} more`] : []), ''];
}

function htmlLine(line: ReportLine, base_url: string | undefined): string {
  const { head, place, finding_id } = line;
  const title = `<strong>${htmlText(head)}</strong>`;
  const linked =
    base_url === undefined || finding_id === undefined
      ? title
      : `<a href="${htmlText(`${base_url}/findings/${finding_id}`)}" style="color:#1a1714">${title}</a>`;
  const where = place === null ? '' : ` <span style="color:#667">${htmlText(place)}</span>`;
  return `<li style="margin:0 0 8px">${linked}${where}<br>${htmlText(said(line))}</li>`;
}

function htmlPart(part: ReportPart, base_url: string | undefined): string {
  const lines = part.lines.slice(0, MOST_LINES).map((one) => htmlLine(one, base_url));
  const left = leftOf(part);
  const more = left > 0 ? `<li>and ${left} more</li>` : '';
  return `<h2 style="font-size:16px">${part.title} (${part.total})</h2>\n<ul style="padding-left:18px">${lines.join('\n')}${more}</ul>`;
}

/** "3 worse, 1 found, 4 happened, 2 fixed, 1 runs out": the words for what is not at each time there only where it is. */
export function reportSummary(report: Report): string {
  const { worse_total, first_total, first_look_total, happened_total, mended_total, runs_out } = report;
  const found = first_total + first_look_total;
  return [
    `${worse_total} worse`,
    ...(found > 0 ? [`${found} found`] : []),
    ...(happened_total > 0 ? [`${happened_total} happened`] : []),
    `${mended_total} fixed`,
    runs_out.length === 0
      ? 'nothing runs out soon'
      : `${runs_out.length} ${runs_out.length === 1 ? 'runs' : 'run'} out`,
  ].join(', ');
}

export function reportText(report: Report, { name, period, footer, link }: ReportHeading): string {
  const parts = reportParts(report);
  return [
    `Report: ${oneLine(name)}`,
    period,
    `${serversText(report)}.`,
    '',
    ...(parts.length === 0 ? [QUIET, ''] : []),
    ...parts.flatMap(textPart),
    ...(link === undefined ? [] : [link, '']),
    '-- ',
    oneLine(footer),
  ].join('\n');
}

export function reportHtml(report: Report, { name, period, footer, link, base_url }: ReportHeading): string {
  const parts = reportParts(report);
  return [
    '<!doctype html><html><body style="font-family:sans-serif;font-size:14px;max-width:720px">',
    `<h1 style="font-size:20px">Report: ${htmlText(name)}</h1>`,
    `<p style="color:#667">${htmlText(period)} · ${serversText(report)}</p>`,
    ...(parts.length === 0 ? [`<p>${QUIET}</p>`] : []),
    ...parts.map((part) => htmlPart(part, base_url)),
    ...(link === undefined ? [] : [`<p><a href="${htmlText(link)}">Open in Matriarch</a></p>`]),
    `<p style="color:#667;font-size:12px">${htmlText(footer)}</p>`,
    '</body></html>',
  ].join('\n');
}
