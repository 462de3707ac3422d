// One round: reads what is new, judges it, and writes what that changes. Guards: at most three statements for each rule,
// whatever the number of connections, and only of connections whose probe brought something new; a sample that was held
// back is judged again until it is not; one rule cannot flood a server's list.

import type { Ctx } from '../areas/access/principal.ts';
import type { KnownRule } from '../areas/alert-rules/alert-rules.service.ts';
import { knownRules } from '../areas/alert-rules/alert-rules.service.ts';
import {
  type RuleInForce,
  type RulesInForce,
  readRulesInForce,
} from '../areas/alert-rules/in-force.service.ts';
import { isWorse, judge, type Verdict } from '../areas/alert-rules/judge.service.ts';
import type { AlertKey } from '../areas/alerts/alerts.types.ts';
import {
  type AlertChanges,
  isNothing,
  type Lease,
  type OnWritten,
  type OpenRow,
  readStanding,
  type Standing,
  type Written,
  writeChanges,
} from '../areas/alerts/changes.service.ts';
import { anomalyMetrics } from '../areas/baselines/baselines.service.ts';
import { Fault } from '../kernel/errors.ts';
import { probe as connectivity } from '../probes/pg-connectivity.ts';
import { type Freshness, readFreshness } from '../store/read/freshness.ts';
import { recentRuns } from '../store/read/recent-runs.ts';
import { judgeAnomalies } from './anomalies.ts';
import { findCauses, releaseFollowers, type Upstreams, upstreamsOf, waitsForUpstream } from './causes.ts';
import { judgeChannels } from './channel-alerts.ts';
import { judgeConnections } from './connection-alerts.ts';
import { mattersFor } from './matters.ts';
import { type Memory, runsOf, type Work } from './memory.ts';
import { type Asked, goneOf, type Judged, placeKey, readingsOf } from './readings.ts';
import { type Blackouts, CONNECTION, KnownAlerts, raisedByRule } from './standing.ts';
import { descriptionOf, titleOf } from './words.ts';

const JUDGED = [...knownRules.values(), ...anomalyMetrics];
const PROBES = [...new Set([connectivity.name, ...JUDGED.map(({ probe }) => probe.name)])];
/** Beyond, what a rule finds on one server waits; the worst come first. */
const MOST_OF_A_RULE = 100;

export interface RoundOptions {
  memory: Memory;
  lease: Lease;
  blackouts: Blackouts;
  onWritten: OnWritten;
  /** The datastore's time, in milliseconds since the epoch: samples have it too. */
  now: number;
}

export interface RoundReport {
  /** Rules that were asked, and values that could change anything. */
  rules: number;
  readings: number;
  fired: number;
  cleared: number;
  written: Written | undefined;
}

interface Round {
  ctx: Ctx;
  memory: Memory;
  standing: Standing;
  known: KnownAlerts;
  inForce: RulesInForce;
  isFresh: Freshness;
  /** Connections whose other alerts wait. */
  waiting: ReadonlySet<number>;
  upstreams: Upstreams;
  changes: AlertChanges;
  now: number;
  isStale: Asked['isStale'];
}

const keyFor = (name: string, judged: Omit<Judged, 'reading'>): AlertKey => ({
  connection_id: judged.connection_id,
  raised_by: raisedByRule(name),
  database_name: judged.database_name,
  object_name: judged.object_name,
});

function tellsOf({ rule, metric }: KnownRule, judged: Judged, set: RuleInForce) {
  const { database_name, object_name, reading } = judged;
  const { operator, threshold, severity, source } = set;
  const { value, says } = reading;
  const told = { rule, metric, operator, threshold, value: value ?? 0, says, database_name, object_name };
  return {
    metric_value: reading.value,
    operator,
    threshold_value: threshold,
    threshold_source: source,
    severity,
    title: titleOf(told),
    description: descriptionOf(told),
    sampled_at: new Date(reading.at).toISOString(),
  };
}

type Told = ReturnType<typeof tellsOf>;

