// Judges servers and keeps what was found: new, changed, gone, and what the remedy brought. Guards: one evaluation of many servers
// takes a few statements a probe; what could not be judged keeps its findings as they were; findings, resolutions and what is
// unknown are written in one transaction, by whoever has the lease.

import { type Ctx, inTransaction } from '../../identity/identity.ts';
import { append } from '../../kernel/lists.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { isoOrNull } from '../../kernel/times.ts';
import { checks as everyCheck } from '../checks/catalog.gen.ts';
import { type CollectedFacts, Facts } from '../checks/facts.ts';
import { judgeAll, keyOf, type Verdict } from '../checks/judge.ts';
import type { KeptPlans, LoggedPlans } from '../checks/kept-plan.ts';
import type { Check, Problem } from '../checks/types.ts';
import { loggedPlans } from '../query-plans/regressions.service.ts';
import { type KnownServer, readKnown } from './collected-facts.service.ts';
import { type Days, readDays } from './days.service.ts';
import { type SeenPlan, savePlans } from './plans.queries.ts';
import { newPlans, readPlans } from './plans.service.ts';
import * as queries from './stored.queries.ts';

export interface Evaluation {
  servers: readonly queries.Due[];
  /** Of the job; absent: nobody else can be at it. */
  lease?: queries.Lease;
  /** Other than the catalog's, in tests. */
  checks?: readonly Check[];
  /** Members of clusters that cannot be read now. */
  without?: readonly number[];
}

export interface EvaluationReport {
  servers: number;
  /** New, come again, or with other figures. */
  written: number;
  resolved: number;
}

/** Figures are written anew when they moved by so much, or are so old. */
const MOVED = 0.05;
const OLD_MS = 3_600_000;
/** The figure went at least half of the way that was promised. */
const CONFIRMED_SHARE = 0.5;

const storedKey = ({ database_name, object_key }: queries.KeptFinding) => `${database_name}\n${object_key}`;
const checkKey = (connection_id: number, name: string) => `${connection_id}\n${name}`;

function toWrite(connection_id: number, { name, proof }: Check, found: Problem): queries.WrittenFinding {
  const { object_name, object_key = object_name, figure, rows = [] } = found;
  return {
    connection_id,
    check_name: name,
    database_name: found.database_name,
    object_key,
    object_name,
    severity: found.severity,
    message: found.message,
    figure: figure?.value ?? null,
    figure_unit: figure?.unit ?? null,
    promised: figure === null ? null : (figure.promised ?? 0),
    evidence: found.evidence,
    evidence_rows: rows,
    remedy: found.remedy,
    counted_since: isoOrNull(found.since),
    proof: found.proof ?? proof,
  };
}

/** Whether it says something else than what is kept. */
function isNews(kept: queries.KeptFinding | undefined, found: Problem, now: number): boolean {
  if (!kept?.is_open || kept.severity !== found.severity || kept.object_name !== found.object_name)
    return true;
  if (now - kept.figured_at >= OLD_MS) return true;
  const before = kept.figure;
  const after = found.figure?.value ?? null;
  if (before === null || after === null) return before !== after;
  return Math.abs(after - before) > MOVED * Math.max(Math.abs(before), Math.abs(after));
}

function resolvedAs(kept: queries.KeptFinding, { check, applies }: Verdict, facts: Facts): queries.Resolved {
  const { id, figure, promised } = kept;
  const figure_after = applies ? (check.figureAfter?.(facts, kept) ?? null) : null;
  if (figure === null || promised === null || figure_after === null)
    return { id, figure_after, is_confirmed: false };
  const way = figure - promised;
  const is_confirmed = way !== 0 && (figure - figure_after) / way >= CONFIRMED_SHARE;
  return { id, figure_after, is_confirmed };
}

/** Nothing is said of what could not be judged. */
const isBlind = ({ unknown }: Verdict, { database_name }: queries.KeptFinding): boolean =>
  unknown.some((one) => !one.database_name || one.database_name === database_name);

interface Changes {
  written: queries.WrittenFinding[];
  resolved: queries.Resolved[];
  /** Resolved before: what that brought may be told by a reading that came later. */
  told: queries.Resolved[];
  runs: queries.FindingRun[];
  plans: SeenPlan[];
}

interface JudgedConnection {
  connection_id: number;
  facts: Facts;
  verdicts: readonly Verdict[];
  /** Checks that were not judged this time. */
  left_as_they_are: readonly string[];
}

