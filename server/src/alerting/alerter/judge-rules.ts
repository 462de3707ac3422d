// What was read of rules becomes changes of alerts: fired, held, cleared, pending. Guards: rules of one probe are read together, and
// while another is judged; what cannot be read of one keeps no other from being judged; one rule cannot flood a server's list.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { isHostProbe } from '../../probes/types.ts';
import type { Freshness } from '../../store/read/doors/runs.ts';
import type { RuleInForce, RulesInForce } from '../alert-rules/in-force.service.ts';
import { isWorse, judge, meets, type Verdict } from '../alert-rules/judge.service.ts';
import type { KnownRule } from '../alert-rules/known-rules.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import { descriptionOf, titleOf } from './alert-texts.ts';
import { withBlockers } from './blockers.ts';
import { type Upstreams, waitsForUpstream } from './causes.ts';
import { type AlertChanges, applyToOpen } from './changes.ts';
import { withDropped } from './dropped-indexes.ts';
import { type Hosts, NO_HOSTS, onePerHost } from './hosts.ts';
import { intendedDelays } from './intended-delays.ts';
import { type DueRule, type Memory, runKeyOf } from './memory.ts';
import { withNames } from './named-objects.ts';
import { withSessions } from './named-sessions.ts';
import { withStatements } from './named-statements.ts';
import { type OpenAlerts, type OpenState, raisedByRule } from './open-alerts.ts';
import { readAhead } from './read-ahead.ts';
import type { RuleReadings } from './reading-details.ts';
import {
  type KeyedReading,
  type ReadingContext,
  readingKey,
  readingsOf,
  readingsOfGone,
  relevanceOf,
} from './readings.ts';

/** Beyond, what a rule finds on one server waits; the worst come first. */
const MOST_OF_A_RULE = 100;
/** Probes of which something is read, or held, at once. */
const READ_AT_ONCE = 3;

export interface Round {
  ctx: Ctx;
  memory: Memory;
  state: OpenState;
  alerts: OpenAlerts;
  inForce: RulesInForce;
  isFresh: Freshness;
  /** Connections whose other alerts wait. */
  waiting: ReadonlySet<number>;
  upstreams: Upstreams;
  changes: AlertChanges;
  now: number;
  expectedSince: ReadingContext['expectedSince'];
  /** Read once, where a rule about hosts has something to judge. */
  hosts(): Promise<Hosts>;
}

const keyFor = (name: string, judged: Omit<KeyedReading, 'reading'>): AlertKey => ({
  connection_id: judged.connection_id,
  raised_by: raisedByRule(name),
  database_name: judged.database_name,
  object_name: judged.object_name,
});

function fieldsOf({ rule, metric }: KnownRule, judged: KeyedReading, set: RuleInForce) {
  const { database_name, object_name, reading } = judged;
  const { operator, threshold, severity, source } = set;
  const { value, says, because, names } = reading;
  const { hostNote } = judged;
  const input = {
    rule,
    metric,
    operator,
    threshold,
    value: value ?? 0,
    says,
    because,
    names,
    database_name,
    object_name,
  };
  return {
    metric_value: reading.value,
    operator,
    threshold_value: threshold,
    threshold_source: source,
    severity,
    title: titleOf(input),
    description: hostNote === undefined ? descriptionOf(input) : `${descriptionOf(input)} ${hostNote}`,
    detail: says ?? null,
    sampled_at: new Date(reading.at).toISOString(),
  };
}

