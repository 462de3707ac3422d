// The life of one monitored server in this collector: connect, run ticks, wait, and back off while it cannot be
// reached. Guards: one tick at a time, one kept session and at most one visit to another database beside it; a change
// of the connection takes effect at once; whatever the server does, stop() leaves no socket open.
import type { SettingsInForce } from '../estate/probe-configs/effective.service.ts';
import { within } from '../kernel/clock.ts';
import { TargetError } from '../monitored/connect.ts';
import { ConnectionReports } from './connection-reports.ts';
import { visitDatabases } from './database-visits.ts';
import type { Permit } from './gates.ts';
import { HostFacts } from './host-facts.ts';
import { tellsServer } from './hurries.ts';
import { KeptSession, type Open } from './kept-session.ts';
import { LogLooks } from './logs/log-looks.ts';
import type { CostReport } from './own-cost.ts';
import { OwnFootprint } from './own-footprint.ts';
import { willBeUncounted } from './own-statements.ts';
import { asTargetError } from './pipeline.ts';
import { Plan } from './plan.ts';
import { Reconnect } from './reconnect.ts';
import { Retests } from './retests.ts';
import { runTick } from './tick.ts';
import { recordUnreachable, type TickTarget } from './tick-target.ts';
import { pauseUntil } from './ticks.ts';
import type { CollectorLease, CollectorTarget, Shared } from './types.ts';

const ROSTER_INTERVAL_MS = 60_000;
/** So much earlier it goes along with what is due anyway, instead of leading to a round trip of its own. */
const ROSTER_EARLY_MS = 5000;
/** What the server has answered when it is left is still stored; whoever answers later is not waited for. */
const LAST_ANSWER_MS = 700;

export class ServerTask {
  readonly connection_id: number;
  readonly epoch: number;
  readonly #shared: Shared;
  readonly #plan: Plan;
  readonly #host: HostFacts;
  readonly #logs: LogLooks;
  readonly #kept: KeptSession;
  readonly #own: OwnFootprint;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #target: CollectorTarget;
  /** Ends the pause of the loop. */
  #wake = new AbortController();
  /** Ends whatever is under way with settings that are no longer true. */
  #settingsAbort = new AbortController();
  readonly #reports: ConnectionReports;
  readonly #reconnect = new Reconnect();
  #rosterDue = 0;
  #isInRecovery = false;
  #visiting: Promise<void> | undefined;
  readonly #retests = new Retests();

  constructor(shared: Shared, lease: CollectorLease) {
    this.#shared = shared;
    this.#target = lease.target;
    this.epoch = lease.epoch;
    const { connection_id } = lease.target;
    this.connection_id = connection_id;
    this.#reports = new ConnectionReports(shared, { connection_id, epoch: lease.epoch });
    const now = shared.clock.monotonic();
    const [serverKey, { settings, isNew }] = [String(connection_id), lease];
    this.#plan = new Plan({ serverKey, probes: shared.probes, now, settings, isNew });
    this.#host = new HostFacts(serverKey, shared, { now, settings });
    this.#logs = new LogLooks(shared.logs, now);
    this.#own = new OwnFootprint(shared, { plan: this.#plan, connection_id });
    const { watch } = this.#own;
    this.#kept = new KeptSession({ shared, connection_id, onLost: () => this.#poke(), watch });
    this.#done = this.#run();
  }

  get revision(): number {
    return this.#target.revision;
  }

  /** The connection was edited: everything starts anew with the new settings, at once. */
  reconfigure(target: CollectorTarget): void {
    this.#target = target;
    this.#settingsAbort.abort();
    this.#settingsAbort = new AbortController();
    this.#kept.drop();
    this.#reconnect.reset();
    this.#reports.forget();
    this.#anew();
    this.#poke();
  }

