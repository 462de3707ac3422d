// The lines of a report in plain words, whatever it becomes: Markdown, text or HTML. Pure. Guards: an effect is told only where it
// was measured; what is left out is counted.

import type { Static } from '../../kernel/schema.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { HAPPENED_WORDS } from './happened-words.ts';
import type { FindingsReport } from './report.contract.ts';

export type Report = Omit<Static<typeof FindingsReport>, 'markdown'>;
type Finding = Report['worse'][number]['finding'];

export interface ReportLine {
  head: string;
  /** Null: the head says it. */
  place: string | null;
  /** What the check said, with texts of the server in it; empty: nothing. */
  message: string;
  /** What we say of it. */
  words: string;
  /** Of a finding, for links. */
  finding_id?: number;
}

export interface ReportPart {
  title: string;
  /** How many there are in all. */
  total: number;
  lines: ReportLine[];
}

export const reportDay = (time: string): string => time.slice(0, 10);

const place = ({ server_name, database_name }: Pick<Finding, 'server_name' | 'database_name'>) =>
  database_name === null ? server_name : `${server_name}, database ${database_name}`;

const line = (finding: Finding, words: string, message = ''): ReportLine => ({
  head: finding.title,
  place: place(finding),
  message,
  words,
  finding_id: finding.id,
});

const severityOf = ({ severity }: Finding) => severity.charAt(0).toUpperCase() + severity.slice(1);

function worseLine({ finding, before }: Report['worse'][number]): ReportLine {
  const since = before === null ? `found again ${reportDay(finding.opened_at)}` : `was ${before}`;
  return line(finding, `${severityOf(finding)}, ${since}.`, finding.message);
}

const firstLine = (finding: Finding): ReportLine =>
  line(finding, `${severityOf(finding)}, found ${reportDay(finding.first_seen_at)}.`, finding.message);

const happenedLine = ({ kind, message, ...where }: Report['happened'][number]): ReportLine => ({
  head: HAPPENED_WORDS[kind],
  place: place(where),
  message,
  words: '',
});

const notToldLine = ({ kind, reason }: Report['not_told'][number]): ReportLine => ({
  head: HAPPENED_WORDS[kind],
  place: null,
  message: '',
  words: reason,
});

function mendedLine({
  finding,
  figure_before,
  figure_after,
  is_confirmed,
}: Report['mended'][number]): ReportLine {
  const on = `resolved ${reportDay(finding.resolved_at ?? finding.last_seen_at)}`;
  const unit = finding.figure_unit;
  if (figure_before === null || figure_after === null || unit === null) return line(finding, `${on}.`);
  const moved = `${shownValue(figure_before, unit)} became ${shownValue(figure_after, unit)}`;
  return line(finding, `${on}; ${moved}${is_confirmed ? ', as promised' : ''}.`);
}

function runsOutLine(item: Report['runs_out'][number]): ReportLine {
  const what = [
    item.kind.replaceAll('_', ' '),
    item.object_name,
    item.database_name && `in ${item.database_name}`,
  ];
  return {
    head: `${what.filter(Boolean).join(' ')} of ${item.server_name}`,
    place: null,
    message: '',
    words: item.runs_out_at === null ? 'at an unknown time' : reportDay(item.runs_out_at),
  };
}

const nextLine = ({
  title,
  server_name,
  message,
  action,
  finding_id,
}: Report['next'][number]): ReportLine => ({
  head: title,
  place: server_name,
  message,
  words: action,
  ...(finding_id !== null && { finding_id }),
});

/** Only parts that have something to say. What was found at the first look is an inventory and comes last. */
export function reportParts(report: Report): ReportPart[] {
  const { worse, worse_total, first, first_total, first_look, first_look_total, mended, mended_total } =
    report;
  const { happened, happened_total, declined, declined_total, not_told, runs_out, next } = report;
  const parts = [
    { title: 'What to do next', total: next.length, lines: next.map(nextLine) },
    {
      title: 'What happened',
      total: happened_total + not_told.length,
      lines: [...happened.map(happenedLine), ...not_told.map(notToldLine)],
    },
    {
      title: 'What got slower, bigger or worse',
      total: declined_total + worse_total,
      lines: [...declined.map(happenedLine), ...worse.map(worseLine)],
    },
    { title: 'What was found for the first time', total: first_total, lines: first.map(firstLine) },
    { title: 'What was fixed', total: mended_total, lines: mended.map(mendedLine) },
    { title: 'What runs out', total: runs_out.length, lines: runs_out.map(runsOutLine) },
    {
      title: 'Inventory: found when servers were first looked at',
      total: first_look_total,
      lines: first_look.map(firstLine),
    },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

export const QUIET =
  'Nothing got worse, nothing new was found, nothing happened, nothing was fixed, and nothing runs out.';

export const serversText = ({ servers }: Report): string =>
  `${servers} ${servers === 1 ? 'server' : 'servers'}`;
