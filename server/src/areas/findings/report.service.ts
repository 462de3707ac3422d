// The report of a time: what got worse, what was mended and what that brought, what runs out. Guards: only of servers that the caller
// sees; an effect is said only where it was measured.
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Ctx } from '../access/principal.ts';
import { windowBetween } from '../metrics/metrics.service.ts';
import { listRunway } from '../runway/runway.service.ts';
import { namedServers, serversFor } from '../timeline/timeline.service.ts';
import { listReport, type ReportRow } from './findings.queries.ts';
import { shown } from './findings.service.ts';
import type { FindingsReport } from './report.contract.ts';
import { reportMarkdown } from './report-markdown.ts';

type Report = Static<typeof FindingsReport>;

export interface ReportQuery {
  start_time?: string | undefined;
  end_time?: string | undefined;
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  cluster_id?: number | undefined;
}

const WEEK_MS = 7 * 86_400_000;
const LONGEST_MS = 366 * 86_400_000;
const MOST = 500;
const MOST_RUNS_OUT = 20;

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
  const { from, to } = windowBetween(start, end);
  if (to - from > LONGEST_MS)
    throw new Fault('bad_request', 'end_time may be at most 366 days after start_time.');
  return { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() };
}

export async function getFindingsReport(ctx: Ctx, query: ReportQuery): Promise<Report> {
  const named = namedServers(query);
  const { connection_id, connection_ids, cluster_id } = query;
  if (named && cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  const window = windowOf(ctx, query);
  const servers = await serversFor(ctx, named, cluster_id);
  const rows = await listReport(ctx.db, ctx.principal, {
    connection_ids: [...servers.keys()],
    ...window,
    limit: MOST,
  });
  const scope = { connection_id, connection_ids, cluster_id };
  const { items } = await listRunway(ctx, { ...scope, state: 'runs_out', limit: MOST_RUNS_OUT });
  const of = (kind: ReportRow['kind']) => rows.filter((row) => row.kind === kind);
  const [fresh, worse, mended] = [of('new'), of('worse'), of('resolved')];
  const report = {
    ...window,
    servers: servers.size,
    worse: [...worse, ...fresh].map((row) => ({ finding: findingOf(row), before: row.before })),
    worse_total: totalOf(worse) + totalOf(fresh),
    mended: mended.map((row) => ({
      finding: findingOf(row),
      figure_before: row.first_figure,
      figure_after: row.figure_after,
      is_confirmed: row.proof === 'confirmed',
    })),
    mended_total: totalOf(mended),
    runs_out: items,
  };
  return { ...report, markdown: reportMarkdown(report) };
}
