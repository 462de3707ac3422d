// When each probe of one server is due (those of its machine: host-facts.ts). Pure; times are monotonic milliseconds.
// Guards: the first sample is due at once, later ones at a phase that belongs to (server, probe) on a grid that belongs
// to the server, so that servers spread out and the probes of one server meet in one pipeline; missed ticks coalesce into
// the next one.
import type { SettingsInForce } from '../estate/probe-configs/effective.service.ts';
import { isSqlProbe, longestIntervalSeconds, type Probe, type SqlProbe } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import { adaptiveIntervalMs } from './adaptive-interval.ts';
import { PROBE_MOST_MS, probeDelay } from './back-off.ts';
import type { Factors } from './budget.ts';
import { DatabaseBirths } from './database-births.ts';
import { KnownCapabilities } from './known-capabilities.ts';
import { AS_BUILT, asSet, changeOf, offOutcome } from './probe-settings.ts';
import { RefineMemory } from './refine.ts';
import { RefusedDatabases } from './refused-databases.ts';
import { type DatabaseEntry, isUsable } from './roster.ts';
import { ServerWideLeaders, type Share } from './server-wide-leaders.ts';
import { bar, isBarred, newSlot, type Slot, visitDue } from './slots.ts';
import { dueAfterChange, lastTick, nextTick, phaseOf } from './ticks.ts';

/** Probes of databases share their phase: a database is visited, which takes a session, once for all of them. */
const meetingOf = ({ level, name }: Probe) => (level === 'D' ? 'databases' : name);

export type Verdict = 'ran' | 'skipped' | 'failed';

interface PlanOptions {
  serverKey: string;
  probes: readonly Probe[];
  now: number;
  settings?: SettingsInForce;
  /** Nothing is known of the server, or nothing of late. */
  isNew?: boolean;
}

export class Plan {
  readonly #key: string;
  readonly #perDatabase: readonly SqlProbe[];
  readonly #server: readonly Slot[];
  readonly #databases = new Map<string, { entry: DatabaseEntry; slots: Slot[] }>();
  readonly #leaders = new ServerWideLeaders();
  /** What one probe has read for another to go on from. */
  readonly refining: RefineMemory;
  /** What the databases offered that were visited. */
  readonly offered = new KnownCapabilities();
  /** Those that did not let us in. */
  readonly refused = new RefusedDatabases();
  readonly births = new DatabaseBirths();
  readonly #isNew: boolean;
  #factors: Factors = new Map();
  #settings: SettingsInForce;

  constructor({ serverKey, probes, now, settings = AS_BUILT, isNew = false }: PlanOptions) {
    this.#key = serverKey;
    this.#settings = settings;
    this.#isNew = isNew;
    this.refining = new RefineMemory(probes);
    const own = probes.filter(isSqlProbe);
    this.#perDatabase = own.filter(({ level }) => level === 'D');
    this.#server = own
      .filter(({ level }) => level === 'S')
      .map((probe) => newSlot(probe, '', { due: now, isNew }));
  }

  get hasDatabaseProbes(): boolean {
    return this.#perDatabase.length > 0;
  }

  /** Probes that a bare answer of the server tells, as far as they are switched on. */
  get roundTrips(): SqlProbe[] {
    const slots = this.#server.filter((slot) => slot.probe.roundTripColumn !== undefined && !this.off(slot));
    return slots.map(({ probe }) => probe);
  }

  dueOnServer(now: number): Slot[] {
    return this.#server.filter(({ due }) => due <= now);
  }

  dueIn(database: string, now: number): Slot[] {
    return this.#databases.get(database)?.slots.filter(({ due }) => due <= now) ?? [];
  }

  /** As `dueIn`, for a visit: what was barred is looked at again, since somebody is there and reads what is offered. */
  dueOnVisit(database: string, now: number): Slot[] {
    return this.#databases.get(database)?.slots.filter((slot) => slot.due <= now || isBarred(slot)) ?? [];
  }

