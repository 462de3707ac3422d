// What is collected from a server, and why something is not: the catalog of probes against what became of each run.

import { HOST_PROBE } from '../../hosts/collect.ts';
import type { Static } from '../../kernel/schema.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Ctx } from '../access/principal.ts';
import type { CoverageEntry, CoverageResponse } from './estate.contract.ts';
import { type HostFact, listRuns, type RunRow } from './estate.queries.ts';

type Entry = Static<typeof CoverageEntry>;
type Coverage = Static<typeof CoverageResponse>;

/** As many intervals without a sample make it stale. */
const STALE_INTERVALS = 3;

const STALE = 'No newer sample has come for three intervals.';
const SWITCHED_OFF = 'Monitoring of this connection is switched off.';
const WAITING = 'Not collected yet.';

/** What a skipped probe lacks shows in what would mend it. */
function skippedStatus(mend: string | null): Entry['status'] {
  if (mend !== null && /^create extension\b/i.test(mend)) return 'missing_extension';
  if (mend !== null && /^grant\b/i.test(mend)) return 'missing_grant';
  return 'skipped';
}

type Verdict = Pick<Entry, 'status' | 'reason' | 'mend'>;

function verdictOf(row: RunRow, intervalSeconds: number, now: number): Verdict {
  const { outcome, reason, mend, collected_at, is_monitored } = row;
  if (outcome === 'failed') return { status: 'failing', reason, mend };
  if (outcome === 'skipped') return { status: skippedStatus(mend), reason, mend };
  if (collected_at === null) return { status: 'waiting', reason: WAITING, mend: null };
  const isStale = now - Date.parse(collected_at) > STALE_INTERVALS * intervalSeconds * 1000;
  if (isStale) return { status: 'stale', reason: is_monitored ? STALE : SWITCHED_OFF, mend: null };
  // A run may have something to say all the same, e.g. that some rows were cut off.
  return { status: 'ok', reason, mend: null };
}

interface Catalogued {
  name: string;
  intervalSeconds: number;
}

export function entriesOf(probe: Catalogued, runs: readonly RunRow[], now: number): Entry[] {
  const interval_seconds = probe.intervalSeconds;
  const mine = runs.filter((run) => run.probe === probe.name);
  if (mine.length === 0) {
    const isMonitored = runs[0]?.is_monitored ?? true;
    const reason = isMonitored ? WAITING : SWITCHED_OFF;
    const nothing = { database_name: null, mend: null, collected_at: null, took_ms: null, row_count: null };
    return [{ probe: probe.name, status: 'waiting', reason, ...nothing, interval_seconds }];
  }
  return mine.map((run) => ({
    probe: probe.name,
    database_name: run.database_name || null,
    ...verdictOf(run, interval_seconds, now),
    collected_at: run.collected_at,
    took_ms: run.took_ms,
    row_count: run.row_count,
    interval_seconds,
  }));
}

function hostOf(facts: readonly HostFact[]): Pick<Coverage, 'host_sources' | 'host_values'> {
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

/** One statement. Whoever calls has checked the access to the connection. */
export async function getConnectionCoverage(ctx: Ctx, connection_id: number): Promise<Coverage> {
  const runs = await listRuns(ctx.db, connection_id);
  const now = ctx.clock.now();
  const host = runs.find(({ probe }) => probe === HOST_PROBE)?.host_rows ?? [];
  return {
    connection_id,
    probes: probes.flatMap((probe) => entriesOf(probe, runs, now)),
    ...hostOf(host),
  };
}
