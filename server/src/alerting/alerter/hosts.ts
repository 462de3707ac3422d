// Which monitored servers run on the same host, by what the host says of itself: what is wrong with it is one alert, not one of each
// server on it. Guards: servers are put together only where name, time of boot and memory of their host are the same, so that
// hosts with the same name, and containers with other limits, stay apart; what is set for a server alone gets an alert of its own, and
// so does one of which other channels or other people are told.

import type { Db } from '../../kernel/db.ts';
import { probe as memory } from '../../probes/pg-sys-memory-info.ts';
import { probe as system } from '../../probes/pg-sys-os-info.ts';
import { newest } from '../../store/read/doors/newest.ts';
import type { RuleInForce } from '../alert-rules/in-force.service.ts';
import { shownName } from '../alert-rules/object-names.service.ts';
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
    const names = members.slice(0, MOST_NAMED).map((id) => shownName(nameOf(id) ?? String(id)));
    const rest = members.length - names.length;
    const more = rest > 0 ? ` and ${rest} more` : '';
    const host = shownName(this.#names.get(connection_id) ?? '');
    return `${members.length} monitored servers share host "${host}": ${names.join(', ')}${more}.`;
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
export const isSetAlike = (one: RuleInForce, other: RuleInForce): boolean =>
  one.is_enabled === other.is_enabled &&
  one.operator === other.operator &&
  one.threshold === other.threshold &&
  one.severity === other.severity;