  /** Databases that are to be visited now, in the order of their names. */
  databasesDue(now: number): DatabaseEntry[] {
    const due = [...this.#databases.values()].filter(({ slots }) => visitDue(slots) <= now);
    return due.map(({ entry }) => entry).sort((a, b) => (a.datname < b.datname ? -1 : 1));
  }

  /** It was skipped without asking the server, which offers too little for it. */
  bar(slot: Slot, now: number): void {
    if (!this.off(slot)) bar(slot, now);
  }

  /** What the server offers was read anew in the session of that database: what was barred there may run now. */
  unbar(database: string, now: number): void {
    const slots = [...this.#server, ...(this.#databases.get(database)?.slots ?? [])];
    for (const slot of slots) if (isBarred(slot)) slot.due = Math.min(slot.due, now);
  }

  /** Nobody goes there before or after that time, whatever is due. */
  visitAt(database: string, at: number): void {
    for (const slot of this.#databases.get(database)?.slots ?? [])
      if (Number.isFinite(slot.due)) slot.due = at;
  }

  /** What exists now: new databases are due at once, and so are those that have become reachable. */
  setDatabases(entries: readonly DatabaseEntry[], now: number): void {
    const names = new Set(entries.map(({ datname }) => datname));
    for (const name of this.#databases.keys()) if (!names.has(name)) this.#databases.delete(name);
    this.offered.keepOnly(names);
    const lost = this.#leaders.keep(new Set(entries.filter(isUsable).map(({ datname }) => datname)));
    for (const slot of this.#slots()) if (lost.includes(slot.probe.name)) slot.due = now;
    for (const entry of entries) {
      const known = this.#databases.get(entry.datname);
      if (!known) {
        const first = { due: now, isNew: this.#isNew };
        const slots = this.#perDatabase.map((probe) => newSlot(probe, entry.datname, first));
        this.#databases.set(entry.datname, { entry, slots });
        continue;
      }
      if (isUsable(known.entry) !== isUsable(entry)) for (const slot of known.slots) slot.due = now;
      known.entry = entry;
    }
    this.#lead(now);
  }

  /** A database that another one answers for never runs the probe itself: what it is due for, that one does. */
  #lead(now: number): void {
    for (const slot of this.#slots()) {
      if (!Number.isFinite(slot.due) || !this.#leaders.follows(slot)) continue;
      const isDue = slot.due <= now;
      slot.due = Number.POSITIVE_INFINITY;
      const home = this.#slots().find((one) => one.probe === slot.probe && !this.#leaders.follows(one));
      if (home && isDue) home.due = Math.min(home.due, now);
    }
  }

  /** What a run says of each database: of one that finds the same everywhere, all of them. */
  share(slot: Slot, outcome: Outcome, now: number): Share[] {
    // A visit ends after its database was dropped: nothing is to be told of that one any more.
    const { database_name } = slot;
    if (database_name !== '' && !this.#databases.get(database_name)?.slots.includes(slot)) return [];
    const siblings = slot.probe.serverWide
      ? [...this.#databases.values()].flatMap(({ entry, slots }) =>
          slots.filter(({ probe }) => probe === slot.probe).map((one) => ({ slot: one, entry })),
        )
      : [];
    const wasFollowed = siblings.some((sibling) => this.#leaders.follows(sibling.slot));
    const shares = this.#leaders.share(slot, outcome, siblings);
    // Nobody answers for the others any more: each tries by itself.
    if (wasFollowed && shares.length === 1)
      for (const sibling of siblings) if (sibling.slot !== slot) sibling.slot.due = now;
    return shares;
  }

  /** Somebody changed what the probes are set to. */
  adjust(settings: SettingsInForce, now: number): void {
    const before = this.#settings;
    this.#settings = settings;
    for (const slot of this.#slots()) {
      const change = changeOf(slot.probe, before, settings);
      if (change === 'none' || this.#leaders.follows(slot)) continue;
      if (change === 'off') slot.due = now;
      if (change === 'on' || (change === 'interval' && slot.ranAt !== undefined && slot.failures === 0))
        slot.due = this.#changedDue(slot, now);
    }
  }

  #changedDue({ probe, ranAt }: Slot, now: number): number {
    const intervalMs = this.intervalMs(probe);
    return Math.max(now, dueAfterChange(ranAt, intervalMs, phaseOf(this.#key, meetingOf(probe), intervalMs)));
  }

  /** What is recorded instead of running it, of a probe that is switched off. */
  off({ probe }: Slot): Outcome | undefined {
    return offOutcome(probe.name, this.#settings);
  }

  /** A run is over: says when the next one is due. What is switched off is recorded as that once, and rests then. */
  settle(slot: Slot, verdict: Verdict | 'off', now: number): void {
    if (verdict === 'off' || this.off(slot)) {
      slot.failures = 0;
      slot.due = verdict === 'off' ? Number.POSITIVE_INFINITY : now;
      return;
    }
    if (verdict === 'ran') slot.ranAt = now;
    const intervalMs = this.intervalMs(slot.probe);
    slot.failures = verdict === 'failed' ? slot.failures + 1 : 0;
    const isSlowed = this.#factors.has(slot.probe.name);
    if (verdict === 'failed') slot.due = now + Math.max(probeDelay(slot.failures), isSlowed ? intervalMs : 0);
    else if (verdict === 'skipped') {
      const longestMs = Math.max(intervalMs, longestIntervalSeconds(this.#set(slot.probe)) * 1000);
      slot.due = now + Math.min(longestMs, PROBE_MOST_MS);
    } else slot.due = Math.max(this.#tickAfter(slot, now, intervalMs), this.#adaptiveDue(slot, now));
    if (this.#leaders.follows(slot)) slot.due = Number.POSITIVE_INFINITY;
  }

  #tickAfter({ probe }: Slot, now: number, intervalMs: number): number {
    return nextTick(now, intervalMs, phaseOf(this.#key, meetingOf(probe), intervalMs));
  }

  /** On the same grid, but later by the ticks that quiet runs leave out; at its slowest it meets those of that interval. */
  #adaptiveDue(slot: Slot, now: number): number {
    const set = this.#set(slot.probe);
    const ownMs = set.intervalSeconds * 1000;
    const adaptiveMs = adaptiveIntervalMs(set, slot.quietRuns);
    const isSlowest = adaptiveMs === longestIntervalSeconds(set) * 1000;
    return isSlowest
      ? this.#tickAfter(slot, now, adaptiveMs)
      : this.#tickAfter(slot, now + adaptiveMs - ownMs, ownMs);
  }

  /** It is read at the last tick by then, unless it is earlier anyway. */
  readBy(slot: Slot, by: number): void {
    slot.due = Math.min(slot.due, lastTick(this.#key, by));
  }

  /** Those of the server are due now, without counting as a failure. */
  hurry(isMeant: (slot: Slot) => boolean, now: number): void {
    for (const slot of this.#server) if (isMeant(slot)) slot.due = Math.min(slot.due, now);
  }

  /** Somebody has mended something: what is not well is due now, with its breaker closed. */
  retest(now: number): void {
    this.offered.forget();
    for (const slot of this.#slots()) if (!slot.isWell) Object.assign(slot, { due: now, failures: 0 });
    this.#lead(now);
  }

  /** Intervals are stretched by these factors from now on; those that became shorter count from now. */
  stretch(factors: Factors, now: number): void {
    const before = this.#factors;
    this.#factors = factors;
    for (const slot of this.#slots()) {
      const { name } = slot.probe;
      const intervalMs = this.intervalMs(slot.probe);
      if (this.#leaders.follows(slot)) continue;
      if ((factors.get(name) ?? 1) < (before.get(name) ?? 1))
        slot.due = Math.min(slot.due, this.#tickAfter(slot, now, intervalMs));
    }
  }

  /** Every probe as it is set, with the number of places it is read from: none while it is switched off. */
  eachPlanned(tell: (probe: SqlProbe, reads: number, adaptive_ms: number) => void): void {
    const one = (probe: SqlProbe, reads: number, quietRuns: number) => {
      const set = this.#set(probe);
      tell(set, offOutcome(probe.name, this.#settings) ? 0 : reads, adaptiveIntervalMs(set, quietRuns));
    };
    for (const { probe, quietRuns } of this.#server) one(probe, 1, quietRuns);
    let databases = 0;
    for (const { entry } of this.#databases.values()) if (isUsable(entry)) databases += 1;
    for (const probe of this.#perDatabase) one(probe, probe.serverWide ? 1 : databases, 0);
  }

  get planned(): { probe: SqlProbe; reads: number; adaptive_ms: number }[] {
    const all: { probe: SqlProbe; reads: number; adaptive_ms: number }[] = [];
    this.eachPlanned((probe, reads, adaptive_ms) => all.push({ probe, reads, adaptive_ms }));
    return all;
  }

  #set(probe: SqlProbe): SqlProbe {
    return asSet(probe, this.#settings);
  }

  intervalMs(probe: SqlProbe): number {
    return this.#set(probe).intervalSeconds * 1000 * (this.#factors.get(probe.name) ?? 1);
  }

  #slots(): Slot[] {
    return [...this.#server, ...[...this.#databases.values()].flatMap(({ slots }) => slots)];
  }

  /** Everything is due now as on a new server, and every breaker closed: somebody changed the connection. */
  restart(now: number): void {
    this.#leaders.forget();
    this.offered.forget();
    for (const slot of this.#slots()) Object.assign(slot, { due: now, failures: 0, isNew: true });
  }

  /** Something kept it from running that was not its own: a little later. */
  postpone(slot: Slot, now: number): void {
    slot.due = now + probeDelay(1);
  }

  /** When the server's own probes or those in the database `own` are due; with `elsewhere` any database's. */
  nextDue({ own, elsewhere }: { own: string; elsewhere: boolean }): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#server) next = Math.min(next, due);
    for (const [name, { slots }] of this.#databases)
      if (name === own) for (const { due } of slots) next = Math.min(next, due);
      else if (elsewhere) next = Math.min(next, visitDue(slots));
    return next;
  }
}
