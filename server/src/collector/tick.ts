// One tick of one server: everything due goes out in one pipeline over its session, led by a ping. Guards: each probe's
// outcome is recorded and its next run planned, whatever became of the others.
import { append } from '../kernel/lists.ts';
import type { Asking, Way } from '../monitored/connect.ts';
import { poolerWords } from '../monitored/own-session.ts';
import { NAME_LOST } from '../monitored/prepared-names.ts';
import type { Probe } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import { CAPABILITIES_AGE_MS } from './known-capabilities.ts';
import { ownLogWords } from './own-log.ts';
import { type Answer, runPipeline, type Statement } from './pipeline.ts';
import { runSlots } from './probe-runs.ts';
import { noteRole, roleQuestion } from './role-watch.ts';
import { databaseList, MOST_DATABASES, readRoster } from './roster.ts';
import { PING_LIMIT_MS, PING_REPLY, relearn, type Session } from './session.ts';
import type { Slot } from './slots.ts';
import { DATABASES, PING, ROLE_HINT } from './target.queries.ts';
import { noteOwn, type Run, record, switchedOn, type TickTarget } from './tick-target.ts';

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

function hearClock({ serverClock }: TickTarget, answer: Answer, attempted_at: number): void {
  if (answer.kind !== 'answered') return;
  serverClock.heard(answer.rows[0]?.clock, { attempted_at, took_ms: answer.took_ms });
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

/** Reads the capabilities of the session's database anew once they are old. */
async function refreshCapabilities(at: TickTarget, session: Session, now: number): Promise<void> {
  if (now - session.capabilitiesAt <= CAPABILITIES_AGE_MS) return;
  noteOwn(at, await relearn(session, at.shared.probes, now), true);
  if (session.capabilitiesAt === now) at.plan.unbar(session.database, now);
}

type Answered = Extract<Answer, { kind: 'answered' }>;

/** Plans for the databases that the server has listed, and runs what is due in the session's own one because of that. */
async function takeRoster(at: TickTarget, session: Session, listed: Answered & Run): Promise<void> {
  const { shared, plan, server_instance, epoch } = at;
  const { connection_id } = at.target;
  const entries = readRoster(listed.rows);
  const databases = entries.map(({ datname }) => datname);
  shared.writer.roster({ connection_id, epoch, at: listed.attempted_at, databases });
  plan.births.listed({ ...databaseList(listed.rows), at: listed.attempted_at, server_instance });
  plan.setDatabases(entries, shared.clock.monotonic());
  for (const name of plan.refused.loaded(listed.rows[0]?.loaded_at))
    plan.visitAt(name, shared.clock.monotonic());
  const slots = switchedOn(at, plan.dueIn(session.database, shared.clock.monotonic()));
  await runSlots(at, session, { slots });
}

/**
 * Runs what is due on the session's own database and server; with `roster` the server lists its databases too. Never rejects.
 */
export async function runTick(at: TickTarget, session: Session, roster: boolean): Promise<TickResult> {
  const { shared, plan } = at;
  const now = shared.clock.monotonic();
  await refreshCapabilities(at, session, now);
  // What belongs to which database is not known before they are listed: then they are read in this very tick.
  const ofDatabase = plan.births.isListedIn(at.server_instance) ? plan.dueIn(session.database, now) : [];
  const due = switchedOn(at, [...plan.dueOnServer(now), ...ofDatabase]);
  const lead: Statement[] = [OWN_PING];
  if (roster) lead.push({ text: DATABASES, timeoutMs: ROSTER_TIMEOUT_MS, how: ROSTER_REPLY });
  append(lead, roleQuestion(at, session));
  const attempted_at = shared.clock.now();
  const slots = due.filter((slot) => !isRoundTrip(slot));
  const answers = await runSlots(at, session, {
    ...{ slots, lead, firstWithinMs: PING_LIMIT_MS },
    // The ping comes first, so that what follows is told by the clock as it is now.
    onFirst: (answer, sent_at) => hearClock(at, answer, sent_at),
  });
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
    await takeRoster(at, session, { ...databases, attempted_at });
  }
  return {
    is_in_recovery: ping.rows[0]?.is_in_recovery === true,
    failure: undefined,
    rostered: databases?.kind === 'answered',
  };
}
