// Which rules judge nothing on a server, or not all of what there is, why, and what mends it: the rules against the coverage
// of the connection, and against the dates that are known of it. Guards: a rule is idle only where nothing of what it reads is
// collected, in no database, or where that tells no date yet; what only has to be collected yet is not idle.

import { getConnectionCoverage } from '../../estate/estate.ts';
import { type DaysLeft, readDaysLeft } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Static } from '../../kernel/schema.ts';
import { AUTO_EXPLAIN } from '../../probes/auto-explain.ts';
import type { DatedKind } from '../../probes/metric-types.ts';
import { serverLog } from '../../probes/server-log.ts';
import { listRules } from './alert-rules.queries.ts';
import type { IdleRule, IdleRules } from './alert-rules.schemas.ts';
import { inOrder } from './alert-rules.service.ts';
import { demandKnown, type KnownRule, knownRules, ruleNames } from './known-rules.service.ts';
import { plansKnown } from './plan-regressions.service.ts';

/** What rules judge the dates of. */
const DATED: readonly DatedKind[] = [
  ...new Set(
    [...knownRules.values()].flatMap(({ metric: { value } }) =>
      value.kind === 'days left' ? [value.of] : [],
    ),
  ),
];

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
const isBlindStatus = (status: Entry['status']) => status === 'missing_grant';
const isBlind = ({ status, row_count }: Entry) => isBlindStatus(status) && (row_count ?? 0) > 0;

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

/** Those that end what keeps the rule idle: others mend only what the rule does not need, or nothing yet. */
function remediesOf({ remedies }: Coverage, { probe, status }: Entry): Idle['remedies'] {
  const ends = (of: Entry['status']) =>
    status === 'masked' || isBlindStatus(status) ? of === 'masked' || isBlindStatus(of) : !COMES.has(of);
  return remedies
    .filter((remedy) => status !== 'waiting' && remedy.probes.includes(probe) && ends(remedy.status))
    .map(({ statement, database_name, run_on, needs_restart }) => ({
      ...{ statement, database_name, run_on, needs_restart },
    }));
}

interface Of {
  id: number;
  name: string;
}

function told(coverage: Coverage, { id, name }: Of, entry: Entry): Idle {
  const { probe, status, reason } = entry;
  return {
    ...{ rule_id: id, name, title: demandKnown(name).rule.title, probe, status },
    reason: reason ?? 'It is not collected.',
    remedies: remediesOf(coverage, entry),
  };
}

const NOT_FOUND = 'When it runs out was not found yet; that is done every three hours.';

/** Why there is no date where its probe brings something; undefined: there is one, or nothing that runs out. */
function noDateOf(dates: DaysLeft, connection_id: number, kind: DatedKind): string | undefined {
  if (!dates.foundAt.has(connection_id)) return NOT_FOUND;
  const own = (dates.values.get(kind) ?? []).filter((one) => one.connection_id === connection_id);
  if (own.some(({ value }) => value !== null)) return undefined;
  return own[0]?.says ?? dates.whyUnknown(connection_id, kind);
}

/** Why the log cannot be judged: it is not read, or cannot be. */
function withoutLog({ log }: Coverage, { id, name }: Of): Idle | null {
  if (!log || log.state === 'reading') return null;
  const { mend } = log;
  const remedy = mend === null ? [] : [{ statement: mend, database_name: null, run_on: 'server' as const }];
  return {
    ...{ rule_id: id, name, title: demandKnown(name).rule.title, probe: serverLog.name },
    status: log.state === 'stale' ? 'stale' : 'missing_source',
    reason: log.reason ?? 'The log is not read.',
    remedies: remedy.map((one) => ({ ...one, needs_restart: mend?.includes('restart') === true })),
  };
}

const NO_PLANS =
  'No plans are known of the server: auto_explain does not log any, and neither pg_store_plans nor pg_stat_plans is installed.';

/** Why plans cannot be compared, where the log is read. */
function withoutPlans({ id, name }: Of): Idle {
  const remedy = { statement: AUTO_EXPLAIN, database_name: null, run_on: 'server' as const };
  return {
    ...{ rule_id: id, name, title: demandKnown(name).rule.title, probe: serverLog.name },
    status: 'missing_source',
    reason: NO_PLANS,
    remedies: [{ ...remedy, needs_restart: false }],
  };
}

/** What is known of a connection that tells which rules are idle there. */
export interface IdleFacts {
  coverage: Coverage;
  dates: DaysLeft;
  plans: Awaited<ReturnType<typeof plansKnown>>;
}

/** Why a rule judges nothing there; null: it has something to judge, or will have. */
export function idleOf({ coverage, dates, plans }: IdleFacts, rule: Of): Idle | null {
  const known = demandKnown(rule.name);
  const isPlans = known.source === 'plans';
  if (isPlans && plans.is_counted) return null;
  if (known.source === 'log' || isPlans) {
    const found = withoutLog(coverage, rule);
    return found ?? (isPlans && !plans.has_plans ? withoutPlans(rule) : null);
  }
  for (const probe of probesOf(known)) {
    const missing = missingOf(coverage, probe);
    if (missing) return told(coverage, rule, missing);
  }
  const { value } = known.metric;
  const entry = coverage.probes.find(
    ({ probe, collected_at }) => probe === known.probe.name && collected_at !== null,
  );
  if (value.kind !== 'days left' || !entry) return null;
  const reason = noDateOf(dates, coverage.connection_id, value.of);
  return reason === undefined ? null : told(coverage, rule, { ...entry, status: 'waiting', reason });
}

/** Why a rule that is not idle does not see all objects there; null: nothing is withheld from it. */
export function partlyBlindOf(known: IdleFacts, rule: Of): Idle | null {
  const { coverage } = known;
  const { probe } = demandKnown(rule.name);
  if (!probe.unreadable || idleOf(known, rule)) return null;
  const entries = coverage.probes.filter((entry) => entry.probe === probe.name);
  const found = entries.find(isBlind) ?? entries.find(({ status }) => status === 'masked');
  return found ? told(coverage, rule, found) : null;
}

/** The caller has checked access to the connection. */
export async function readKnown(ctx: Ctx, connection_id: number): Promise<IdleFacts> {
  const coverage = await getConnectionCoverage(ctx, connection_id);
  const dates = await readDaysLeft(ctx.db, { connection_ids: [connection_id], kinds: DATED });
  return { coverage, dates, plans: await plansKnown(ctx.db, connection_id) };
}

/** The caller has checked access to the connection. */
export async function listIdleAlertRules(ctx: Ctx, connection_id: number): Promise<Static<typeof IdleRules>> {
  const known = await readKnown(ctx, connection_id);
  const rules = await listRules(ctx.db, ruleNames);
  const those = (why: typeof idleOf) =>
    inOrder(
      rules.flatMap((row) => {
        const found = why(known, row);
        return found ? [{ ...found, category: demandKnown(row.name).rule.category }] : [];
      }),
    );
  return { connection_id, rules: those(idleOf), partly_blind: those(partlyBlindOf) };
}
