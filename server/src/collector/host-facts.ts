// Host facts of one server, gathered beside its ticks so that a slow source delays none of them: one gathering for all
// host probes that are due. Guards: one gathering at a time, nothing is stored of one whose session broke meanwhile,
// and readings of a machine are never compared with those of another.

import type { SettingsInForce } from '../estate/probe-configs/effective.service.ts';
import { least } from '../kernel/lists.ts';
import type { HostMemory } from '../probes/hosts/between-ticks.ts';
import type { FamilyOutcome, HostReading } from '../probes/hosts/collect.ts';
import { type HostProbe, isHostProbe, type Probe } from '../probes/types.ts';
import type { Outcome } from '../store/layout/types.ts';
import { needsTwoReadings, SECOND_READING_MS } from './hurries.ts';
import { ran } from './outcomes.ts';
import { asSet, changeOf, offOutcome } from './probe-settings.ts';
import type { Session } from './session.ts';
import type { TickTarget } from './tick-target.ts';
import { dueAfterChange, nextTick, phaseOf } from './ticks.ts';
import type { HostCollector, Shared } from './types.ts';

/** Shares of time are made of two readings, of whichever columns. */
const FROM_TWO_READINGS: readonly string[] = ['cpu_usage', 'processes'];

const isFromTwo = (probe: HostProbe) => FROM_TWO_READINGS.includes(probe.host) || needsTwoReadings(probe);

interface Slot {
  readonly name: string;
  /** Undefined for the pseudo-probe that says where values come from. */
  readonly probe: HostProbe | undefined;
  intervalMs: number;
  due: number;
  /** When it was gathered last. */
  ranAt?: number;
}

interface Start {
  readonly now: number;
  readonly settings: SettingsInForce;
}

function slotsOf(hosts: HostCollector, probes: readonly Probe[], { now, settings }: Start): Slot[] {
  const origins = {
    name: hosts.probe,
    probe: undefined,
    intervalMs: hosts.interval_seconds * 1000,
    due: now,
  };
  const own = probes.filter(isHostProbe).map((probe) => ({
    name: probe.name,
    probe,
    intervalMs: asSet(probe, settings).intervalSeconds * 1000,
    due: now,
  }));
  return [origins, ...own];
}

/** What is lacking shows in what would mend it. */
function causeOf(mend: string): 'missing_extension' | 'missing_grant' | undefined {
  if (mend.startsWith('create extension ')) return 'missing_extension';
  return mend.startsWith('grant ') ? 'missing_grant' : undefined;
}

async function outcomeOf(
  probe: HostProbe,
  known: FamilyOutcome | undefined,
  collected_at: number,
): Promise<Outcome> {
  if (known?.kind === 'ran') return ran(probe, known.rows, { collected_at });
  const { reason = 'It was not requested.', mend = null } = known ?? {};
  const cause = mend === null ? undefined : causeOf(mend);
  return { kind: 'skipped', reason, mend, ...(cause && { cause }) };
}

interface Run {
  took_ms: number | null;
  server_instance?: string | undefined;
}

const originsOf = ({ origins }: HostReading, collected_at: number): Outcome => ({
  kind: 'ran',
  collected_at,
  rows: origins.map((row) => ({ ...row })),
  history_by: undefined,
});

export class HostFacts {
  readonly #serverKey: string;
  readonly #slots: readonly Slot[];
  #memory: HostMemory = {};
  #settings: SettingsInForce;
  #running: Promise<void> | undefined;

  constructor(serverKey: string, { hosts, probes }: Pick<Shared, 'hosts' | 'probes'>, start: Start) {
    this.#serverKey = serverKey;
    this.#settings = start.settings;
    this.#slots = hosts ? slotsOf(hosts, probes, start) : [];
  }

