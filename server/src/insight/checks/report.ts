// The verdict on one server as plain data: what a page, a file or a program says of it. Pure.
import type { Severity } from '../../alerting/rules/types.ts';
import type { Verdict } from './judge.ts';
import type { ServerRead, Watched } from './server-read.ts';
import type { CheckCategory, EvidenceValue, Proof } from './types.ts';
import { withheldFirst } from './withheld.ts';

export const DOCUMENTATION = 'https://www.postgresql.org/docs/current/';

export interface ReportedFinding {
  check: string;
  category: CheckCategory;
  title: string;
  severity: Severity;
  /** Null: the server as a whole. */
  database_name: string | null;
  object_name: string | null;
  message: string;
  meaning: string;
  advice: string;
  caution: string;
  proof: Proof;
  /** RFC 3339: begin of what was counted; null: it is of one moment. */
  counted_since: string | null;
  figure: number | null;
  figure_unit: string | null;
  evidence: Readonly<Record<string, EvidenceValue>>;
  evidence_rows: readonly Readonly<Record<string, EvidenceValue>>[];
  remedy: string;
  documentation_url: string;
}

export interface ReportedUnknown {
  because: string;
  mend: string | null;
  /** Titles of the checks that wait for it, and where. */
  checks: readonly string[];
  databases: readonly string[];
}

export interface Report {
  product: string;
  version: string;
  /** RFC 3339. */
  checked_at: string;
  server: Omit<ServerRead, 'known' | 'troubles' | 'watched'> & { is_standby: boolean | null };
  watched: Watched;
  /** The gravest that was found; null: nothing. */
  worst: Severity | null;
  counts: Record<Severity, number>;
  /** Checks that apply, and those of them that found nothing and know all. */
  checks: { applied: number; well: number };
  findings: readonly ReportedFinding[];
  unknown: readonly ReportedUnknown[];
}

const GRAVEST_FIRST = ['critical', 'warning', 'info'] as const;

function reported({ check, found }: Verdict): ReportedFinding[] {
  const { name, category, title, meaning, advice, caution, proof, source } = check;
  return found.map((one) => ({
    ...{ check: name, category, title, meaning, advice, caution, proof: one.proof ?? proof },
    severity: one.severity,
    database_name: one.database_name || null,
    object_name: one.object_name || null,
    message: one.message,
    counted_since: one.since === undefined ? null : new Date(one.since).toISOString(),
    figure: one.figure?.value ?? null,
    figure_unit: one.figure?.unit ?? null,
    evidence: one.evidence,
    evidence_rows: one.rows ?? [],
    remedy: one.remedy,
    documentation_url: DOCUMENTATION + source,
  }));
}

/** Each reason once, with all that waits for it: what a grant would let us read, then the one that most wait for. */
function unknownOf(verdicts: readonly Verdict[]): ReportedUnknown[] {
  const all = verdicts.flatMap(({ check, unknown }) =>
    unknown.map((one) => ({ title: check.title, ...one })),
  );
  const reasons = Map.groupBy(all, ({ because, mend }) => `${because}\n${mend ?? ''}`);
  const unknown = [...reasons.values()]
    .flatMap(([first, ...rest]) => {
      if (!first) return [];
      const own = [first, ...rest];
      const databases = [...new Set(own.flatMap(({ database_name = '' }) => database_name || []))];
      const checks = [...new Set(own.map(({ title }) => title))];
      return [{ because: first.because, mend: first.mend, checks, databases }];
    })
    .toSorted((a, b) => b.checks.length - a.checks.length);
  return withheldFirst(unknown);
}

export function reportOf(
  read: ServerRead,
  verdicts: readonly Verdict[],
  of: { product: string; version: string; is_standby: boolean | null },
): Report {
  const { known, troubles: _troubles, watched, ...server } = read;
  const findings = verdicts
    .flatMap(reported)
    .toSorted((a, b) => GRAVEST_FIRST.indexOf(a.severity) - GRAVEST_FIRST.indexOf(b.severity));
  const counts = { info: 0, warning: 0, critical: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  const applied = verdicts.filter(({ applies }) => applies);
  const well = applied.filter(({ found, unknown }) => found.length === 0 && unknown.length === 0);
  return {
    product: of.product,
    version: of.version,
    checked_at: new Date(known.now).toISOString(),
    server: { ...server, is_standby: of.is_standby },
    watched,
    worst: GRAVEST_FIRST.find((one) => counts[one] > 0) ?? null,
    counts,
    checks: { applied: applied.length, well: well.length },
    findings,
    unknown: unknownOf(verdicts),
  };
}
