// One tick of one server: everything due goes out in one pipeline over its session, led by a ping. Guards: each probe's
// outcome is recorded and its next run planned, whatever became of the others.
import { append } from '../kernel/lists.ts';
import { yieldIfBusy } from '../kernel/scheduler.ts';
import type { Asking, Way } from '../monitored/connect.ts';
import { poolerWords } from '../monitored/own-session.ts';
import { NAME_LOST } from '../monitored/prepared-names.ts';
import type { Probe, SqlProbe } from '../probes/types.ts';
import { type Outcome, wholeRows } from '../store/layout/types.ts';
import { CAPABILITIES_AGE_MS } from './known-capabilities.ts';
import { answerOfMostImportant, isMany, mostImportant } from './most-important.ts';
import { judge, obstacle } from './outcomes.ts';
import { ownLogWords } from './own-log.ts';
import { type Answer, answersOf, type PipelineOptions, runPipeline, type Statement } from './pipeline.ts';
import { probeReply, probeStatement } from './probe.queries.ts';
import { refinedHere } from './refine-here.ts';
import { noteRole, roleQuestion } from './role-watch.ts';
import { databaseList, MOST_DATABASES, readRoster } from './roster.ts';
import type { Share } from './server-wide-leaders.ts';
import { PING_LIMIT_MS, PING_REPLY, relearn, type Session } from './session.ts';
import { sharedStatement } from './shared-capabilities.ts';
import type { Slot } from './slots.ts';
import { answerWithSizes, withoutSizes } from './slow-sizes.ts';
import type { TextsRequest } from './statement-texts.ts';
import { DATABASES, PING, ROLE_HINT } from './target.queries.ts';
import { noteOwn, type Run, readAgain, record, switchedOn, type TickTarget } from './tick-target.ts';
import { answerOrWithoutTexts } from './without-texts.ts';

const ROSTER_TIMEOUT_MS = 5000;
const ROSTER_REPLY: Asking = {
  columns: 8,
  rows: MOST_DATABASES + 1,
  bytes: 8 * 1024 * 1024,
  isRepeated: true,
};

const OWN_PING: Statement = { text: PING, how: { ...PING_REPLY, isRepeated: true } };

/** A pooler has handed us to another session, which tells nothing of the server: without names it is asked again. */
const isNameLost = (answer: Answer | undefined) =>
  answer?.kind === 'refused' && NAME_LOST.includes(answer.error.code);

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

function hearClock({ serverClock }: TickTarget, answer: Answer, attempted_at: number): void {
  if (answer.kind !== 'answered') return;
  serverClock.heard(answer.rows[0]?.clock, { attempted_at, took_ms: answer.took_ms });
}

interface Sending extends PipelineOptions {
  slots: readonly Slot[];
  lead?: readonly Statement[];
}

