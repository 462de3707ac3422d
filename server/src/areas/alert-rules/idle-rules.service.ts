// Which rules judge nothing on a server, or not all of what there is, why, and what mends it: the rules against the coverage
// of the connection. Guards: a rule is idle only where nothing of what it reads is collected, in no database; what only has to
// come yet is not idle.
import type { Static } from '../../kernel/schema.ts';
import type { Ctx } from '../access/principal.ts';
import { getConnectionCoverage } from '../estate/coverage.service.ts';
import { listRules } from './alert-rules.queries.ts';
import type { IdleRule, IdleRules } from './alert-rules.schemas.ts';
import { demandKnown, inOrder, type KnownRule, ruleNames } from './alert-rules.service.ts';

type Coverage = Awaited<ReturnType<typeof getConnectionCoverage>>;
type Entry = Coverage['probes'][number];
type Idle = Static<typeof IdleRule>;

/** Rows come, though some may lack values; or they are still to come, or late, of which another rule tells. */
const COMES: ReadonlySet<Entry['status']> = new Set(['ok', 'incomplete', 'masked', 'waiting', 'stale']);

/** What has to be collected for a rule: what it reads, and what limits that. */
function probesOf({ probe, metric }: KnownRule): string[] {
  const { value } = metric;
  return value.kind === 'share' ? [probe.name, value.limit.probe] : [probe.name];
}

/** Rows came, and what they are about is in none of them: our role sees that objects are there and may not read them. */
const isBlind = ({ status, row_count }: Entry) => status === 'missing_grant' && (row_count ?? 0) > 0;

/** Whether there is, or will be, something to judge; beside objects that cannot be read a database without any is nothing. */
function comes(entries: readonly Entry[]): boolean {
  const coming = entries.filter(({ status }) => COMES.has(status));
  return coming.some(({ row_count }) => row_count !== 0) || (coming.length > 0 && !entries.some(isBlind));
}

/** Of entries that are all missing, the one to tell of: one that can be mended, and that is of most interest then. */
const LAST: ReadonlySet<Entry['status']> = new Set(['not_applicable', 'disabled']);
const rankOf = ({ mend, status }: Entry) => (mend !== null ? 0 : LAST.has(status) ? 2 : 1);

/** Why nothing of a probe is collected; undefined: something is, or will be. */
function missingOf({ probes }: Coverage, probe: string): Entry | undefined {
  const entries = probes.filter((entry) => entry.probe === probe);
  if (comes(entries)) return undefined;
  const missing = entries.filter(({ status }) => !COMES.has(status));
  return missing.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}

function remediesOf({ remedies }: Coverage, probe: string): Idle['remedies'] {
  return remedies
    .filter(({ probes }) => probes.includes(probe))
    .map(({ statement, database_name, run_on, needs_restart }) => ({
      ...{ statement, database_name, run_on, needs_restart },
    }));
}

interface Of {
  id: number;
  name: string;
}

function told(coverage: Coverage, { id, name }: Of, { probe, status, reason }: Entry): Idle {
  return {
    ...{ rule_id: id, name, title: demandKnown(name).rule.title, probe, status },
    reason: reason ?? 'It is not collected.',
    remedies: remediesOf(coverage, probe),
  };
}

/** Why a rule judges nothing there; null: it has something to judge, or will have. */
export function idleOf(coverage: Coverage, rule: Of): Idle | null {
  for (const probe of probesOf(demandKnown(rule.name))) {
    const missing = missingOf(coverage, probe);
    if (missing) return told(coverage, rule, missing);
  }
  return null;
}

/** Why a rule that is not idle does not see all objects there; null: nothing is withheld from it. */
export function partlyBlindOf(coverage: Coverage, rule: Of): Idle | null {
  const { probe } = demandKnown(rule.name);
  if (!probe.unreadable || idleOf(coverage, rule)) return null;
  const entries = coverage.probes.filter((entry) => entry.probe === probe.name);
  const found = entries.find(isBlind) ?? entries.find(({ status }) => status === 'masked');
  return found ? told(coverage, rule, found) : null;
}

/** Whoever calls has checked the access to the connection. */
export async function listIdleAlertRules(ctx: Ctx, connection_id: number): Promise<Static<typeof IdleRules>> {
  const coverage = await getConnectionCoverage(ctx, connection_id);
  const rules = await listRules(ctx.db, ruleNames);
  const those = (why: typeof idleOf) =>
    inOrder(
      rules.flatMap((row) => {
        const found = why(coverage, row);
        return found ? [{ ...found, category: demandKnown(row.name).rule.category }] : [];
      }),
    );
  return { connection_id, rules: those(idleOf), partly_blind: those(partlyBlindOf) };
}