/** A sample that does not meet the condition leaves the words of the alert as they are. */
function noteOpen(
  { changes }: Round,
  open: OpenRow,
  { verdict, told }: { verdict: Verdict; told: Told },
): void {
  if (verdict === 'cleared') changes.cleared.push({ id: open.id, message: null });
  if (verdict === 'holds') changes.held.push({ id: open.id, ...told, well_samples: 0 });
  if (verdict === 'better') {
    const metric_value = told.metric_value ?? open.metric_value;
    const well_samples = open.well_samples + 1;
    changes.held.push({ id: open.id, ...told, title: null, description: null, metric_value, well_samples });
  }
}

function note(round: Round, known: KnownRule, judged: Judged): Verdict {
  const { changes, memory } = round;
  const { rule, probe, metric } = known;
  const set = round.inForce.of(judged.connection_id, rule.name);
  const key = keyFor(rule.name, judged);
  const found = round.known.of(key);
  const isHeld = found.isHeld || waitsForUpstream(round, rule, judged.connection_id);
  const before = { ...found, isHeld };
  const verdict = judge(judged.reading, set, before);
  const told = tellsOf(known, judged, set);
  const open = round.known.openOf(key);
  if (open) noteOpen(round, open, { verdict, told });
  if (verdict === 'held') memory.askAgain(rule.name, judged.connection_id);
  if (verdict === 'pending') {
    const since = new Date(before.pending?.since ?? judged.reading.at).toISOString();
    changes.pending.push({ ...key, since, sampled_at: told.sampled_at });
  }
  if (verdict === 'calm' || (verdict === 'fired' && before.pending)) changes.calm.push(key);
  if (verdict === 'fired')
    changes.fired.push({
      ...key,
      ...told,
      alert_type: 'threshold',
      rule_id: set.rule_id,
      probe_name: probe.name,
      metric_name: rule.metric,
      metric_unit: metric.unit === '' ? null : metric.unit,
    });
  return verdict;
}

/** What was read of a rule, and of which connections it was asked. */
interface Found {
  readings: ReadonlyMap<string, Judged>;
  connection_ids: readonly number[];
}

const compareBy =
  ({ rule }: KnownRule) =>
  ({ reading: a }: Judged, { reading: b }: Judged) =>
    a.value === b.value || a.value === null || b.value === null
      ? 0
      : isWorse(a.value, b.value, rule)
        ? -1
        : 1;

/** Judges what was read of a rule; answers how many readings there were. */
async function judgeRule(round: Round, asked: Asked, found: Found): Promise<number> {
  const { known } = asked;
  const { name } = known.rule;
  const among = new Set(found.connection_ids);
  const isAsked = ({ connection_id }: { connection_id: number }) => among.has(connection_id);
  const open = new Map<number, number>();
  for (const { connection_id } of round.known.openOfRule(name))
    open.set(connection_id, (open.get(connection_id) ?? 0) + 1);
  const standing = [...round.known.openOfRule(name), ...round.known.pendingOfRule(name)];
  const missing = standing.filter((one) => isAsked(one) && !found.readings.has(placeKey(one)));
  const gone = await goneOf(round.ctx.db, asked, missing);
  const all = [...[...found.readings.values()].filter(isAsked).sort(compareBy(known)), ...gone];
  for (const judged of all) {
    const count = open.get(judged.connection_id) ?? 0;
    const isFull = count >= MOST_OF_A_RULE && !round.known.openOf(keyFor(name, judged));
    if (isFull) round.memory.askAgain(name, judged.connection_id);
    else if (note(round, known, judged) === 'fired') open.set(judged.connection_id, count + 1);
  }
  return all.length;
}

/** Rules of one probe, or of dates: what they judge is read together, of all connections that any of them asks for. */
async function judgeProbe(round: Round, work: readonly Work[]): Promise<number> {
  const { now, isFresh, isStale } = round;
  const asked = work.map(({ rule: known }) => {
    const mayMatter = mattersFor(round, known.rule.name);
    return { known, now, isFresh, isStale, mayMatter };
  });
  const connection_ids = [...new Set(work.flatMap((one) => one.connection_ids))];
  const found = await readingsOf(round.ctx.db, asked, connection_ids);
  let count = 0;
  for (const [index, one] of asked.entries()) {
    const readings = found[index] ?? new Map<string, Judged>();
    count += await judgeRule(round, one, { readings, connection_ids: work[index]?.connection_ids ?? [] });
  }
  return count;
}

