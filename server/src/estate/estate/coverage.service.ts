// What is collected from a server, and why something is not: the catalog of probes against what became of each run.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { columnsRead } from '../../probes/formula.ts';
import { HOST_PROBE } from '../../probes/hosts/collect.ts';
import { type Metric, metricsOf } from '../../probes/metrics.ts';
import { columnsOfReason } from '../../probes/requirements/dependencies.ts';
import { isHostProbe, longestIntervalSeconds } from '../../probes/types.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import { GAP_WORDS } from '../../store/spool/gaps.ts';
import { loadSettingsInForce, type SettingsInForce } from '../probe-configs/effective.service.ts';
import { logReading } from '../server-logs/server-logs.service.ts';
import type { CoverageEntry, CoverageResponse } from './coverage.schemas.ts';
import { countsOf, remediesOf } from './coverage-remedies.ts';
import type { LedgerResponse, RetestResponse } from './estate.contract.ts';
import * as queries from './estate.queries.ts';

type Entry = Static<typeof CoverageEntry>;
type Coverage = Static<typeof CoverageResponse>;

const STALE = 'No newer sample has come for two and a half intervals.';
const SWITCHED_OFF = 'Monitoring of this connection is switched off.';
const WAITING = 'Not collected yet.';

const HOST_PROBES: ReadonlySet<string> = new Set(probes.filter(isHostProbe).map(({ name }) => name));
const SERVER_WIDE: ReadonlySet<string> = new Set(
  probes.flatMap((probe) => ('serverWide' in probe && probe.serverWide ? [probe.name] : [])),
);

type Verdict = Pick<Entry, 'status' | 'reason' | 'mend'>;

function verdictOf(row: queries.RunRow, intervalSeconds: number, now: number): Verdict {
  const { outcome, cause, reason, mend, collected_at, is_monitored, cost_note } = row;
  if (outcome === 'failed') return { status: 'failing', reason, mend };
  if (outcome === 'skipped') {
    const otherwise = HOST_PROBES.has(row.probe ?? '') ? 'missing_source' : 'skipped';
    return { status: cause ?? otherwise, reason, mend };
  }
  if (collected_at === null) return { status: 'waiting', reason: WAITING, mend: null };
  const isStale = !isCurrent(Date.parse(collected_at), now, intervalSeconds);
  if (isStale) return { status: 'stale', reason: is_monitored ? STALE : SWITCHED_OFF, mend: null };
  // A run may have something to say all the same, e.g. that some rows were cut off.
  const words = [cost_note, reason].filter((one) => one !== null);
  return { status: cause ?? 'ok', reason: words.length > 0 ? words.join('\n') : null, mend };
}

interface Catalogued {
  name: string;
  intervalSeconds: number;
  adaptive?: { readonly slowestSeconds: number };
}

/** What was read before it was switched off, or why it was not, says nothing of now. */
function verdictNow(row: queries.RunRow, off: string | null, judged: Verdict): Verdict {
  if (off !== null) return { status: 'disabled', reason: off, mend: null };
  return row.cause === 'disabled' ? { status: 'waiting', reason: WAITING, mend: null } : judged;
}

interface Moment {
  settings: SettingsInForce;
  isMonitored: boolean;
  now: number;
}

/** `runs` are those of this probe. */
function entriesOf(declared: Catalogued, runs: readonly queries.RunRow[], at: Moment): Entry[] {
  const { off = null, interval_seconds = declared.intervalSeconds } = at.settings.get(declared.name) ?? {};
  const probe = { ...declared, intervalSeconds: interval_seconds };
  if (runs.length === 0) {
    const reason = off ?? (at.isMonitored ? WAITING : SWITCHED_OFF);
    const status = off === null ? 'waiting' : 'disabled';
    const nothing = { database_name: null, mend: null, checked_at: null, collected_at: null };
    const run = { took_ms: null, row_count: null };
    const cost = { interval_seconds, effective_interval_seconds: interval_seconds, cost_percent: null };
    return [{ probe: probe.name, status, reason, ...nothing, ...run, ...cost }];
  }
  const longest = longestIntervalSeconds(probe);
  return runs.map((run) => ({
    probe: probe.name,
    database_name: run.database_name || null,
    ...verdictNow(run, off, verdictOf(run, Math.max(run.effective_interval_seconds ?? 0, longest), at.now)),
    checked_at: run.attempted_at,
    collected_at: run.collected_at,
    took_ms: run.took_ms,
    row_count: run.row_count,
    interval_seconds,
    // Costs are a minute old: only what they say of slowing down is newer than the setting.
    effective_interval_seconds:
      run.cost_note === null
        ? interval_seconds
        : Math.round(run.effective_interval_seconds ?? interval_seconds),
    cost_percent: run.cost_percent,
  }));
}

function hostOf(facts: readonly queries.HostFact[]): Pick<Coverage, 'host_sources' | 'host_values'> {
  return {
    host_sources: facts.flatMap(({ kind, source, status, reason = null, mend = null }) =>
      kind === 'source' && status !== undefined ? [{ source, status, reason, mend }] : [],
    ),
    host_values: facts.flatMap(({ kind, source, field, observed_at }) =>
      kind === 'value' && field !== undefined && observed_at !== undefined
        ? [{ field, source, observed_at }]
        : [],
    ),
  };
}