  /** Nothing that was read before is of the server that answers from now on. */
  #anew(): void {
    this.#rosterDue = 0;
    const now = this.#shared.clock.monotonic();
    this.#plan.restart(now);
    this.#host.restart(now);
    this.#logs.hurry(now);
  }

  /** What the probes are set to was changed. */
  adjust(settings: SettingsInForce): void {
    for (const part of [this.#plan, this.#host]) part.adjust(settings, this.#shared.clock.monotonic());
    this.#poke();
  }

  /** What persons ask for: to try again what is not well, since that time, which may be told many times; to follow the log. */
  asked(retest: number | null, isFollowed: boolean): void {
    const now = this.#shared.clock.monotonic();
    this.#logs.follow(isFollowed ? () => this.#poke() : undefined, now);
    if (retest === null || !this.#retests.follow(retest, now)) return;
    const { open } = this.#kept;
    // What the server offers is read anew before anything else is.
    if (open) open.session.capabilitiesAt = Number.NEGATIVE_INFINITY;
    this.#reconnect.hurry();
    this.#rosterDue = 0;
    this.#plan.retest(now);
    this.#host.hurry(now);
    this.#logs.hurry(now);
    this.#poke();
  }

  /** What collecting from this server costs it, as far as that has changed. */
  readonly costs = (): CostReport[] => this.#own.report(this.#shared.clock.monotonic());
  readonly costsLost = () => this.#own.cost.reportAnew();

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#poke();
    await within(LAST_ANSWER_MS, [this.#done, Promise.resolve(this.#visiting)]);
    this.#settingsAbort.abort();
    await this.#kept.close();
    await Promise.all([this.#done, this.#visiting]);
    this.#kept.drop();
    this.#kept.leave();
  }

  #poke(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  get #at(): TickTarget {
    const { open } = this.#kept;
    return {
      shared: this.#shared,
      target: this.#target,
      epoch: this.epoch,
      plan: this.#plan,
      cost: this.#own.cost,
      watch: this.#own.watch,
      statements: this.#own.statements,
      isUncounted: this.#kept.isUncounted(this.#target),
      isEncrypted: open?.session.client.tls,
      ...(open && { server_instance: open.identity.key }),
      ...(this.#kept.switchedAt !== undefined && { switched_at: this.#kept.switchedAt }),
      isPassing: open?.kept === false,
      onBroken: (broken) => this.#reconnect.note(broken),
      server: open?.session.server,
      serverClock: this.#kept.clock,
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { signal } = this.#settingsAbort;
      try {
        await this.#cycle(signal);
      } catch (error) {
        if (!signal.aborted) this.#failed(error);
      }
      const now = this.#shared.clock.monotonic();
      const pauseMs = pauseUntil(this.#nextDue(now), now);
      if (!this.#stopping.signal.aborted) await this.#shared.clock.sleep(pauseMs, this.#wake.signal);
    }
  }

  #nextDue(now: number): number {
    const { open } = this.#kept;
    if (open?.session.lost()) return now;
    const elsewhere = this.#visiting === undefined;
    const plan = this.#plan.nextDue({ own: this.#target.settings.database, elsewhere });
    const host = this.#shared.hosts && open ? this.#host.due : Number.POSITIVE_INFINITY;
    const roster = this.#plan.hasDatabaseProbes ? this.#rosterDue : Number.POSITIVE_INFINITY;
    const due = Math.min(plan, host, roster, open ? this.#logs.due : Number.POSITIVE_INFINITY);
    if (open) return due;
    const { failures, at } = this.#reconnect;
    return this.#kept.isGuest && failures === 0 ? Math.max(due, at) : at;
  }

  async #cycle(signal: AbortSignal): Promise<void> {
    const { clock, semaphore, turns } = this.#shared;
    if (this.#kept.open?.session.lost()) this.#lost(this.#kept.open);
    const now = clock.monotonic();
    if (!this.#kept.open && now < this.#reconnect.at) return;
    const open = this.#kept.open ?? (await this.#connect(signal));
    if (!open || signal.aborted || clock.monotonic() < this.#nextDue(now)) return;
    const [permit, turn] = [await semaphore.enter(), await turns.enter()];
    try {
      await this.#tick(open, turn, signal);
    } finally {
      turn.leave();
      permit.leave();
    }
    if (open.kept || signal.aborted) return;
    await this.#beside(open, signal);
    if (!signal.aborted) await this.#kept.close();
    this.#rest();
  }

  async #connect(signal: AbortSignal): Promise<Open | undefined> {
    const priority = this.#reconnect.failures > 0 ? 'later' : 'first';
    const open = await this.#kept.connect(this.#target, signal, priority);
    if (!open) return;
    this.#isInRecovery = open.identity.is_in_recovery;
    if (open.isSwitch) this.#anew();
    this.#own.statements.judge(open.session.server);
    if (open.kept) this.#plan.hurry(tellsServer, this.#shared.clock.monotonic());
    return open;
  }

  /** The session ended beside the tick that it was opened for. */
  #lost({ session: { lostBy }, openedAt }: Open): void {
    const now = this.#shared.clock.monotonic();
    this.#reconnect.lost(now - openedAt, now, Math.random());
    if (lostBy) this.#reconnect.ended(lostBy, now);
    if (lostBy?.step === 'protocol') this.#reconnect.note({ error: lostBy, probe: '', database_name: '' });
    this.#rest();
    this.#kept.drop();
  }

  /** A server that broke one statement after another is left alone for a while, and it is said why. */
  #rest(): void {
    const broken = this.#reconnect.rest(this.#shared.clock.monotonic(), Math.random());
    if (!broken) return;
    this.#kept.drop();
    this.#unreachable(broken.error);
  }

  async #tick(open: Open, turn: Permit, signal: AbortSignal): Promise<void> {
    const now = this.#shared.clock.monotonic();
    const isListed = this.#plan.births.isListedIn(open.identity.key);
    const isRosterDue = !isListed || now >= this.#rosterDue - ROSTER_EARLY_MS;
    const roster = this.#plan.hasDatabaseProbes && isRosterDue;
    const result = await runTick({ ...this.#at, turn }, open.session, roster);
    if (signal.aborted) return;
    if (result.is_in_recovery === undefined) throw result.failure;
    if (roster) this.#rosterDue = now + ROSTER_INTERVAL_MS;
    this.#succeeded(open);
    if (result.is_in_recovery !== this.#isInRecovery) this.#plan.hurry(tellsServer, now);
    this.#isInRecovery = result.is_in_recovery;
    this.#own.keepBudget(this.#shared.clock.monotonic());
    this.#own.statements.judge(open.session.server);
    // The next session leaves no trace in pg_stat_statements.
    if (open.kept && willBeUncounted(open.session.server)) await this.#kept.close();
    if (open.kept) void this.#beside(open, signal);
  }

  /** What goes on beside the ticks: host facts, and the other databases in turn. Never rejects. */
  async #beside(open: Open, signal: AbortSignal): Promise<void> {
    const host = this.#host.run(this.#at, open.session, signal);
    const own = open.session.database;
    const due = this.#plan.databasesDue(this.#shared.clock.monotonic());
    if (due.some(({ datname }) => datname !== own)) this.#visiting ??= this.#visit(open, signal);
    await Promise.all([host, this.#logs.run(this.#at, open.session, signal), this.#visiting]);
  }

  async #visit(open: Open, signal: AbortSignal): Promise<void> {
    const [own, identity] = [open.session.database, open.identity.key];
    try {
      const options = { own, identity, signal, stopping: this.#stopping.signal, isGuest: !open.kept };
      await visitDatabases(this.#at, options);
    } catch (error) {
      this.#reports.unexpected(error);
    } finally {
      this.#visiting = undefined;
      this.#rest();
      this.#own.keepBudget(this.#shared.clock.monotonic());
      this.#poke();
    }
  }

  #succeeded(open: Open): void {
    const lastedMs = this.#shared.clock.monotonic() - open.openedAt;
    this.#reconnect.worked(open.kept ? lastedMs : Number.POSITIVE_INFINITY);
    this.#kept.answered();
    this.#reports.well();
  }

  #failed(thrown: unknown): void {
    if (!(thrown instanceof TargetError)) this.#reports.unexpected(thrown);
    const error = asTargetError(thrown);
    this.#kept.drop();
    this.#reconnect.failed(error, this.#shared.clock.monotonic(), Math.random());
    this.#unreachable(error);
  }

  #unreachable(error: TargetError): void {
    this.#reports.unreachable(error, this.#reconnect.counted(this.#shared.clock.monotonic()));
    recordUnreachable(this.#at, error.message);
  }
}
