// What was read of rules becomes changes of alerts: fired, held, cleared, pending. Guards: rules of one probe are read together, and
// while another is judged; what cannot be read of one keeps no other from being judged; one rule cannot flood a server's list.

import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { isHostProbe } from '../../probes/types.ts';
import type { Freshness } from '../../store/read/doors/runs.ts';
import type { KnownRule } from '../alert-rules/alert-rules.service.ts';
import type { RuleInForce, RulesInForce } from '../alert-rules/in-force.service.ts';
import { isWorse, judge, meets, type Verdict } from '../alert-rules/judge.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import type { AlertChanges, OpenRow, OpenState } from '../alerts/changes.service.ts';
import { descriptionOf, titleOf } from './alert-texts.ts';
import { withBlockers } from './blockers.ts';
import { type Upstreams, waitsForUpstream } from './causes.ts';
import { type Machines, NO_MACHINES } from './hosts.ts';
import { intendedDelays } from './intended-delays.ts';
import { type DueRule, type Memory, runsOf } from './memory.ts';
import { withNames } from './named-objects.ts';
import { withSessions } from './named-sessions.ts';
import { withStatements } from './named-statements.ts';
import { onePerMachine } from './one-per-host.ts';
import { type KnownAlerts, raisedByRule } from './open-alerts.ts';
import { readAhead } from './read-ahead.ts';
import { goneOf, type PlacedReading, placeKey, type ReadingContext, readingsOf } from './readings.ts';
import { mattersFor } from './relevance.ts';

/** Beyond, what a rule finds on one server waits; the worst come first. */
const MOST_OF_A_RULE = 100;
/** Probes of which something is read, or held, at once. */
const READ_AT_ONCE = 3;

export interface Round {
  ctx: Ctx;
  memory: Memory;
  standing: OpenState;
  known: KnownAlerts;
  inForce: RulesInForce;
  isFresh: Freshness;
  /** Connections whose other alerts wait. */
  waiting: ReadonlySet<number>;
  upstreams: Upstreams;
  changes: AlertChanges;
  now: number;
  couldComeSince: ReadingContext['couldComeSince'];
  /** Read once, where a rule of machines has something to judge. */
  machinesOf(): Promise<Machines>;
}

const keyFor = (name: string, judged: Omit<PlacedReading, 'reading'>): AlertKey => ({
  connection_id: judged.connection_id,
  raised_by: raisedByRule(name),
  database_name: judged.database_name,
  object_name: judged.object_name,
});

function tellsOf({ rule, metric }: KnownRule, judged: PlacedReading, set: RuleInForce) {
  const { database_name, object_name, reading } = judged;
  const { operator, threshold, severity, source } = set;
  const { value, says, names } = reading;
  const { machine } = judged;
  const told = { rule, metric, operator, threshold, value: value ?? 0, says, names };
  const named = { ...told, database_name, object_name };
  return {
    metric_value: reading.value,
    operator,
    threshold_value: threshold,
    threshold_source: source,
    severity,
    title: titleOf(named),
    description: machine === undefined ? descriptionOf(named) : `${descriptionOf(named)} ${machine}`,
    detail: says ?? null,
    sampled_at: new Date(reading.at).toISOString(),
  };
}

/** Null: the words stay as they are. */
type AlertText = Omit<ReturnType<typeof tellsOf>, 'title' | 'description'> & {
  title: string | null;
  description: string | null;
};

/** A sample that does not meet the condition leaves the words of the alert as they are. */
function noteOpen(
  { changes }: Round,
  open: OpenRow,
  { verdict, told }: { verdict: Verdict; told: AlertText },
): void {
  if (verdict === 'cleared') changes.cleared.push({ id: open.id, message: null });
  if (verdict === 'holds') changes.held.push({ id: open.id, ...told, well_samples: 0 });
  if (verdict === 'better') {
    const metric_value = told.metric_value ?? open.metric_value;
    const well_samples = open.well_samples + 1;
    changes.held.push({ id: open.id, ...told, title: null, description: null, metric_value, well_samples });
  }
}