  /** Somebody changed what the probes are set to. */
  adjust(settings: SettingsInForce, now: number): void {
    const before = this.#settings;
    this.#settings = settings;
    for (const slot of this.#slots) {
      const { probe, ranAt } = slot;
      const change = probe ? changeOf(probe, before, settings) : 'none';
      if (!probe || change === 'none') continue;
      slot.intervalMs = asSet(probe, settings).intervalSeconds * 1000;
      const due = dueAfterChange(ranAt, slot.intervalMs, this.#phaseOf(slot));
      slot.due = change === 'off' ? now : Math.max(now, due);
    }
  }

  #phaseOf({ intervalMs }: Slot): number {
    return phaseOf(this.#serverKey, 'host', intervalMs);
  }

  /** Monotonic time at which something is due; infinity when there are no host facts here. */
  get due(): number {
    return least(this.#slots.map(({ due }) => due));
  }

  /** Everything is due now. */
  hurry(now: number): void {
    for (const slot of this.#slots) slot.due = now;
  }

  /** Everything is due now: the connection may lead to another machine. */
  restart(now: number): void {
    for (const slot of this.#slots) slot.due = now;
    this.#memory = {};
  }

  /** Starts gathering when due and not under way. Resolves when the current gathering is over; never rejects. */
  run(at: TickTarget, session: Session, signal: AbortSignal): Promise<void> {
    if (this.#running === undefined && at.shared.clock.monotonic() >= this.due) {
      this.#running = this.#gather(at, session, signal).finally(() => {
        this.#running = undefined;
      });
    }
    return this.#running ?? Promise.resolve();
  }

  /** All of one interval are due together, so that one gathering serves them. */
  #settle(slots: readonly Slot[], now: number): void {
    for (const slot of slots) {
      slot.due = nextTick(now, slot.intervalMs, this.#phaseOf(slot));
      slot.ranAt = now;
    }
  }

  /** Records what is switched off, and lets it rest; the rest is to be gathered. */
  #switchedOn(slots: readonly Slot[], put: (slot: Slot, run: Run, outcome: Outcome) => void): Slot[] {
    return slots.filter((slot) => {
      const outcome = offOutcome(slot.name, this.#settings);
      if (!outcome) return true;
      put(slot, { took_ms: null }, outcome);
      slot.due = Number.POSITIVE_INFINITY;
      return false;
    });
  }

  async #gather(at: TickTarget, session: Session, signal: AbortSignal): Promise<void> {
    const { hosts, clock, writer, log } = at.shared;
    if (!hosts) return;
    const { connection_id } = at.target;
    const started = clock.monotonic();
    const attempted_at = clock.now();
    const put = (slot: Slot, { took_ms, server_instance }: Run, outcome: Outcome) => {
      const run = { connection_id, epoch: at.epoch, probe: slot.name, database_name: '', attempted_at };
      writer.add({ ...run, took_ms, ...(server_instance !== undefined && { server_instance }), outcome });
    };
    const due = this.#slots.filter((slot) => slot.due <= started);
    const slots = this.#switchedOn(due, put);
    if (slots.length === 0) return;
    this.#settle(slots, started);
    try {
      const found = await this.#ask(hosts, slots, { at, session, signal });
      if (session.lost() || signal.aborted) {
        for (const slot of slots) slot.due = clock.monotonic();
        return;
      }
      const run = { took_ms: clock.monotonic() - started, server_instance: found.life };
      for (const slot of slots) {
        const { probe } = slot;
        const known = probe && found.families.get(probe.host);
        put(slot, run, probe ? await outcomeOf(probe, known, attempted_at) : originsOf(found, attempted_at));
        const isSoon = found.isFirst && probe && isFromTwo(probe);
        if (isSoon) slot.due = Math.min(slot.due, started + SECOND_READING_MS);
      }
    } catch (error) {
      log.warn({ event: 'collector.host_failed', connection_id, err: error });
      for (const slot of slots)
        put(slot, { took_ms: null }, { kind: 'failed', reason: 'Gathering host facts failed.' });
    }
  }

  #ask(
    hosts: HostCollector,
    slots: readonly Slot[],
    { at, session, signal }: { at: TickTarget; session: Session; signal: AbortSignal },
  ): Promise<HostReading> {
    const { node_exporter_url, settings } = at.target;
    const input = {
      query: (statement: { text: string; values: readonly unknown[] }) =>
        session.client.query<Record<string, unknown>>(statement.text, statement.values),
      node_exporter_url,
      allow_private_networks: settings.allow_private_networks,
      clock: at.shared.clock,
      signal,
    };
    return hosts.collect(input, {
      families: slots.flatMap(({ probe }) => probe?.host ?? []),
      origins: slots.some(({ probe }) => probe === undefined),
      memory: this.#memory,
    });
  }
}
