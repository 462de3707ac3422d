// The report of a time: what got worse, what was found for the first time, what happened, what was mended and what that brought, what
// runs out. Guards: only of servers that the caller sees; an effect is said only where it was measured.

import { windowBetween } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { Prepared } from '../../kernel/prepared.ts';
import type { Static } from '../../kernel/schema.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import { WEEK_MS } from '../../kernel/units.ts';
import { listRunway } from '../runway/runway.service.ts';
import { happenedOn } from '../timeline/happened.service.ts';
import { namedServers, serversFor } from '../timeline/timeline.service.ts';
import { listFindings, shown } from './findings.service.ts';
import { nextSteps } from './next-steps.ts';
import type { FindingsReport } from './report.contract.ts';
import { listReport, type ReportRow } from './report.queries.ts';
import { reportMarkdown } from './report-markdown.ts';

type Report = Static<typeof FindingsReport>;

export interface ReportQuery {
  start_time?: string | undefined;
  end_time?: string | undefined;
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  cluster_id?: number | undefined;
}

const LONGEST_MS = 366 * 86_400_000;
const MOST = 500;
const MOST_RUNS_OUT = 20;
/** The gravest findings, of which some are what to do next. */
const MOST_LOOKED_AT = 100;

const findingOf = ({
  kind: _kind,
  first_figure: _first,
  figure_after: _after,
  before: _before,
  ...row
}: ReportRow) => shown(row);

const totalOf = (rows: readonly { total: number }[]) => rows[0]?.total ?? 0;

function windowOf(ctx: Ctx, { start_time, end_time }: ReportQuery) {
  const end = end_time ?? new Date(ctx.clock.now()).toISOString();
  const start = start_time ?? new Date(Date.parse(end) - WEEK_MS).toISOString();
  if (!isTimeInRange(Date.parse(start)))
    throw new Fault(
      'bad_request',
      'The week before end_time begins before the year 1: send a later end_time.',
    );
  const { from, to } = windowBetween(start, end);
  if (to - from > LONGEST_MS)
    throw new Fault('bad_request', 'end_time may be at most 366 days after start_time.');
  return { from, to };
}

const found = (rows: readonly (ReportRow & { total: number })[]) => rows.map((row) => findingOf(row));

function findingsIn(rows: readonly (ReportRow & { total: number })[]) {
  const of = (kind: ReportRow['kind']) => rows.filter((row) => row.kind === kind);
  const [back, worse, mended, first, look] = [
    of('back'),
    of('worse'),
    of('resolved'),
    of('first'),
    of('first_look'),
  ];
  return {
    worse: [...worse, ...back].map((row) => ({ finding: findingOf(row), before: row.before })),
    worse_total: totalOf(worse) + totalOf(back),
    first: found(first),
    first_total: totalOf(first),
    first_look: found(look),
    first_look_total: totalOf(look),
    mended: mended.map((row) => ({
      finding: findingOf(row),
      figure_before: row.first_figure,
      figure_after: row.figure_after,
      is_confirmed: row.proof === 'confirmed',
    })),
    mended_total: totalOf(mended),
  };
}

type Servers = Awaited<ReturnType<typeof serversFor>>;
type Happened = Awaited<ReturnType<typeof happenedOn>>;

/** A week of large servers takes long to look through; its page and its previews ask for it again and again. */
const prepared = new Prepared<Happened>({ dear_ms: 250, keep_ms: 60_000, most: 20 });

function happenedIn(ctx: Ctx, servers: Servers, { from, to }: { from: number; to: number }) {
  const key = JSON.stringify([from, to, [...servers.values()]]);
  return prepared.of(ctx, key, (db) =>
    happenedOn({ ...ctx, db }, { servers, from, to, now: ctx.clock.now() }),
  );
}

export async function getFindingsReport(ctx: Ctx, query: ReportQuery): Promise<Report> {
  const named = namedServers(query);
  const { connection_id, connection_ids, cluster_id } = query;
  if (named && cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  const { from, to } = windowOf(ctx, query);
  const window = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
  const servers = await serversFor(ctx, named, cluster_id);
  const scope = { connection_id, connection_ids, cluster_id };
  const [rows, happened, { items }, open] = await Promise.all([
    listReport(ctx.db, ctx.principal, { connection_ids: [...servers.keys()], ...window, limit: MOST }),
    happenedIn(ctx, servers, { from, to }),
    listRunway(ctx, { ...scope, state: 'runs_out', limit: MOST_RUNS_OUT }),
    listFindings(ctx, { ...scope, state: 'open', limit: MOST_LOOKED_AT, offset: 0 }),
  ]);
  const report = {
    ...window,
    servers: servers.size,
    ...findingsIn(rows),
    ...happened,
    next: nextSteps({ findings: open.findings, declined: happened.declined, items, now: ctx.clock.now() }),
    runs_out: items,
  };
  return { ...report, markdown: reportMarkdown(report) };
}