function applyReading(round: Round, known: KnownRule, judged: KeyedReading): Verdict {
  const { changes, memory } = round;
  const { rule, probe, metric } = known;
  const set = round.inForce.of(judged.connection_id, rule.name);
  const key = keyFor(rule.name, judged);
  const found = round.alerts.stateOf(key);
  const isSuppressed = found.isSuppressed || waitsForUpstream(round, rule, judged.connection_id);
  const before = { ...found, isSuppressed };
  const verdict = judge(judged.reading, set, before);
  const words = fieldsOf(known, judged, set);
  const open = round.alerts.openOf(key);
  const fields = open && judged.reading.keepsWords ? { ...words, title: null, description: null } : words;
  if (open) applyToOpen(changes, open, { verdict, fields });
  if (verdict === 'suppressed') memory.judgeAgain(rule.name, judged.connection_id);
  if (verdict === 'pending') {
    const since = new Date(before.pending?.since ?? judged.reading.at).toISOString();
    changes.pending.push({ ...key, since, sampled_at: fields.sampled_at });
  }
  if (verdict === 'ended' || (verdict === 'fired' && before.pending)) changes.pendingEnded.push(key);
  if (verdict === 'fired')
    changes.fired.push({
      ...key,
      ...words,
      alert_type: 'threshold',
      rule_id: set.rule_id,
      probe_name: probe.name,
      metric_name: rule.metric,
      metric_unit: metric.unit === '' ? null : metric.unit,
    });
  return verdict;
}

const compareBy =
  ({ rule }: KnownRule) =>
  ({ reading: a }: KeyedReading, { reading: b }: KeyedReading) =>
    a.value === b.value || a.value === null || b.value === null
      ? 0
      : isWorse(a.value, b.value, rule)
        ? -1
        : 1;

/** In the database of this product only the product is at work, whose upkeep is watched apart. */
function withoutOwnDatabase({ state }: Round, { readings, connection_ids }: RuleReadings): RuleReadings {
  const own = new Map(state.watched.map((one) => [one.connection_id, one.own_database]));
  const rest = [...readings].filter(
    ([, { connection_id, database_name, object_name }]) =>
      own.get(connection_id) !== (database_name === '' ? object_name : database_name),
  );
  return { readings: new Map(rest), connection_ids };
}

/** With the names of what an alert is about, or of who causes it. */
async function detailed(round: Round, known: KnownRule, placed: RuleReadings): Promise<RuleReadings> {
  const { db } = round.ctx;
  const { name, namesBlocker, namesObjects, namesHolder, namesSession, namesStatement } = known.rule;
  const { namesDropped, saysWhere } = known.rule;
  const isMet = ({ connection_id, reading: { value } }: KeyedReading) =>
    value !== null && meets(value, round.inForce.of(connection_id, name));
  if (namesDropped)
    return withDropped(db, placed, { isMet, now: round.now, texts: round.memory.droppedTexts });
  if (namesStatement) {
    const isOpen = (judged: KeyedReading) => round.alerts.openOf(keyFor(name, judged)) !== undefined;
    return withStatements(db, namesStatement, { found: placed, choice: { isMet, isOpen, now: round.now } });
  }
  const ofSessions = namesSession ? await withSessions(db, known, placed) : placed;
  if (namesBlocker) return withBlockers(db, ofSessions);
  return namesObjects || namesHolder || saysWhere ? withNames(db, known, ofSessions) : ofSessions;
}

/** Judges what was read of a rule; answers how many readings there were. */
async function judgeRule(round: Round, asked: ReadingContext, read: RuleReadings): Promise<number> {
  const { known } = asked;
  const others = known.rule.isOfWorkload ? withoutOwnDatabase(round, read) : read;
  const placed = isHostProbe(known.probe) ? await onePerHost(round, known, others) : others;
  const found = await detailed(round, known, placed);
  const { name } = known.rule;
  const among = new Set(found.connection_ids);
  const isAsked = ({ connection_id }: { connection_id: number }) => among.has(connection_id);
  const open = new Map<number, number>();
  for (const { connection_id } of round.alerts.openOfRule(name))
    open.set(connection_id, (open.get(connection_id) ?? 0) + 1);
  const openOrPending = [...round.alerts.openOfRule(name), ...round.alerts.pendingOfRule(name)];
  const missing = openOrPending.filter((one) => isAsked(one) && !found.readings.has(readingKey(one)));
  const gone = await readingsOfGone(round.ctx.db, asked, missing);
  const all = [...[...found.readings.values()].filter(isAsked).sort(compareBy(known)), ...gone];
  for (const judged of all) {
    const count = open.get(judged.connection_id) ?? 0;
    const isFull = count >= MOST_OF_A_RULE && !round.alerts.openOf(keyFor(name, judged));
    if (isFull) round.memory.judgeAgain(name, judged.connection_id);
    else if (applyReading(round, known, judged) === 'fired') open.set(judged.connection_id, count + 1);
  }
  return all.length;
}

