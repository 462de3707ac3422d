// Which monitored servers run on the same host, by what the host says of itself: what is wrong with it is one alert, not one of each
// server on it, and its readings become one for all of them. Guards: servers are put together only where name, time of boot and memory
// of their host are the same, so that hosts with the same name, and containers with other limits, stay apart; what is set for a server
// alone gets an alert of its own, and so does one of which other channels or other people are notified; the server that has the alert
// keeps it while it is watched; what is in a blackout there does not keep the host quiet for others.

import type { Db } from '../../kernel/db.ts';
import { shownNames } from '../../kernel/shown-value.ts';
import { probe as memory } from '../../probes/pg-sys-memory-info.ts';
import { probe as system } from '../../probes/pg-sys-os-info.ts';
import { newest } from '../../store/read/doors/newest.ts';
import type { RuleInForce } from '../alert-rules/in-force.service.ts';
import { type KnownRule, shownName } from '../alert-rules/known-rules.service.ts';
import type { Round } from './judge-rules.ts';
import { raisedByRule } from './open-alerts.ts';
import type { RuleReadings } from './reading-details.ts';
import { type KeyedReading, readingKey } from './readings.ts';
import type { Audiences } from './same-server.ts';

/** The clock of a host is set while it runs, and its time of boot with it. */
const SAME_BOOT_MS = 10_000;
const MOST_NAMED = 5;

export interface ServerHost {
  connection_id: number;
  host_name: string;
  booted_at: number;
  memory: string;
  /** Who is told of its alerts; undefined: not known yet. */
  audience: string | undefined;
}

export class Hosts {
  readonly #members = new Map<number, readonly number[]>();
  readonly #names = new Map<number, string>();

  constructor(known: readonly ServerHost[]) {
    const keyOf = ({ host_name, memory: total, audience, connection_id }: ServerHost) =>
      JSON.stringify([host_name, total, audience ?? connection_id]);
    for (const own of Map.groupBy(known, keyOf).values()) {
      let members: number[] = [];
      let last = Number.NEGATIVE_INFINITY;
      for (const one of own.toSorted((a, b) => a.booted_at - b.booted_at)) {
        if (one.booted_at - last > SAME_BOOT_MS) members = [];
        last = one.booted_at;
        members.push(one.connection_id);
        this.#members.set(one.connection_id, members);
        this.#names.set(one.connection_id, one.host_name);
      }
    }
  }