function noteChanges(
  changes: Changes,
  { connection_id, facts, verdicts, left_as_they_are }: JudgedConnection,
  kept: ReadonlyMap<string, readonly queries.KeptFinding[]>,
): void {
  for (const verdict of verdicts) {
    const own = kept.get(checkKey(connection_id, verdict.check.name)) ?? [];
    const byKey = new Map(own.map((one) => [storedKey(one), one]));
    for (const found of verdict.found)
      if (isNews(byKey.get(keyOf(found)), found, facts.now))
        changes.written.push(toWrite(connection_id, verdict.check, found));
    for (const one of own) {
      if (verdict.keys.has(storedKey(one)) || isBlind(verdict, one)) continue;
      if (one.is_open) changes.resolved.push(resolvedAs(one, verdict, facts));
      else if (one.awaits_effect) changes.told.push(resolvedAs(one, verdict, facts));
    }
  }
  const unknown = verdicts.flatMap((verdict) =>
    verdict.unknown.map(({ because, mend, database_name = '' }) => ({
      check_name: verdict.check.name,
      database_name,
      because,
      mend,
    })),
  );
  const checks = verdicts.filter(({ applies }) => applies).length + left_as_they_are.length;
  changes.runs.push({ connection_id, checks, unknown, left_as_they_are });
}

/** Servers with the other watched members of their clusters. */
async function withMembers(
  ctx: Ctx,
  servers: readonly queries.Due[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const clusters = [
    ...new Set(servers.flatMap(({ cluster_id }) => (cluster_id === null ? [] : [cluster_id]))),
  ];
  const members = Map.groupBy(
    clusters.length > 0 ? await queries.membersOf(ctx.db, clusters) : [],
    ({ cluster_id }) => cluster_id,
  );
  return new Map(
    servers.map(({ connection_id, cluster_id }) => {
      const all = (members.get(cluster_id) ?? []).map((member) => member.connection_id);
      return [connection_id, cluster_id === null ? [] : all.filter((id) => id !== connection_id)];
    }),
  );
}

interface Kept {
  others: readonly number[];
  days: Days | undefined;
  plans: KeptPlans | undefined;
  logged: LoggedPlans | undefined;
}

/** What is known of servers; as a member of a cluster each is asked by all the others, and read once. */
class FactsOf {
  readonly #known: ReadonlyMap<number, KnownServer>;
  readonly #members = new Map<number, Facts>();

  constructor(known: ReadonlyMap<number, KnownServer>) {
    this.#known = known;
  }

  #of(id: number): CollectedFacts {
    return this.#known.get(id)?.known ?? { now: 0, readings: new Map() };
  }

  #member(id: number): Facts {
    const facts = this.#members.get(id) ?? new Facts(this.#of(id));
    this.#members.set(id, facts);
    return facts;
  }

  server(id: number, { others, days, plans, logged }: Kept): Facts {
    return new Facts(
      { ...this.#of(id), ...(days && { days }), ...(plans && { plans }), ...(logged && { logged }) },
      others.map((one) => this.#member(one)),
    );
  }
}

/** All checks on these servers. */
export async function evaluateFindings(
  ctx: Ctx,
  { servers, lease, checks = everyCheck, without = [] }: Evaluation,
): Promise<EvaluationReport> {
  const members = await withMembers(ctx, servers);
  const all = new Set([...members].flatMap(([id, others]) => [id, ...others]));
  const connection_ids = [...all.difference(new Set(without))];
  const now = ctx.clock.now();
  const known = await readKnown(ctx.db, { connection_ids, checks, now });
  const factsOf = new FactsOf(known);
  const own = servers.map(({ connection_id }) => connection_id);
  const kept = Map.groupBy(await queries.keptFindings(ctx.db, own), (one) =>
    checkKey(one.connection_id, one.check_name),
  );
  const plans = await readPlans(ctx.db, own);
  const logged = await loggedPlans(ctx, own);
  const days = await readDays(ctx.db, { servers, checks, now });
  const changes: Changes = { written: [], resolved: [], told: [], runs: [], plans: [] };
  const onFailed = (check: Check, err: unknown) =>
    ctx.log.error({ event: 'findings.check_failed', check: check.name, err });
  for (const [connection_id, others] of members) {
    await yieldIfBusy();
    const ownDays = days.get(connection_id);
    const facts = factsOf.server(connection_id, {
      ...{ others, days: ownDays, plans: plans.get(connection_id) },
      logged: logged.get(connection_id),
    });
    const judged = ownDays ? checks : checks.filter((check) => check.days === undefined);
    const troubles = known.get(connection_id)?.troubles ?? new Map();
    const verdicts = judgeAll(judged, { facts, troubles, onFailed });
    const left_as_they_are = checks.flatMap((check) => (judged.includes(check) ? [] : [check.name]));
    append(changes.plans, newPlans(connection_id, facts));
    noteChanges(changes, { connection_id, facts, verdicts, left_as_they_are }, kept);
  }
  await inTransaction(ctx, async ({ db }) => {
    if (lease && !(await queries.holdsLease(db, lease))) return;
    if (changes.written.length > 0) await queries.saveFindings(db, changes.written);
    if (changes.resolved.length > 0) await queries.resolveFindings(db, changes.resolved);
    const told = changes.told.filter(({ figure_after }) => figure_after !== null);
    if (told.length > 0) await queries.resolveFindings(db, told);
    if (changes.plans.length > 0) await savePlans(db, changes.plans);
    await queries.saveRuns(db, changes.runs);
  });
  const { written, resolved } = changes;
  return { servers: servers.length, written: written.length, resolved: resolved.length };
}
