// Databases beside the connection's own, visited one after another over at most one short session. Guards: a
// database that may not be entered is skipped with the SQL that mends it, and one that cannot be reached costs only
// its own probes.
import { tell, type Where } from '../probes/requirements/judge.ts';
import { keptBack } from '../probes/requirements/platforms.ts';
import { remedyText } from '../probes/requirements/remedy.ts';
import type { Probe } from '../probes/types.ts';
import { heldBack } from './own-statements.ts';
import { asTargetError } from './pipeline.ts';
import { runSlots } from './probe-runs.ts';
import type { Break } from './reconnect.ts';
import type { DatabaseEntry } from './roster.ts';
import {
  capabilitiesOf,
  functionsOf,
  openSession,
  readCapabilities,
  relearn,
  type Session,
  viewsOf,
} from './session.ts';
import { isStillOffered } from './shared-capabilities.ts';
import { isBarred, type Slot } from './slots.ts';
import { noteVisit, record, switchedOn, type TickTarget } from './tick-target.ts';

function noConnect(where: Where) {
  const { reason, remedy } = tell('connect_missing', where.database, where);
  return { reason, cause: 'missing_grant' as const, mend: remedyText(remedy ?? []) };
}

/** Why nobody of us goes there; undefined where we may. */
function hindrance(at: TickTarget, { datname, obstacle, may_connect }: DatabaseEntry) {
  const { username } = at.target.settings;
  const kept = keptBack(datname);
  if (kept !== undefined) return { reason: kept, cause: 'not_applicable' as const, mend: null };
  if (obstacle !== null) return { reason: obstacle, mend: null };
  if (!may_connect) return noConnect({ database: datname, username, server: at.server });
  return at.statements.mayVisit(datname) ? undefined : heldBack(username);
}

type Hindrance = NonNullable<ReturnType<typeof hindrance>>;

function skipAll(at: TickTarget, slots: readonly Slot[], why: Hindrance): void {
  const attempted_at = at.shared.clock.now();
  for (const slot of slots)
    record(at, slot, { outcome: { kind: 'skipped', ...why }, attempted_at, took_ms: null });
}

const wantsOffered = ({ views, requires, hidden }: Probe) => (views ?? requires ?? hidden) !== undefined;

/** Asks for all that probes of databases want, then runs the slots. */
async function runAnew(at: TickTarget, session: Session, slots: readonly Slot[]): Promise<void> {
  const probes = at.shared.probes.filter(({ level }) => level === 'D');
  if (slots.some(({ probe }) => wantsOffered(probe)))
    noteVisit(at, slots, await relearn(session, probes, at.shared.clock.monotonic()));
  await runSlots(at, session, { slots });
}

/** A right that was granted or a view that was made since may have mended it. */
const isInDoubt = (slot: Slot) => (isBarred(slot) || !slot.isWell) && wantsOffered(slot.probe);

/**
 * Runs the slots with what is known of the database, and asks along with them for what those want that are not well. Where that has
 * changed, they run once more.
 */
async function runKnown(at: TickTarget, session: Session, slots: readonly Slot[]): Promise<void> {
  const doubtful = slots.filter(isInDoubt);
  const missed = doubtful.map(({ probe }) => probe);
  const lead = missed.length === 0 ? [] : [capabilitiesOf(missed)];
  const [answer] = await runSlots(at, session, { slots, lead });
  if (answer?.kind !== 'answered') return;
  noteVisit(at, slots, answer.server_ms);
  const asked = readCapabilities(answer.rows[0], session.client);
  const known = { asked, views: viewsOf(missed), functions: functionsOf(missed) };
  if (!isStillOffered(session.capabilities, known)) await runAnew(at, session, doubtful);
}

/** Runs the slots over the session of a visit; what the database offers is asked for as seldom as it can be. */
async function readOffered(at: TickTarget, session: Session, slots: readonly Slot[]): Promise<void> {
  const { plan, shared, server_instance: instance = '' } = at;
  const known = plan.offered.of(session.database, { instance, now: shared.clock.monotonic() });
  if (known) {
    session.capabilities = known.capabilities;
    session.capabilitiesAt = known.at;
    await runKnown(at, session, slots);
  } else await runAnew(at, session, slots);
  plan.offered.keep(session, instance, shared.clock.monotonic());
}

/** Where plain and encrypted would both be tried, what led to the server does: each attempt may be a line in its log. */
function onTheWayOf({ target, isEncrypted }: TickTarget): TickTarget['target'] {
  const { ssl_mode } = target.settings;
  if (isEncrypted === undefined || !(ssl_mode === 'allow' || ssl_mode === 'prefer')) return target;
  return { ...target, settings: { ...target.settings, ssl_mode: isEncrypted ? 'require' : 'disable' } };
}

async function visit(at: TickTarget, entry: DatabaseEntry, signal: AbortSignal): Promise<void> {
  const { shared, plan } = at;
  const slots = switchedOn(at, plan.dueOnVisit(entry.datname, shared.clock.monotonic()));
  if (slots.length === 0) return;
  const why = hindrance(at, entry);
  if (why) return skipAll(at, slots, why);
  await shared.connects.enter(signal, 'later');
  if (signal.aborted) return;
  // Servers that are watched already keep their rhythm while hundreds of databases are read for the first time.
  const turn = await shared.turns.enter('later');
  const attempted_at = shared.clock.now();
  try {
    const { connectTimeoutMs } = shared;
    const session = await openSession({
      target: onTheWayOf(at),
      database: entry.datname,
      connectTimeoutMs,
      signal,
      watch: at.watch,
      isUncounted: at.isUncounted,
    });
    const destroy = () => session.client.destroy();
    signal.addEventListener('abort', destroy, { once: true });
    try {
      plan.refused.entered(entry.datname);
      await readOffered({ ...at, turn }, session, slots);
      at.statements.visited(entry.datname);
    } finally {
      signal.removeEventListener('abort', destroy);
      await session.client.close();
    }
  } catch (error) {
    if (signal.aborted) return;
    const failure = asTargetError(error);
    if (failure.step === 'protocol')
      at.onBroken({ error: failure, probe: 'visit', database_name: entry.datname });
    const reason = failure.message;
    for (const slot of slots)
      record(at, slot, { outcome: { kind: 'failed', reason }, attempted_at, took_ms: null });
    const pauseMs = plan.refused.failed(entry.datname, failure);
    if (pauseMs !== undefined) plan.visitAt(entry.datname, shared.clock.monotonic() + pauseMs);
  } finally {
    turn.leave();
  }
}

/** Visits every database with something due. Never rejects; ends early when the signal aborts or the server breaks one. */
export async function visitDatabases(
  target: TickTarget,
  options: { own: string; identity: string; signal: AbortSignal; stopping: AbortSignal; isGuest: boolean },
): Promise<void> {
  const { own, identity, signal, stopping, isGuest } = options;
  const { shared, plan } = target;
  let isBroken = false;
  const onBroken = (broken: Break) => {
    isBroken = true;
    target.onBroken(broken);
  };
  const at = { ...target, onBroken };
  for (const entry of plan.databasesDue(shared.clock.monotonic())) {
    if (signal.aborted || stopping.aborted || isBroken) return;
    if (entry.datname === own) continue;
    const permit = isGuest ? undefined : await shared.sessions.enterAsGuest(identity);
    try {
      await visit(at, entry, signal);
      const now = shared.clock.monotonic();
      for (const slot of plan.dueIn(entry.datname, now)) plan.postpone(slot, now);
    } finally {
      permit?.leave();
    }
  }
}