/** Sends the slots' statements; `lead` goes before them and its answers are returned. Never rejects. */
export async function runSlots(
  at: TickTarget,
  session: Session,
  { slots, lead = [], firstWithinMs }: Sending,
): Promise<Answer[]> {
  const planned = prepare(at, session, slots);
  const statements = [...lead, ...planned.map(({ statement }) => statement)];
  if (statements.length === 0) return [];
  const attempted_at = at.shared.clock.now();
  const led: Answer[] = [];
  const read: Pick<TextsRequest, 'probe' | 'read'>[] = [];
  const unrefined: RunDone[] = [];
  const options = firstWithinMs === undefined ? {} : { firstWithinMs };
  let index = -1;
  // One answer after the other, so that no more than one is held beside what is on its way.
  for await (const answer of answersOf(session, statements, options)) {
    index += 1;
    const slot = planned[index - lead.length]?.slot;
    const done = slot && { slot, answer, attempted_at, isFirst: index === 0 };
    // The ping comes first, so that what follows is told by the clock as it is now.
    if (index === 0 && lead[0] === OWN_PING) hearClock(at, answer, attempted_at);
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
): Promise<Pick<TextsRequest, 'probe' | 'read'>> {
  const { probe } = slot;
  await yieldIfBusy();
  const whole = await answerOfMostImportant(session, probe, sent);
  slot.isMany = isMany(probe, whole);
  const sized = await answerWithSizes(session, { probe, answer: whole });
  const told = await answerOrWithoutTexts(session, probe, sized.answer);
  const { answer } = told;
  const { scrubber } = at.shared;
  const { aheadMs: ahead_ms } = at.serverClock;
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
  return { probe, read: probe.texts ? shares.flatMap(readOf) : [] };
}

interface NotedRun extends Pick<RunDone, 'isFirst'> {
  answer: Exclude<Answer, { kind: 'unreached' }>;
  outcome: Outcome | undefined;
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
  outcome.kind === 'ran' ? [{ database_name, rows: outcome.rows }] : [];

async function fetchTexts(
  at: TickTarget,
  session: Session,
  wanted: readonly Pick<TextsRequest, 'probe' | 'read'>[],
): Promise<void> {
  const { shared, target, epoch } = at;
  const lease = { connection_id: target.connection_id, epoch };
  const onTook = (ms: number) => noteOwn(at, ms, true);
  // The datastore is asked, and whoever is next need not wait for that.
  if (wanted.some(({ read }) => read.length > 0)) at.turn?.leave();
  for (const one of wanted)
    if (one.read.length > 0 && !session.lost())
      await shared.texts.fetch(session, { ...one, ...lease, onTook });
}

function recordRoundTrip(
  at: TickTarget,
  { slots, way }: { slots: readonly Slot[]; way: Way },
  ping: { took_ms: number } & Run,
): void {
  const { settings } = at.target;
  const now = at.shared.clock.monotonic();
  const logged = ownLogWords(at.server, { log: at.watch.ownLog, now, username: settings.username });
  const pooler = way === 'pooled' ? poolerWords(settings) : undefined;
  const notes = [pooler, logged?.note, at.serverClock.words];
  const note = notes.filter((one) => one !== undefined).join('\n');
  for (const slot of slots) {
    const column = slot.probe.roundTripColumn ?? '';
    const outcome: Outcome = {
      kind: 'ran',
      collected_at: ping.attempted_at + ping.took_ms,
      rows: [{ [column]: ping.took_ms, clock_ahead_seconds: at.serverClock.aheadMs / 1000 }],
      history_by: undefined,
      ...(note !== '' && { note }),
      ...(logged && { mend: logged.mend }),
    };
    record(at, slot, { outcome, attempted_at: ping.attempted_at, took_ms: ping.took_ms });
  }
}

export interface TickResult {
  /** As the ping says; undefined when the server did not answer it, with the error. */
  is_in_recovery: boolean | undefined;
  failure: unknown;
  /** The databases were listed. */
  rostered: boolean;
}

const isRoundTrip = ({ probe }: { probe: Probe }) => probe.roundTripColumn !== undefined;

/** Runs what is due on the session's own database and server. Never rejects. */
export async function runTick(at: TickTarget, session: Session, roster: boolean): Promise<TickResult> {
  const { shared, plan } = at;
  const now = shared.clock.monotonic();
  if (now - session.capabilitiesAt > CAPABILITIES_AGE_MS) {
    noteOwn(at, await relearn(session, shared.probes, now), true);
    if (session.capabilitiesAt === now) plan.unbar(session.database, now);
  }
  // What belongs to which database is not known before they are listed: then they are read in this very tick.
  const ofDatabase = plan.births.isListedIn(at.server_instance) ? plan.dueIn(session.database, now) : [];
  const due = switchedOn(at, [...plan.dueOnServer(now), ...ofDatabase]);
  const lead: Statement[] = [OWN_PING];
  if (roster) lead.push({ text: DATABASES, timeoutMs: ROSTER_TIMEOUT_MS, how: ROSTER_REPLY });
  append(lead, roleQuestion(at, session));
  const attempted_at = shared.clock.now();
  const slots = due.filter((slot) => !isRoundTrip(slot));
  const answers = await runSlots(at, session, { slots, lead, firstWithinMs: PING_LIMIT_MS });
  const ping = isNameLost(answers[0]) ? (await runPipeline(session, [OWN_PING]))[0] : answers[0];
  const databases = roster ? answers[1] : undefined;
  if (ping?.kind !== 'answered') return { is_in_recovery: undefined, failure: ping?.error, rostered: false };
  at.cost.roundTripMs = ping.server_ms;
  const { way } = session.client;
  const { took_ms } = ping;
  recordRoundTrip(at, { slots: due.filter(isRoundTrip), way }, { attempted_at, took_ms });
  const role = answers[lead.findIndex(({ text }) => text === ROLE_HINT)];
  if (role?.kind === 'answered') {
    noteOwn(at, role.server_ms, false);
    noteRole(at, session, role.rows[0]);
  }
  if (databases?.kind === 'answered') {
    noteOwn(at, databases.server_ms, false);
    const entries = readRoster(databases.rows);
    const { connection_id } = at.target;
    const names = entries.map(({ datname }) => datname);
    shared.writer.roster({ connection_id, epoch: at.epoch, at: attempted_at, databases: names });
    const { server_instance } = at;
    plan.births.listed({ ...databaseList(databases.rows), at: attempted_at, server_instance });
    plan.setDatabases(entries, shared.clock.monotonic());
    for (const name of plan.refused.loaded(databases.rows[0]?.loaded_at))
      plan.visitAt(name, shared.clock.monotonic());
    const fresh = switchedOn(at, plan.dueIn(session.database, shared.clock.monotonic()));
    await runSlots(at, session, { slots: fresh });
  }
  return {
    is_in_recovery: ping.rows[0]?.is_in_recovery === true,
    failure: undefined,
    rostered: databases?.kind === 'answered',
  };
}