/** Rules of one probe, or of dates, with what was read of them. */
interface ProbeReadings {
  asked: readonly ReadingContext[];
  /** By rule, in the order of the work. */
  found: readonly ReadonlyMap<string, KeyedReading>[];
}

/** What rules of one probe, or of dates, judge is read together, of all connections that any of them asks for. */
async function readProbe(round: Round, work: readonly DueRule[]): Promise<ProbeReadings> {
  const { now, isFresh, expectedSince } = round;
  const hosts = work.some(({ rule }) => isHostProbe(rule.probe)) ? await round.hosts() : NO_HOSTS;
  const asked = work.map(({ rule: known }) => {
    const relevance = relevanceOf({ ...round, hosts }, known.rule.name);
    const context: ReadingContext = { known, now, isFresh, expectedSince, ...relevance };
    return context;
  });
  const connection_ids = [...new Set(work.flatMap((one) => one.connection_ids))];
  const allowed = asked.filter(({ known }) => known.rule.allowsDelay);
  if (allowed.length > 0) {
    const isIntended = await intendedDelays(round, connection_ids);
    for (const one of allowed) one.isIntended = isIntended;
  }
  return { asked, found: await readingsOf(round.ctx.db, asked, connection_ids) };
}

async function judgeProbe(
  round: Round,
  work: readonly DueRule[],
  { asked, found }: ProbeReadings,
): Promise<number> {
  let count = 0;
  for (const [index, one] of asked.entries()) {
    const readings = found[index] ?? new Map<string, KeyedReading>();
    count += await judgeRule(round, one, { readings, connection_ids: work[index]?.connection_ids ?? [] });
  }
  for (const { rule } of work) round.memory.unread.delete(rule.rule.name);
  return count;
}

/** What cannot be read of one probe is asked again, and keeps no other rule from being judged. */
async function orJudgeAgain<T>(
  round: Round,
  work: readonly DueRule[],
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Fault && error.code === 'unavailable') throw error;
    const rules = work.map(({ rule }) => rule.rule.name);
    round.ctx.log.warn({ event: 'alerter.rules_failed', rules, err: error });
    for (const name of rules) round.memory.unread.add(name);
    for (const { rule, connection_ids } of work)
      for (const id of connection_ids) round.memory.judgeAgain(rule.rule.name, id);
    return undefined;
  }
}

/** What compares many objects with an earlier time takes longest. */
const isExpensive = ({ rule: { metric } }: DueRule) =>
  ['times before', 'objects above'].includes(metric.value.kind);

/** The datastore reads of one probe while another is judged here; what takes longest is read beside all others and judged last. */
export async function judgeRules(round: Round, work: readonly DueRule[]): Promise<number> {
  const groups = [...Map.groupBy(work, ({ rule }) => runKeyOf(rule)).values()];
  const read = (own: readonly DueRule[]) => orJudgeAgain(round, own, () => readProbe(round, own));
  const expensive = groups.filter((own) => own.some(isExpensive));
  const others = groups.filter((own) => !own.some(isExpensive));
  const beside = expensive[0] && read(expensive[0]);
  // Heard when its turn comes, or never if an earlier one failed.
  beside?.catch(() => undefined);
  const first = (own: readonly DueRule[]) => (own === expensive[0] && beside ? beside : read(own));
  let readings = 0;
  for await (const [own, found] of readAhead([...others, ...expensive], first, READ_AT_ONCE))
    if (found) readings += (await orJudgeAgain(round, own, () => judgeProbe(round, own, found))) ?? 0;
  return readings;
}
