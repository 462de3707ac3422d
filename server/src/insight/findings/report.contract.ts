// The report of a week, or of any other time: what got worse on servers, what was found first, what happened, what was mended and what
// that brought, what runs out.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { RunwayItem } from '../runway/runway.schemas.ts';
import { HappenedEvent, HappenedGap } from '../timeline/happened.schemas.ts';
import { FINDING_SEVERITIES, Finding } from './findings.schemas.ts';

const Reported = s.component('ReportedFinding', {
  finding: Finding,
  before: s.nullable(
    s.oneOf(FINDING_SEVERITIES, {
      description: 'How grave it was at first; null: it was not there, since it was resolved.',
    }),
  ),
});

const Mended = s.component('MendedFinding', {
  finding: Finding,
  figure_before: s.nullable(s.number()),
  figure_after: s.nullable(s.number({ description: 'Null: unknown.' })),
  is_confirmed: s.boolean({ description: 'The figure moved as it was promised to.' }),
});

const NextStep = s.component('NextStep', {
  kind: s.oneOf(['finding', 'runs_out', 'slower_statement']),
  connection_id: s.id(),
  server_name: s.text(),
  finding_id: s.nullable(s.longId({ description: 'Null: it is about no finding.' })),
  title: s.text(),
  message: s.text({ description: 'What is so, with its figure.' }),
  action: s.text({ description: 'What to do, in a sentence.' }),
});

const totals = (what: string) => s.integer({ description: `${what}; the list may be shorter.` });

export const FindingsReport = s.component('FindingsReport', {
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  servers: s.integer({ minimum: 0 }),
  worse: s.list(Reported, {
    description: 'Graver than when the window began, or resolved before and found again.',
  }),
  worse_total: totals('What got worse'),
  first: s.list(Finding, {
    description: 'Found for the first time, on servers that were known for a day or longer.',
  }),
  first_total: totals('What was found for the first time'),
  first_look: s.list(Finding, { description: 'Found within a day after its server was added.' }),
  first_look_total: totals('What was found at the first look'),
  happened: s.list(HappenedEvent, { description: 'Apart from findings, at most 20 of each kind.' }),
  happened_total: totals('What happened'),
  declined: s.list(HappenedEvent, {
    description: 'Statements that became slower and databases that grew, at most 20 of each.',
  }),
  declined_total: totals('What became slower or larger'),
  not_told: s.list(HappenedGap, {
    description: 'Kinds of what happened that are not listed, with the reason.',
  }),
  mended: s.list(Mended),
  mended_total: totals('What was resolved'),
  next: s.list(NextStep, {
    description: 'What to do next, at most three: of all that is open now, not of the window alone.',
  }),
  runs_out: s.list(RunwayItem, { description: 'Soonest first, at most 20.' }),
  markdown: s.text({ description: 'The same as Markdown, to hand on.' }),
});

export const getFindingsReport = operation({
  id: 'getFindingsReport',
  route: 'GET /api/v1/findings/report',
  tag: 'findings',
  summary: 'What got worse, was found, happened, was fixed, and runs out',
  access: { visible: 'connections' },
  extra: true,
  faults: [403, 404],
  query: s.object({
    start_time: s.optional(s.timestamp({ description: 'A week before end_time when absent.' })),
    end_time: s.optional(s.timestamp({ description: 'Now when absent.' })),
    connection_id: s.optional(s.id()),
    connection_ids: s.optional(s.idList({ description: 'At most 1,000, with commas between.' })),
    cluster_id: s.optional(s.id({ description: 'The servers of this cluster, instead of connections.' })),
  }),
  success: ok(FindingsReport, {
    start_time: '2026-11-15T00:00:00.000Z',
    end_time: '2026-11-22T00:00:00.000Z',
    servers: 1,
    worse: [],
    worse_total: 0,
    first: [],
    first_total: 0,
    first_look: [],
    first_look_total: 0,
    happened: [],
    happened_total: 0,
    declined: [],
    declined_total: 0,
    not_told: [],
    mended: [],
    mended_total: 0,
    next: [],
    runs_out: [],
    markdown:
      '# Report of 2026-11-15 to 2026-11-22\n\n1 server.\n\nNothing got worse, nothing new was found, nothing happened, nothing was fixed, and nothing runs out.\n',
  }),
  notes: [
    'At most 500 findings; the totals say how many there are. What is muted is left out.',
    'A finding is listed once: of the first look, found for the first time, worse or fixed.',
    'A statement is slower in comparison with the time of the same length before the window; of a server that was added within the window, with the first half of its time.',
  ],
});
