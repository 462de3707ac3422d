// Statements of the probes that are due in one session, sent together, and what became of each: judged, recorded, and its next run
// planned. Guards: what failed, or cannot run here, is recorded as that and holds up no other.
import { yieldIfBusy } from '../kernel/scheduler.ts';
import type { SqlProbe } from '../probes/types.ts';
import { type Outcome, wholeRows } from '../store/layout/types.ts';
import { answerOfMostImportant, isMany, mostImportant } from './most-important.ts';
import { judge, obstacle } from './outcomes.ts';
import { type Answer, answersOf, type PipelineOptions, type Statement } from './pipeline.ts';
import type { CountersRequest } from './plans/stored-plans.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import { refinedHere } from './refine-here.ts';
import type { Share } from './server-wide-leaders.ts';
import type { Session } from './session.ts';
import { sharedStatement } from './shared-capabilities.ts';
import type { Slot } from './slots.ts';
import { answerWithSizes, withoutSizes } from './slow-sizes.ts';
import { noteOwn, readAgain, record, type TickTarget } from './tick-target.ts';
import { answerOrWithoutTexts } from './without-texts.ts';

interface Planned {
  slot: Slot;
  statement: Statement;
}

/** A session on another database than the connection's own knows of the server what the kept one does. */
const whereOf = (at: TickTarget, { database, server = at.server }: Session) => ({
  database,
  username: at.target.settings.username,
  server,
});

/** Rarely run ones are not worth what a prepared statement takes of the server's memory. */
const REPEATED_SECONDS = 600;

const statementOf = (probe: SqlProbe, session: Session): Statement =>
  withoutSizes(probe, session) ??
  sharedStatement(probe, session.capabilities, () => {
    const text = probeStatement(probe, session.capabilities);
    const isRepeated = probe.intervalSeconds <= REPEATED_SECONDS;
    const how = { ...probeReply(probe), isRepeated, isRaw: true };
    return { text, timeoutMs: probe.caps.timeoutMs, how };
  });

/**
 * Those that failed come last: one that breaks the session again holds up no other. Each change of the timeout is a
 * statement, so those of one timeout go together, and those of the timeout in force go first.
 */
function inOrder(slots: readonly Slot[], { inForce }: Session['timeouts']): Slot[] {
  const changes = ({ caps: { timeoutMs } }: SqlProbe) => (timeoutMs === inForce ? 0 : timeoutMs);
  return slots.toSorted((a, b) => a.failures - b.failures || changes(a.probe) - changes(b.probe));
}

/** Sorts out what cannot run here, and records why; the rest becomes statements. */
function prepare(at: TickTarget, session: Session, slots: readonly Slot[]): Planned[] {
  const where = whereOf(at, session);
  return inOrder(slots, session.timeouts).flatMap((slot) => {
    const { probe } = slot;
    const outcome = obstacle(probe, session.capabilities, where);
    if (!outcome)
      return [
        { slot, statement: (slot.isMany && mostImportant(probe, session)) || statementOf(probe, session) },
      ];
    record(at, slot, { outcome, attempted_at: at.shared.clock.now(), took_ms: null });
    at.plan.bar(slot, at.shared.clock.monotonic());
    return [];
  });
}

interface Sending extends PipelineOptions {
  slots: readonly Slot[];
  lead?: readonly Statement[];
  /** Hears the answer to the first of `lead` before the others are looked at. */
  onFirst?(answer: Answer, attempted_at: number): void;
}

/** Sends the slots' statements; `lead` goes before them and its answers are returned. Never rejects. */
export async function runSlots(
  at: TickTarget,
  session: Session,
  { slots, lead = [], firstWithinMs, onFirst }: Sending,
): Promise<Answer[]> {
  const planned = prepare(at, session, slots);
  const statements = [...lead, ...planned.map(({ statement }) => statement)];
  if (statements.length === 0) return [];
  const attempted_at = at.shared.clock.now();
  const led: Answer[] = [];
  const read: Pick<CountersRequest, 'probe' | 'read'>[] = [];
  const unrefined: RunDone[] = [];
  const options = firstWithinMs === undefined ? {} : { firstWithinMs };
  let index = -1;
  // One answer after the other, so that no more than one is held beside what is on its way.
  for await (const answer of answersOf(session, statements, options)) {
    index += 1;
    const slot = planned[index - lead.length]?.slot;
    const done = slot && { slot, answer, attempted_at, isFirst: index === 0 };
    if (index === 0) onFirst?.(answer, attempted_at);
    if (!done) led.push(answer);
    else if (done.slot.probe.refine) unrefined.push(done);
    else read.push(await settleRun(at, session, done));
  }
  // They ask on, which nothing that is still to be read may stand before.
  for (const done of unrefined) await settleRun(at, session, done);
  await fetchTexts(at, session, read);
  return led;
}

