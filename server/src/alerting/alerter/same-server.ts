// Connections that lead to one server by several addresses: of what is wrong with it one alert is sent, which names them all, and those of the
// others follow from it. Guards: only where system and start of the server are the same, the same channels are notified and the same people see
// them, so that a server that claims to be another one keeps none of its alerts back; an alert of
// another severity or threshold is sent as well; one that outlives the other by five minutes is sent after all.

import { shownNames } from '../../kernel/shown-value.ts';
import { shownName } from '../alert-rules/known-rules.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import type { FiredAlert } from './changes.queries.ts';
import type { AlertChanges } from './changes.ts';
import type { Round } from './judge-rules.ts';
import { keyText, type OpenAlerts, type OpenState } from './open-alerts.ts';
import type { AudienceRow, OpenRow } from './state.queries.ts';

const MOST_NAMED = 5;

/** Of each connection, all that lead to its server, in the order of their ids. */
export type SameServers = ReadonlyMap<number, readonly number[]>;

/** Who is told of each connection: those that tell others apart are told of each. */
export type Audiences = ReadonlyMap<number, string>;

export const audiencesOf = (rows: readonly AudienceRow[]): Audiences =>
  new Map(rows.map(({ connection_id, audience }) => [connection_id, audience]));

export function sameServersOf(rows: readonly AudienceRow[]): SameServers {
  const known = rows.filter(({ server }) => server !== null);
  const groups = Map.groupBy(known, ({ audience, server }) => `${server} ${audience}`).values();
  const ids = [...groups].map((own) =>
    own.map(({ connection_id }) => connection_id).toSorted((a, b) => a - b),
  );
  return new Map(
    ids.filter(({ length }) => length > 1).flatMap((own) => own.map((id) => [id, own] as const)),
  );
}

const isAlike = (one: FiredAlert, other: OpenRow | FiredAlert) =>
  one.severity === other.severity &&
  one.operator === other.operator &&
  one.threshold_value === other.threshold_value;

/** The alert that says the same of the same server: one that is open, the oldest first, else one of the same round. */
function sentAlready(
  one: FiredAlert,
  ids: readonly number[],
  { alerts, fired }: { alerts: OpenAlerts; fired: ReadonlyMap<string, FiredAlert> },
): AlertKey | undefined {
  const others = ids
    .filter((id) => id !== one.connection_id)
    .map((connection_id) => ({ ...one, connection_id }));
  const open = others.flatMap((key) => alerts.openOf(key) ?? []).filter((other) => isAlike(one, other));
  const [oldest] = open.toSorted((a, b) => a.id - b.id);
  if (oldest) return oldest;
  return others
    .filter(({ connection_id }) => connection_id < one.connection_id)
    .flatMap((key) => fired.get(keyText(key)) ?? [])
    .find((other) => isAlike(one, other));
}

/** Adds the causes of alerts that have none. */
function addCauses(changes: AlertChanges, servers: SameServers, alerts: OpenAlerts): void {
  const fired = new Map(changes.fired.map((one) => [keyText(one), one]));
  const caused = new Set(changes.causes.map(({ of }) => keyText(of)));
  for (const one of changes.fired) {
    const ids = servers.get(one.connection_id);
    const cause = ids && !caused.has(keyText(one)) ? sentAlready(one, ids, { alerts, fired }) : undefined;
    if (cause) changes.causes.push({ of: one, cause });
  }
}

/** Says in the words of alerts by which connections their server is reached. */
function addNames(changes: AlertChanges, servers: SameServers, { watched, alerts }: OpenState): void {
  const names = new Map(watched.map(({ connection_id, name }) => [connection_id, shownName(name)]));
  const places = new Map(alerts.map(({ id, connection_id }) => [id, connection_id]));
  const withNames = <T extends { description: string | null }>(one: T, id: number | undefined): T => {
    const ids = (id === undefined ? undefined : servers.get(id)) ?? [];
    if (one.description === null || ids.length === 0) return one;
    const shown = ids.map((other) => names.get(other) ?? String(other));
    return {
      ...one,
      description: `${one.description} ${ids.length} connections lead to this server: ${shownNames(shown, MOST_NAMED)}.`,
    };
  };
  changes.fired = changes.fired.map((one) => withNames(one, one.connection_id));
  changes.reopened = changes.reopened.map((one) => withNames(one, places.get(one.id)));
  changes.updated = changes.updated.map((one) => withNames(one, places.get(one.id)));
}

export function joinSameServers({ changes, alerts, state, memory: { sameServers } }: Round): void {
  if (sameServers.size === 0) return;
  addCauses(changes, sameServers, alerts);
  addNames(changes, sameServers, state);
}