/** What cannot be read of one probe is asked again, and keeps no other rule from being judged. */
async function tryProbe(round: Round, work: readonly Work[]): Promise<number> {
  try {
    return await judgeProbe(round, work);
  } catch (error) {
    if (error instanceof Fault && error.code === 'unavailable') throw error;
    const rules = work.map(({ rule }) => rule.rule.name);
    round.ctx.log.warn({ event: 'alerter.rules_failed', rules, err: error });
    for (const { rule, connection_ids } of work)
      for (const id of connection_ids) round.memory.askAgain(rule.rule.name, id);
    return 0;
  }
}

/** Open alerts of rules that are switched off there or that this program does not have, and of servers that nobody watches. */
function clearOrphans({ standing, known, inForce, changes }: Round): void {
  const watched = new Set(standing.watched.map(({ connection_id }) => connection_id));
  for (const { id, connection_id, raised_by } of known.open) {
    if (!watched.has(connection_id)) {
      changes.cleared.push({ id, message: 'The connection is not monitored any more.' });
      continue;
    }
    if (raised_by === CONNECTION || !raised_by.startsWith('rule:')) continue;
    const name = raised_by.slice('rule:'.length);
    const isKnown = knownRules.has(name);
    if (isKnown && inForce.of(connection_id, name).is_enabled) continue;
    const message = isKnown
      ? 'The rule was switched off here.'
      : 'This rule is not part of the program any more.';
    changes.cleared.push({ id, message });
  }
}

const empty = (): AlertChanges => ({
  fired: [],
  held: [],
  cleared: [],
  pending: [],
  calm: [],
  causes: [],
  released: [],
});

/** Undefined report of what was written: nothing had changed, or the lease was lost. */
export async function evaluate(ctx: Ctx, options: RoundOptions): Promise<RoundReport> {
  const { memory, lease, blackouts, onWritten, now } = options;
  const { db } = ctx;
  const runs = await recentRuns(db, { probes: PROBES, from: memory.lookFrom(now) });
  const standing = await readStanding(db);
  const inForce = await readRulesInForce(db);
  const known = new KnownAlerts(standing, blackouts);
  const answers = new Map(
    runs.flatMap(({ connection_id, probe, at }) =>
      probe === connectivity.name ? [[connection_id, at] as const] : [],
    ),
  );
  const changes = empty();
  const answeredAt = (id: number) => answers.get(id);
  const waiting = judgeConnections({ watched: standing.watched, known, answeredAt }, changes);
  if (memory.isMinute(now)) await judgeChannels(db, { watched: standing.watched, known, now }, changes);
  const isFresh = await readFreshness(db, now);
  const isSettled = memory.isSettled(now);
  const failing = new Set(
    standing.watched.flatMap((one) => (one.consecutive_failures > 0 ? [one.connection_id] : [])),
  );
  const isStale = (connection_id: number, probe: string) => {
    const at = answers.get(connection_id);
    if (at !== undefined && isFresh({ probe: connectivity, connection_id, at })) return true;
    // Nobody tries to reach it: that is told once, of the probe that tries.
    return probe === connectivity.name && !failing.has(connection_id) && isSettled;
  };
  const upstreams = await upstreamsOf(ctx, standing);
  const asked = { isFresh, isStale, now };
  const round = { ctx, memory, standing, known, inForce, waiting, upstreams, changes, ...asked };
  clearOrphans(round);
  const work = memory.workOf({ runs, watched: standing.watched, waiting, inForce, now });
  let readings = 0;
  for (const own of Map.groupBy(work, ({ rule }) => runsOf(rule)).values())
    readings += await tryProbe(round, own);
  const { watched } = standing;
  await judgeAnomalies({ ...round, db, log: ctx.log, memory: memory.anomalies, runs, watched }, changes);
  findCauses(round);
  releaseFollowers(round, round);
  const by = { lease, known: standing.alerts, onWritten };
  const written = isNothing(changes) ? undefined : await writeChanges(ctx, changes, by);
  const isLost = !isNothing(changes) && written === undefined;
  if (!isLost) memory.done();
  const [fired, cleared] = [written?.fired.length ?? 0, written?.cleared.length ?? 0];
  return { rules: work.length, readings, fired, cleared, written };
}
