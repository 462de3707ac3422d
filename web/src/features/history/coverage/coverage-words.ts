// Words and marks for what is collected and what is not.
import type { Coverage, CoverageEntry } from '../../../api/types.ts';
import type { Mark } from '../../../ui/status.tsx';

type CoverageStatus = CoverageEntry['status'];

export const COVERAGE_STATES: Record<CoverageStatus, { label: string; mark: Mark; rank: number }> = {
  failing: { label: 'Failing', mark: 'failed', rank: 0 },
  missing_grant: { label: 'Grant missing', mark: 'warning', rank: 1 },
  missing_extension: { label: 'Extension missing', mark: 'warning', rank: 2 },
  masked: { label: 'Values hidden', mark: 'warning', rank: 3 },
  incomplete: { label: 'Incomplete', mark: 'unknown', rank: 7 },
  stale: { label: 'Stale', mark: 'stale', rank: 4 },
  skipped: { label: 'Skipped', mark: 'skipped', rank: 5 },
  missing_source: { label: 'No source', mark: 'unknown', rank: 6 },
  waiting: { label: 'Waiting', mark: 'waiting', rank: 8 },
  ok: { label: 'Collected', mark: 'ok', rank: 9 },
  disabled: { label: 'Switched off', mark: 'skipped', rank: 10 },
  not_applicable: { label: 'Not on this server', mark: 'skipped', rank: 11 },
};

const FINE: ReadonlySet<CoverageStatus> = new Set(['ok', 'disabled', 'not_applicable']);

/** Nothing to do: collected, switched off by somebody, or nothing that this server has. What never ran is neither. */
export const isFine = (status: CoverageStatus) => FINE.has(status);

/** What is not collected in full, could be, and will not be by waiting, worst first. */
export function problemsOf(coverage: Coverage): CoverageEntry[] {
  return coverage.probes
    .filter(({ status }) => !FINE.has(status) && status !== 'waiting' && status !== 'incomplete')
    .sort((a, b) => COVERAGE_STATES[a.status].rank - COVERAGE_STATES[b.status].rank);
}

const SOURCES = new Map([
  ['local', 'the machine itself'],
  ['node_exporter', 'node_exporter'],
  ['system_stats', 'extension system_stats'],
  ['sql_files', 'files read through SQL'],
  ['server_version', 'PostgreSQL’s version text'],
]);

export function sourceTitle(source: string): string {
  return SOURCES.get(source) ?? source;
}
