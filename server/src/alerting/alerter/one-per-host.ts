// Readings of a host become one for all servers on it. Guards: the server that has the alert keeps it while it is watched; what is in
// a blackout there does not keep the host quiet for others; alerts that say the same of another server on it end.
import type { KnownRule } from '../alert-rules/alert-rules.service.ts';
import { type Hosts, isSetAlike } from './hosts.ts';
import type { Round } from './judge-rules.ts';
import { raisedByRule } from './open-alerts.ts';
import type { RuleReadings } from './reading-details.ts';
import { type KeyedReading, readingKey } from './readings.ts';

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
