// What a tick works on, and how what became of a probe is told to the store and to the plan. Guards: each database's part of an outcome
// goes to itself, and the next run is planned whatever became of this one.
import type { ServerReading } from '../probes/requirements/reading.queries.ts';
import type { Outcome } from '../store/layout/types.ts';
import { quietRuns } from './adaptive-interval.ts';
import type { Permit } from './gates.ts';
import { isAfterSilence, measured, needsTwoReadings, SECOND_READING_MS } from './hurries.ts';
import { COLLECTOR, type OwnCost } from './own-cost.ts';
import type { OwnStatements } from './own-statements.ts';
import type { Plan } from './plan.ts';
import type { Break } from './reconnect.ts';
import type { ServerClock } from './server-clock.ts';
import type { Share } from './server-wide-leaders.ts';
import type { SessionWatch } from './session.ts';
import { isBarred, type Slot } from './slots.ts';
import type { CollectorTarget, Shared } from './types.ts';

/** What a tick works on. */
export interface TickTarget {
  readonly shared: Shared;
  readonly target: CollectorTarget;
  readonly epoch: number;
  readonly plan: Plan;
  readonly cost: OwnCost;
  readonly watch: SessionWatch;
  readonly statements: OwnStatements;
  /** Sessions keep themselves out of pg_stat_statements. */
  readonly isUncounted: boolean;
  /** Whether the kept session is. */
  readonly isEncrypted: boolean | undefined;
  /** Identity and start of the server that the session is on, where that is known. */
  readonly server_instance?: string;
  /** When another server answered at this address for the first time. */
  readonly switched_at?: number;
  /** What the server says of itself, as far as it was asked. */
  readonly server: ServerReading | undefined;
  readonly serverClock: ServerClock;
  /** The session ends with the tick: another one would have to be opened for the next. */
  readonly isPassing: boolean;
  /** Given back as soon as the server is not what is waited for. */
  readonly turn?: Permit;
  /** Told when the server broke the protocol, or sent more than is accepted. */
  onBroken(broken: Break): void;
}

export interface Run {
  attempted_at: number;
  took_ms: number | null;
}

/** Hands an outcome to the store, each database's part to itself, and plans the next run. */
export function record(at: TickTarget, slot: Slot, done: { outcome: Outcome } & Run): Share[] {
  const shares = at.plan.share(slot, done.outcome, at.shared.clock.monotonic());
  for (const share of shares) recordOne(at, share.slot, { ...done, outcome: share.outcome });
  return shares;
}

function recordOne(at: TickTarget, slot: Slot, done: { outcome: Outcome } & Run): void {
  const { shared, target, epoch, plan, server_instance, switched_at } = at;
  // Of the first run in a new database. For a fast probe all the time since the list would be a hole.
  const least = done.attempted_at - 2 * plan.intervalMs(slot.probe);
  const made_after = slot.ranAt === undefined ? plan.births.madeAfter(slot.database_name, least) : undefined;
  shared.writer.add({
    connection_id: target.connection_id,
    epoch,
    probe: slot.probe.name,
    database_name: slot.database_name,
    ...(server_instance !== undefined && { server_instance }),
    ...(switched_at !== undefined && { switched_at }),
    ...(made_after !== undefined && { made_after }),
    ...done,
  });
  const { outcome } = done;
  slot.isWell = outcome.kind === 'ran' && outcome.cause === undefined;
  if (outcome.kind === 'ran' && outcome.rows.length > 0) hurryMeasured(at, slot);
  if (isAfterSilence(slot.ranAt, shared.clock.monotonic(), plan.intervalMs(slot.probe))) slot.isNew = true;
  // Connecting every second would cost the server more than what is read.
  slot.quietRuns = at.isPassing ? Number.POSITIVE_INFINITY : quietRuns(slot.probe, slot.quietRuns, outcome);
  const isOff = outcome.kind === 'skipped' && outcome.cause === 'disabled';
  plan.settle(slot, isOff ? 'off' : outcome.kind, shared.clock.monotonic());
}

function hurryMeasured({ shared, plan, cost }: TickTarget, { probe }: Slot): void {
  if (probe.hurries === undefined) return;
  const now = shared.clock.monotonic();
  plan.hurry(measured(probe, { now, factors: cost.factors }), now);
}

/** It was read for the first time: where it needs two readings the other one follows soon, as far as our own cost allows. */
export function readAgain({ shared, plan, cost }: TickTarget, slot: Slot): void {
  slot.isNew = false;
  const { probe, due } = slot;
  const now = shared.clock.monotonic();
  const soon = now + SECOND_READING_MS;
  if (!needsTwoReadings(probe) || due <= soon || !Number.isFinite(due)) return;
  const from = cost.extraFrom(probe.name, now);
  if (from !== undefined) plan.readBy(slot, Math.max(soon, from));
}

/** Records what is switched off; the rest is to be run. */
export function switchedOn(at: TickTarget, slots: readonly Slot[]): Slot[] {
  return slots.filter((slot) => {
    const outcome = at.plan.off(slot);
    if (outcome) record(at, slot, { outcome, attempted_at: at.shared.clock.now(), took_ms: null });
    return outcome === undefined;
  });
}

/** The server did not answer: what it would have told by answering is failed. */
export function recordUnreachable(at: TickTarget, reason: string): void {
  const { shared, target, epoch, plan } = at;
  const attempted_at = shared.clock.now();
  for (const { name } of plan.roundTrips) {
    const run = { connection_id: target.connection_id, epoch, probe: name, database_name: '', attempted_at };
    shared.writer.add({ ...run, took_ms: null, outcome: { kind: 'failed', reason } });
  }
}

/** What the server spent on something else than a probe; `alone` when the answer took a round trip of its own. */
export function noteOwn(at: TickTarget, took_ms: number, alone: boolean): void {
  const spent = alone ? Math.max(0, took_ms - at.cost.roundTripMs) : took_ms;
  at.cost.note(COLLECTOR, { took_ms: spent, rows: 0 }, at.shared.clock.monotonic());
}

/** What a visit spent beside its probes, told of those that led there: made rarer, they make it rarer too. */
export function noteVisit(at: TickTarget, slots: readonly Slot[], took_ms: number): void {
  const led = slots.filter((slot) => !isBarred(slot));
  const spent = Math.max(0, took_ms - at.cost.roundTripMs);
  if (led.length === 0) noteOwn(at, took_ms, true);
  for (const { probe } of led) at.cost.add(probe.name, spent / led.length, at.shared.clock.monotonic());
}