interface RunDone {
  slot: Slot;
  answer: Answer;
  attempted_at: number;
  /** Its answer took the round trip too. */
  isFirst: boolean;
}

/** What only two readings can tell. */
function compared(slot: Slot, outcome: Outcome): Outcome {
  const { compare } = slot.probe;
  if (!compare || outcome.kind !== 'ran') return outcome;
  const rows = compare({ rows: wholeRows(outcome.rows), at: outcome.collected_at }, slot.rowsBefore);
  slot.rowsBefore = rows;
  return { ...outcome, rows };
}

/** Records what became of a probe's statement; answers what it read, for the texts that belong to it. */
async function settleRun(
  at: TickTarget,
  session: Session,
  { slot, answer: sent, attempted_at, isFirst }: RunDone,
): Promise<Pick<CountersRequest, 'probe' | 'read'>> {
  const { probe } = slot;
  await yieldIfBusy();
  const whole = await answerOfMostImportant(session, probe, sent);
  slot.isMany = isMany(probe, whole);
  const sized = await answerWithSizes(session, { probe, answer: whole });
  const told = await answerOrWithoutTexts(session, probe, sized.answer);
  const { answer } = told;
  const { scrubber } = at.shared;
  const ahead_ms = at.serverClock.aheadMs;
  const seen = { attempted_at, roles: session.capabilities.roles, scrubber, known: slot.digests, ahead_ms };
  const judged = sized.marked(told.marked(await judge(probe, answer, { ...whereOf(at, session), ...seen })));
  const { staleCapabilities } = judged;
  const rows = judged.outcome && compared(slot, judged.outcome);
  const outcome = rows && (await refinedHere(at, session, { probe, outcome: rows }));
  if (outcome?.kind === 'ran') slot.digests = outcome.digests;
  if (staleCapabilities) session.capabilitiesAt = Number.NEGATIVE_INFINITY;
  const took_ms = answer.kind === 'unreached' ? null : answer.took_ms;
  const shares = outcome ? record(at, slot, { outcome, attempted_at, took_ms }) : [];
  for (const share of shares) at.plan.refining.remember(probe, share.slot.database_name, share.outcome);
  if (answer.kind !== 'unreached') noteRun(at, slot, { answer, outcome, isFirst });
  if (slot.isNew && outcome?.kind === 'ran') readAgain(at, slot);
  if (answer.kind === 'refused' && answer.broke && answer.error.step === 'protocol')
    at.onBroken({ error: answer.error, probe: probe.name, database_name: slot.database_name });
  // The statement was made for a server that has changed meanwhile: once more at once, with what it offers now.
  if (staleCapabilities && slot.failures === 1) slot.due = at.shared.clock.monotonic();
  return { probe, read: probe.texts || probe.plans ? shares.flatMap(readOf) : [] };
}

interface NotedRun {
  answer: Exclude<Answer, { kind: 'unreached' }>;
  outcome: Outcome | undefined;
  /** Its answer took the round trip too. */
  isFirst: boolean;
}

function noteRun({ cost, shared }: TickTarget, { probe }: Slot, noted: NotedRun): void {
  const { answer, outcome, isFirst } = noted;
  const { server_ms } = answer;
  const took_ms = isFirst ? Math.max(0, server_ms - cost.roundTripMs) : server_ms;
  const rows = answer.kind === 'answered' ? answer.rows.length : 0;
  const bytes = outcome?.kind === 'ran' ? outcome.bytes : undefined;
  cost.note(probe.name, { took_ms, rows, ...(bytes !== undefined && { bytes }) }, shared.clock.monotonic());
}

const readOf = ({ slot: { database_name }, outcome }: Share) =>
  outcome.kind === 'ran'
    ? [{ database_name, rows: outcome.rows, at: outcome.collected_at, isWhole: !outcome.is_cut }]
    : [];

async function fetchTexts(
  at: TickTarget,
  session: Session,
  wanted: readonly Pick<CountersRequest, 'probe' | 'read'>[],
): Promise<void> {
  const { shared, target, epoch, server_instance } = at;
  const lease = { connection_id: target.connection_id, epoch };
  const onTook = (ms: number) => noteOwn(at, ms, true);
  // The datastore is asked, and whoever is next need not wait for that.
  if (wanted.some(({ read }) => read.length > 0)) at.turn?.leave();
  for (const one of wanted) {
    if (one.read.length === 0 || session.lost()) continue;
    if (one.probe.texts) await shared.texts.fetch(session, { ...one, ...lease, onTook });
    else await shared.storedPlans.count(session, { ...one, ...lease, server_instance, onTook });
  }
}