  /** Servers on the host of that one, itself among them, in the order of their ids. */
  membersOf(connection_id: number): readonly number[] {
    return (this.#members.get(connection_id) ?? [connection_id]).toSorted((a, b) => a - b);
  }

  /** Undefined: no other one is known to be on its host. */
  describe(connection_id: number, nameOf: (id: number) => string | undefined): string | undefined {
    const members = this.membersOf(connection_id);
    if (members.length < 2) return undefined;
    const names = members.map((id) => shownName(nameOf(id) ?? String(id)));
    const host = shownName(this.#names.get(connection_id) ?? '');
    return `${members.length} monitored servers share host "${host}": ${shownNames(names, MOST_NAMED)}.`;
  }
}

export const NO_HOSTS = new Hosts([]);

/** Two statements. */
export async function readHosts(
  db: Db,
  { connection_ids, audiences }: { connection_ids: readonly number[]; audiences: Audiences },
): Promise<Hosts> {
  const [systems, memories] = await Promise.all([
    newest(db, { probe: system, columns: ['host_name', 'last_bootup_time'], connection_ids }),
    newest(db, { probe: memory, columns: ['total_memory'], connection_ids }),
  ]);
  const totals = new Map(memories.map(({ connection_id, row }) => [connection_id, String(row.total_memory)]));
  return new Hosts(
    systems.flatMap(({ connection_id, row: { host_name, last_bootup_time } }) => {
      const total = totals.get(connection_id);
      const booted_at = Date.parse(String(last_bootup_time));
      if (typeof host_name !== 'string' || host_name === '' || total === undefined || Number.isNaN(booted_at))
        return [];
      return [{ connection_id, host_name, booted_at, memory: total, audience: audiences.get(connection_id) }];
    }),
  );
}

/** What is set for a rule on two servers is the same. */
const isSetAlike = (one: RuleInForce, other: RuleInForce): boolean =>
  one.is_enabled === other.is_enabled &&
  one.operator === other.operator &&
  one.threshold === other.threshold &&
  one.severity === other.severity;

/** Which server stands for the host; undefined: the one that has the alert does not answer, and it is kept as it is. */
function holderOf(
  { alerts, inForce, waiting }: Round,
  { rule: { name, followsFrom } }: KnownRule,
  { judged, members }: { judged: KeyedReading; members: readonly number[] },
): number | undefined {
  const own = inForce.of(judged.connection_id, name);
  const alike = members.filter((id) => isSetAlike(inForce.of(id, name), own));
  const keyOn = (connection_id: number) => ({ ...judged, connection_id, raised_by: raisedByRule(name) });
  // The alert of a cause as well, so that both are of one server.
  const raisedBy = [name, ...(followsFrom ?? [])].map(raisedByRule);
  const open = raisedBy
    .map((raised_by) => alike.find((id) => alerts.openOf({ ...keyOn(id), raised_by })))
    .find((id) => id !== undefined);
  if (open !== undefined) return waiting.has(open) ? undefined : open;
  const able = alike.filter((id) => !waiting.has(id));
  return able.find((id) => alerts.stateOf(keyOn(id)).isSuppressed !== true) ?? able[0];
}

function endOthers(round: Round, { rule: { name } }: KnownRule, hosts: Hosts): void {
  const seen = new Map<string, number>();
  const nameOf = namesOf(round);
  for (const open of [...round.alerts.openOfRule(name)].toSorted(
    (a, b) => a.connection_id - b.connection_id,
  )) {
    const [first = open.connection_id] = hosts.membersOf(open.connection_id);
    const { operator, threshold_value, severity } = open;
    const key = JSON.stringify([
      readingKey({ ...open, connection_id: first }),
      operator,
      threshold_value,
      severity,
    ]);
    const holder = seen.get(key);
    if (holder === undefined) seen.set(key, open.connection_id);
    else
      round.changes.cleared.push({
        id: open.id,
        message: `Same host as ${nameOf(holder) ?? holder}, whose alert stays open.`,
      });
  }
}

const namesOf = ({ state }: Round) => {
  const names = new Map(state.watched.map(({ connection_id, name }) => [connection_id, name]));
  return (id: number) => names.get(id);
};

export async function onePerHost(round: Round, known: KnownRule, found: RuleReadings): Promise<RuleReadings> {
  const hosts = await round.hosts();
  const asked = new Set(found.connection_ids);
  const readings = new Map<string, KeyedReading>();
  const connection_ids = new Set(found.connection_ids);
  const nameOf = namesOf(round);
  for (const judged of found.readings.values()) {
    const { connection_id } = judged;
    if (!asked.has(connection_id)) continue;
    const members = hosts.membersOf(connection_id);
    const holder = members.length < 2 ? connection_id : holderOf(round, known, { judged, members });
    if (holder !== connection_id) connection_ids.delete(connection_id);
    if (holder === undefined) continue;
    connection_ids.add(holder);
    const hostNote = hosts.describe(holder, nameOf);
    const own: KeyedReading = {
      ...judged,
      connection_id: holder,
      ...(hostNote !== undefined && { hostNote }),
    };
    const key = readingKey(own);
    const before = readings.get(key);
    if (!before || before.reading.at < own.reading.at) readings.set(key, own);
  }
  endOthers(round, known, hosts);
  return { readings, connection_ids: [...connection_ids] };
}
