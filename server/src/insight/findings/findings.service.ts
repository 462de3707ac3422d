// Findings for those who read and mute them. Guards: only those of servers that the caller sees; a mute says why, by whom and until
// when, and is on record.

import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { checks } from '../checks/catalog.gen.ts';
import { DOCUMENTATION } from '../checks/report.ts';
import type { Check } from '../checks/types.ts';
import { withheldFirst } from '../checks/withheld.ts';
import { namedServers, serversFor } from '../timeline/timeline.service.ts';
import * as queries from './findings.queries.ts';
import {
  type CheckInfo,
  type CheckScore,
  FINDING_SEVERITIES,
  type Finding,
  type FindingCounts,
  type FindingDetail,
  type FindingList,
  type MuteRequest,
  type ServerFindings,
} from './findings.schemas.ts';

const BY_NAME: ReadonlyMap<string, Check> = new Map(checks.map((check) => [check.name, check]));
const LONGEST_MUTE_MS = 366 * 24 * 3_600_000;

export interface Filters {
  category?: Check['category'] | undefined;
  severity?: (typeof FINDING_SEVERITIES)[number] | undefined;
  state?: 'open' | 'muted' | 'resolved' | undefined;
  check?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface FindingsQuery extends Filters {
  connection_id?: number | undefined;
  connection_ids?: string | undefined;
  cluster_id?: number | undefined;
}

/** A check that is no longer built keeps what it found. */
function infoOf(name: string): Static<typeof CheckInfo> {
  const check = BY_NAME.get(name);
  if (!check)
    return {
      name,
      category: 'coverage',
      title: name.replaceAll('_', ' '),
      figure_name: null,
      meaning: 'This check is not part of this version.',
      advice: 'It will not be judged again.',
      caution: '',
      proof: 'stated',
      documentation_url: DOCUMENTATION,
    };
  const { category, title, figureName: figure_name = null, meaning, advice, caution, proof, source } = check;
  return {
    name,
    category,
    title,
    figure_name,
    meaning,
    advice,
    caution,
    proof,
    documentation_url: DOCUMENTATION + source,
  };
}

export function shown({
  check_name,
  database_name,
  object_name,
  ...row
}: queries.FindingRow): Static<typeof Finding> {
  const { category, title } = infoOf(check_name);
  return {
    ...row,
    check: check_name,
    category,
    title,
    database_name: database_name || null,
    object_name: object_name || null,
  };
}

function filterOf(query: Filters, connection_ids: readonly number[] | null): queries.FindingFilter {
  const { category, check, severity = 'info', state = 'open', limit = 200, offset = 0 } = query;
  if (check !== undefined && !BY_NAME.has(check))
    throw new Fault('bad_request', 'There is no check of this name; GET /api/v1/checks lists them.');
  const ofCategory = checks.filter((one) => category === undefined || one.category === category);
  const names = ofCategory.filter((one) => check === undefined || one.name === check).map(({ name }) => name);
  const isAll = category === undefined && check === undefined;
  const rank = FINDING_SEVERITIES.indexOf(severity);
  return { connection_ids, checks: isAll ? null : names, rank, state, limit, offset };
}

async function pageOf(ctx: Ctx, filter: queries.FindingFilter) {
  const rows = await queries.listSeen(ctx.db, ctx.principal, filter);
  const summary = await queries.summarize(ctx.db, ctx.principal, filter.connection_ids);
  const { info, warning, critical, ...servers } = summary;
  // Beyond the last page nobody counts.
  const total = rows[0]?.total ?? (filter.offset === 0 ? 0 : filter.offset);
  return { findings: rows.map(shown), total, counts: { info, warning, critical }, servers };
}

export async function listFindings(ctx: Ctx, query: FindingsQuery): Promise<Static<typeof FindingList>> {
  const named = namedServers(query);
  if (named && query.cluster_id !== undefined)
    throw new Fault('bad_request', 'Name connections or a cluster, not both.');
  const isAll = named === undefined && query.cluster_id === undefined;
  const ids = isAll ? null : [...(await serversFor(ctx, named, query.cluster_id)).keys()];
  return pageOf(ctx, filterOf(query, ids));
}

/** One statement. */
export async function countFindings(ctx: Ctx): Promise<Static<typeof FindingCounts>> {
  const all = await queries.countSeen(ctx.db, ctx.principal);
  const rows = all.filter(({ critical, warning, info, unknown }) => critical + warning + info + unknown > 0);
  const sum = (of: 'critical' | 'warning' | 'info') => rows.reduce((total, row) => total + row[of], 0);
  return {
    critical: sum('critical'),
    warning: sum('warning'),
    info: sum('info'),
    by_server: Object.fromEntries(
      rows.map(({ connection_id, is_judged: _judged, ...counts }) => [connection_id, counts]),
    ),
    unjudged: all.filter(({ is_judged }) => !is_judged).map(({ connection_id }) => connection_id),
  };
}

/** What could not be judged of a connection, and when it was. */
async function judgedOf(ctx: Ctx, connection_id: number) {
  const run = await queries.findRun(ctx.db, connection_id);
  const unknown = withheldFirst(run?.unknown ?? []).map(({ check_name, database_name, because, mend }) => {
    const { category, title } = infoOf(check_name);
    return { check: check_name, category, title, database_name: database_name || null, because, mend };
  });
  return { evaluated_at: run?.evaluated_at ?? null, checks: run?.checks ?? 0, unknown };
}

/** The gravest open findings of a connection, uncounted. Access to it has been checked. */
export async function openFindings(ctx: Ctx, connection_id: number, limit: number) {
  const rows = await queries.listSeen(ctx.db, ctx.principal, filterOf({ limit }, [connection_id]));
  return { findings: rows.map(shown), ...(await judgedOf(ctx, connection_id)) };
}

/** Access to the connection has been checked. */
export async function listConnectionFindings(
  ctx: Ctx,
  connection_id: number,
  query: Filters,
): Promise<Static<typeof ServerFindings>> {
  const { servers: _servers, ...page } = await pageOf(ctx, filterOf(query, [connection_id]));
  return { connection_id, ...(await judgedOf(ctx, connection_id)), ...page };
}

const WRITES = 2;

function detailOf(row: queries.DetailRow): Static<typeof FindingDetail> {
  const { evidence, evidence_rows, counted_since, remedy, promised, first_figure, figure_after, ...rest } =
    row;
  const { muted_at, mute_reason, muted_by, figures, level, ...head } = rest;
  const { muted_until } = head;
  const isMuted = muted_at !== null && muted_until !== null;
  return {
    finding: shown(head),
    check: infoOf(head.check_name),
    ...{ evidence, evidence_rows, counted_since, remedy, promised, first_figure, figure_after },
    figures: figures.map(({ at, figure, severity }) => ({
      at: new Date(at).toISOString(),
      figure,
      severity,
    })),
    mute: isMuted ? { muted_at, muted_until, reason: mute_reason ?? '', muted_by: muted_by ?? '' } : null,
    can_mute: level >= WRITES,
  };
}

async function demand(ctx: Ctx, id: number): Promise<queries.DetailRow> {
  const row = await queries.findSeen(ctx.db, ctx.principal, id);
  if (!row) throw new Fault('not_found', 'There is no such finding.');
  return row;
}

async function demandWritable(ctx: Ctx, id: number): Promise<queries.DetailRow> {
  const row = await demand(ctx, id);
  if (row.level < WRITES) throw new Fault('forbidden', 'You may read this connection, and not write to it.');
  return row;
}

export const getFinding = async (ctx: Ctx, id: number): Promise<Static<typeof FindingDetail>> =>
  detailOf(await demand(ctx, id));

export async function muteFinding(
  ctx: Ctx,
  id: number,
  { until, reason }: Static<typeof MuteRequest>,
): Promise<Static<typeof FindingDetail>> {
  const found = await demandWritable(ctx, id);
  const ahead = Date.parse(until) - ctx.clock.now();
  if (!(ahead > 0 && ahead <= LONGEST_MUTE_MS))
    throw new Fault('bad_request', 'until must be a time from now on, at most a year ahead.');
  await inTransaction(ctx, async (tx) => {
    await queries.mute(tx.db, { id, until, reason, by: ctx.principal.username });
    await recordAudit(tx, {
      action: 'finding.mute',
      target: { kind: 'finding', id },
      details: { connection_id: found.connection_id, check: found.check_name, until, reason },
    });
  });
  return getFinding(ctx, id);
}

export async function unmuteFinding(ctx: Ctx, id: number): Promise<Static<typeof FindingDetail>> {
  const found = await demandWritable(ctx, id);
  await inTransaction(ctx, async (tx) => {
    if ((await queries.unmute(tx.db, id)) === 0) throw new Fault('conflict', 'This finding is not muted.');
    await recordAudit(tx, {
      action: 'finding.unmute',
      target: { kind: 'finding', id },
      details: { connection_id: found.connection_id, check: found.check_name },
    });
  });
  return getFinding(ctx, id);
}

const NO_SCORE = {
  open: 0,
  muted: 0,
  resolved: 0,
  confirmed: 0,
  promised: null,
  measured: null,
  figure_unit: null,
};

export async function listChecks(ctx: Ctx): Promise<Static<typeof CheckScore>[]> {
  const scores = new Map(
    (await queries.listScores(ctx.db, ctx.principal)).map((row) => [row.check_name, row]),
  );
  return checks.map(({ name }) => {
    const { check_name: _name, ...score } = scores.get(name) ?? { check_name: name, ...NO_SCORE };
    return { check: infoOf(name), ...score };
  });
}