function note(round: Round, known: KnownRule, judged: PlacedReading): Verdict {
  const { changes, memory } = round;
  const { rule, probe, metric } = known;
  const set = round.inForce.of(judged.connection_id, rule.name);
  const key = keyFor(rule.name, judged);
  const found = round.known.of(key);
  const isHeld = found.isHeld || waitsForUpstream(round, rule, judged.connection_id);
  const before = { ...found, isHeld };
  const verdict = judge(judged.reading, set, before);
  const words = tellsOf(known, judged, set);
  const open = round.known.openOf(key);
  const told = open && judged.reading.keepsWords ? { ...words, title: null, description: null } : words;
  if (open) noteOpen(round, open, { verdict, told });
  if (verdict === 'held') memory.askAgain(rule.name, judged.connection_id);
  if (verdict === 'pending') {
    const since = new Date(before.pending?.since ?? judged.reading.at).toISOString();
    changes.pending.push({ ...key, since, sampled_at: told.sampled_at });
  }
  if (verdict === 'calm' || (verdict === 'fired' && before.pending)) changes.settled.push(key);
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

/** What was read of a rule, and of which connections it was asked. */
export interface RuleReadings {
  readings: ReadonlyMap<string, PlacedReading>;
  connection_ids: readonly number[];
}

const compareBy =
  ({ rule }: KnownRule) =>
  ({ reading: a }: PlacedReading, { reading: b }: PlacedReading) =>
    a.value === b.value || a.value === null || b.value === null
      ? 0
      : isWorse(a.value, b.value, rule)
        ? -1
        : 1;

/** In the database of this product only the product is at work, whose upkeep is watched apart. */
function withoutOwn({ standing }: Round, { readings, connection_ids }: RuleReadings): RuleReadings {
  const own = new Map(standing.watched.map((one) => [one.connection_id, one.own_database]));
  const rest = [...readings].filter(
    ([, { connection_id, database_name, object_name }]) =>
      own.get(connection_id) !== (database_name === '' ? object_name : database_name),
  );
  return { readings: new Map(rest), connection_ids };
}

/** With the names of what an alert is about, or of who causes it. */
async function named(round: Round, known: KnownRule, placed: RuleReadings): Promise<RuleReadings> {
  const { db } = round.ctx;
  const { name, namesBlocker, namesObjects, namesHolder, namesStatement, saysWhere } = known.rule;
  if (namesStatement) {
    const isMet = ({ connection_id, reading: { value } }: PlacedReading) =>
      value !== null && meets(value, round.inForce.of(connection_id, name));
    const isOpen = (judged: PlacedReading) => round.known.openOf(keyFor(name, judged)) !== undefined;
    return withStatements(db, known, { found: placed, choice: { isMet, isOpen, now: round.now } });
  }
  const ofSessions = await withSessions(db, known, placed);
  if (namesBlocker) return withBlockers(db, ofSessions);
  return namesObjects || namesHolder || saysWhere ? withNames(db, known, ofSessions) : ofSessions;
}

/** Judges what was read of a rule; answers how many readings there were. */
async function judgeRule(round: Round, asked: ReadingContext, read: RuleReadings): Promise<number> {
  const { known } = asked;
  const others = known.rule.isOfWorkload ? withoutOwn(round, read) : read;
  const placed = isHostProbe(known.probe) ? await onePerMachine(round, known, others) : others;
  const found = await named(round, known, placed);
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

/** Rules of one probe, or of dates, with what was read of them. */
interface Read {
  asked: readonly ReadingContext[];
  /** By rule, in the order of the work. */
  found: readonly ReadonlyMap<string, PlacedReading>[];
}

/** What rules of one probe, or of dates, judge is read together, of all connections that any of them asks for. */
async function readProbe(round: Round, work: readonly DueRule[]): Promise<Read> {
  const { now, isFresh, couldComeSince } = round;
  const machines = work.some(({ rule }) => isHostProbe(rule.probe)) ? await round.machinesOf() : NO_MACHINES;
  const asked = work.map(({ rule: known }) => {
    const matters = mattersFor({ ...round, machines }, known.rule.name);
    const own: ReadingContext = { known, now, isFresh, couldComeSince, ...matters };
    return own;
  });
  const connection_ids = [...new Set(work.flatMap((one) => one.connection_ids))];
  const allowed = asked.filter(({ known }) => known.rule.allowsDelay);
  if (allowed.length > 0) {
    const isIntended = await intendedDelays(round, connection_ids);
    for (const one of allowed) one.isIntended = isIntended;
  }
  return { asked, found: await readingsOf(round.ctx.db, asked, connection_ids) };
}

async function judgeProbe(round: Round, work: readonly DueRule[], { asked, found }: Read): Promise<number> {
  let count = 0;
  for (const [index, one] of asked.entries()) {
    const readings = found[index] ?? new Map<string, PlacedReading>();
    count += await judgeRule(round, one, { readings, connection_ids: work[index]?.connection_ids ?? [] });
  }
  return count;
}

async function judgedProbe(round: Round, work: readonly DueRule[], read: Read): Promise<number> {
  const count = await judgeProbe(round, work, read);
  for (const { rule } of work) round.memory.unread.delete(rule.rule.name);
  return count;
}

/** What cannot be read of one probe is asked again, and keeps no other rule from being judged. */
async function tried<T>(
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
      for (const id of connection_ids) round.memory.askAgain(rule.rule.name, id);
    return undefined;
  }
}

/** What compares many objects with an earlier time takes longest. */
const isDear = ({ rule: { metric } }: DueRule) =>
  ['times before', 'objects above'].includes(metric.value.kind);

/** The datastore reads of one probe while another is judged here; what takes longest is read beside all others and judged last. */
export async function judgeAll(round: Round, work: readonly DueRule[]): Promise<number> {
  const groups = [...Map.groupBy(work, ({ rule }) => runsOf(rule)).values()];
  const read = (own: readonly DueRule[]) => tried(round, own, () => readProbe(round, own));
  const dear = groups.filter((own) => own.some(isDear));
  const others = groups.filter((own) => !own.some(isDear));
  const beside = dear[0] && read(dear[0]);
  // Heard when its turn comes, or never if an earlier one failed.
  beside?.catch(() => undefined);
  const first = (own: readonly DueRule[]) => (own === dear[0] && beside ? beside : read(own));
  let readings = 0;
  for await (const [own, found] of readAhead([...others, ...dear], first, READ_AT_ONCE))
    if (found) readings += (await tried(round, own, () => judgedProbe(round, own, found))) ?? 0;
  return readings;
}
