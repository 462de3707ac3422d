// What is known before a round judges: alerts that are open or silent, conditions that are pending, what is muted or in a
// blackout. Guards: while a server cannot be reached, its other alerts are kept as they are and new ones wait.

import type { Db } from '../../kernel/db.ts';
import { type AlertState, SILENT_SECONDS } from '../alert-rules/judge.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import {
  listMutes,
  listOpen,
  listPending,
  listWatched,
  type MuteRow,
  type OpenRow,
  type PendingRow,
  type WatchedRow,
} from './state.queries.ts';

export const keyText = ({ connection_id, raised_by, database_name, object_name }: AlertKey): string =>
  JSON.stringify([connection_id, raised_by, database_name, object_name]);

/** Of an alert of a server as a whole. */
export const serverKey = (connection_id: number, raised_by: string): AlertKey => ({
  ...{ connection_id, raised_by, database_name: '', object_name: '' },
});

export interface OpenState {
  watched: WatchedRow[];
  /** Open, or cleared a moment ago. */
  alerts: OpenRow[];
  pending: PendingRow[];
  mutes: MuteRow[];
}

/** Four statements. */
export async function readOpenState(db: Db): Promise<OpenState> {
  return {
    watched: await listWatched(db),
    alerts: await listOpen(db, SILENT_SECONDS),
    pending: await listPending(db),
    mutes: await listMutes(db),
  };
}

/** Whether a blackout covers a connection, or one database of it. */
export interface Blackouts {
  covers(connection_id: number, database_name: string): unknown;
}

/** What raised the alert of a server that cannot be reached. */
export const CONNECTION = 'connection';
const ruleOf = (raised_by: string) => raised_by.slice('rule:'.length);

export const raisedByRule = (name: string): string => `rule:${name}`;

export class OpenAlerts {
  readonly #open = new Map<string, OpenRow>();
  readonly #silent = new Map<string, OpenRow>();
  readonly #pending: ReadonlyMap<string, PendingRow>;
  readonly #muted: ReadonlySet<string>;
  readonly #blackouts: Blackouts;
  /** Open alerts of each rule, by its name. */
  readonly #byRule: ReadonlyMap<string, OpenRow[]>;
  readonly #pendingByRule: ReadonlyMap<string, PendingRow[]>;

  constructor({ alerts, pending, mutes }: OpenState, blackouts: Blackouts) {
    // In the order of their ids, so that of those that have cleared the newest counts.
    for (const one of alerts) (one.status === 'cleared' ? this.#silent : this.#open).set(keyText(one), one);
    this.#pending = new Map(pending.map((one) => [keyText(one), one]));
    this.#muted = new Set(
      mutes.map(({ connection_id, raised_by, database_name }) =>
        JSON.stringify([connection_id, raised_by, database_name]),
      ),
    );
    this.#blackouts = blackouts;
    this.#byRule = Map.groupBy(this.#open.values(), ({ raised_by }) => ruleOf(raised_by));
    this.#pendingByRule = Map.groupBy(pending, ({ raised_by }) => ruleOf(raised_by));
  }

  get open(): Iterable<OpenRow> {
    return this.#open.values();
  }

  openOf(key: AlertKey): OpenRow | undefined {
    return this.#open.get(keyText(key));
  }

  /** The newest one that cleared a moment ago. */
  clearedOf(key: AlertKey): OpenRow | undefined {
    return this.#silent.get(keyText(key));
  }

  openOfRule(name: string): readonly OpenRow[] {
    return this.#byRule.get(name) ?? [];
  }

  pendingOfRule(name: string): readonly PendingRow[] {
    return this.#pendingByRule.get(name) ?? [];
  }

  /** What a reading of that key is judged with. */
  stateOf(key: AlertKey): AlertState {
    const text = keyText(key);
    const open = this.#open.get(text);
    const pending = this.#pending.get(text);
    const { connection_id, raised_by, database_name } = key;
    const isMuted = this.#muted.has(JSON.stringify([connection_id, raised_by, database_name]));
    return {
      open: open && {
        severity: open.severity,
        operator: open.operator,
        threshold: open.threshold_value,
        sampledAt: open.sampled_at === null ? Number.NEGATIVE_INFINITY : Date.parse(open.sampled_at),
        wellSamples: open.well_samples,
      },
      pending: pending && { since: Date.parse(pending.since), sampledAt: Date.parse(pending.sampled_at) },
      silent: this.#silent.get(text)?.severity,
      isSuppressed: isMuted || this.#blackouts.covers(connection_id, database_name) !== undefined,
    };
  }
}