/** What its collector had to give up last, if ever. */
function gapOf(row: queries.RunRow | undefined): Coverage['newest_gap'] {
  const { gap_began_at: began_at = null, gap_ended_at: ended_at = null, gap_reason = null } = row ?? {};
  if (began_at === null || ended_at === null || gap_reason === null) return null;
  const words = GAP_WORDS[gap_reason];
  return { began_at, ended_at, reason: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` };
}

/** The metrics of a probe that need what a reason is about; null: all of them. */
function metricsOfReason(name: string, reason: string): string[] | null {
  const columns = columnsOfReason(reason);
  const probe = probes.find((one) => one.name === name);
  if (!columns || !probe) return null;
  const needs = ({ value }: Metric) => columnsRead(value).some((column) => columns.test(column));
  return metricsOf(probe)
    .filter(needs)
    .map((metric) => metric.name);
}

function lackingOf({ probe, status, reason }: Entry): Pick<Entry, 'lacking'> {
  if (status !== 'incomplete' || reason === null) return {};
  return {
    lacking: reason.split('\n').map((line) => ({ reason: line, metrics: metricsOfReason(probe, line) })),
  };
}

/** Remedies were told apart by the lines of the reason. */
const inOneLine = (entry: Entry): Entry => ({
  ...entry,
  ...lackingOf(entry),
  reason: entry.reason?.replaceAll('\n', ' ') ?? null,
});

/** There is nothing to do about it. */
const FINE: ReadonlySet<Entry['status']> = new Set(['ok', 'disabled', 'not_applicable']);

/**
 * Of what is fine in many databases one entry for each probe, two where some have no rows: a server of 300 databases has thousands
 * that say the same.
 */
function inBrief(entries: readonly Entry[]): Entry[] {
  const before = new Set<string>();
  return entries.filter(({ probe, status, reason, row_count }) => {
    if (!FINE.has(status) || (status === 'ok' && reason !== null)) return true;
    const key = `${probe} ${status} ${row_count === 0}`;
    const isFirst = !before.has(key);
    before.add(key);
    return isFirst;
  });
}

export interface CoverageQuery {
  brief?: boolean | undefined;
}

/** Three statements. The caller has checked access to the connection. */
export async function getConnectionCoverage(
  ctx: Ctx,
  connection_id: number,
  { brief = false }: CoverageQuery = {},
): Promise<Coverage> {
  const [runs, inForce, log] = await Promise.all([
    queries.listRuns(ctx.db, connection_id),
    loadSettingsInForce(ctx.db, [connection_id]),
    logReading(ctx, connection_id),
  ]);
  const settings: SettingsInForce = inForce.get(connection_id) ?? new Map();
  const at = { settings, now: ctx.clock.now(), isMonitored: runs[0]?.is_monitored ?? true };
  const { own_cost_percent = null, own_sessions = null, own_measured_at = null } = runs[0] ?? {};
  const { statement_entries = null, statement_entries_limit = null } = runs[0] ?? {};
  const host = runs.find(({ probe }) => probe === HOST_PROBE)?.host_rows ?? [];
  const runsOf = Map.groupBy(runs, ({ probe }) => probe);
  const entries = probes.flatMap((probe) => entriesOf(probe, runsOf.get(probe.name) ?? [], at));
  return {
    connection_id,
    own_cost: {
      cost_percent: own_cost_percent,
      sessions: own_sessions,
      measured_at: own_measured_at,
      statement_entries,
      statement_entries_limit,
    },
    newest_gap: gapOf(runs[0]),
    counts: countsOf(entries),
    probes: (brief ? inBrief(entries) : entries).map(inOneLine),
    remedies: remediesOf(entries, SERVER_WIDE),
    log,
    ...hostOf(host),
  };
}

/** Has whatever is not collected tried again at once. Does not wait for it. The caller has checked access to the connection. */
export async function retestConnectionCoverage(
  ctx: Ctx,
  connection_id: number,
): Promise<Static<typeof RetestResponse>> {
  const asked = await queries.requestRetest(ctx.db, connection_id);
  if (asked === 0) throw new Fault('conflict', SWITCHED_OFF);
  return { status: 'requested' };
}

/** Has the statements of the server read every ten seconds for a while. The caller has checked access to the connection. */
export async function watchConnectionStatements(ctx: Ctx, connection_id: number): Promise<undefined> {
  const watched = await queries.watchStatements(ctx.db, connection_id);
  if (watched === 0) throw new Fault('conflict', SWITCHED_OFF);
  return undefined;
}

/** What the collectors ever ran on the server. The caller has checked access to the connection. */
export async function listConnectionStatements(
  ctx: Ctx,
  connection_id: number,
): Promise<Static<typeof LedgerResponse>> {
  const [statements, entries] = await Promise.all([
    queries.listStatements(ctx.db, connection_id),
    queries.statementEntries(ctx.db, connection_id),
  ]);
  const { statement_entries = null, statement_entries_limit = null } = entries ?? {};
  return { connection_id, statement_entries, statement_entries_limit, statements };
}
