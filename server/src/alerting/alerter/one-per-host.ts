// Readings of a machine become one for all servers on it. Guards: the server that has the alert keeps it while it is watched; what is in
// a blackout there does not keep the machine quiet for others; alerts that say the same of another server on it end.
import type { KnownRule } from '../alert-rules/alert-rules.service.ts';
import { isSetAlike, type Machines } from './hosts.ts';
import type { Round, RuleReadings } from './judge-rules.ts';
import { raisedByRule } from './open-alerts.ts';
import { type PlacedReading, placeKey } from './readings.ts';

/** Which server stands for the machine; undefined: the one that has the alert does not answer, and it is kept as it is. */
function holderOf(
  { known, inForce, waiting }: Round,
  { rule: { name, followsFrom } }: KnownRule,
  { judged, members }: { judged: PlacedReading; members: readonly number[] },
): number | undefined {
  const own = inForce.of(judged.connection_id, name);
  const alike = members.filter((id) => isSetAlike(inForce.of(id, name), own));
  const keyOn = (connection_id: number) => ({ ...judged, connection_id, raised_by: raisedByRule(name) });
  // The alert of a cause as well, so that both are of one server.
  const raisedBy = [name, ...(followsFrom ?? [])].map(raisedByRule);
  const open = raisedBy
    .map((raised_by) => alike.find((id) => known.openOf({ ...keyOn(id), raised_by })))
    .find((id) => id !== undefined);
  if (open !== undefined) return waiting.has(open) ? undefined : open;
  const able = alike.filter((id) => !waiting.has(id));
  return able.find((id) => known.of(keyOn(id)).isHeld !== true) ?? able[0];
}

function endOthers(round: Round, { rule: { name } }: KnownRule, machines: Machines): void {
  const seen = new Map<string, number>();
  const nameOf = namesOf(round);
  for (const open of [...round.known.openOfRule(name)].toSorted(
    (a, b) => a.connection_id - b.connection_id,
  )) {
    const [first = open.connection_id] = machines.membersOf(open.connection_id);
    const { operator, threshold_value, severity } = open;
    const key = JSON.stringify([
      placeKey({ ...open, connection_id: first }),
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

const namesOf = ({ standing }: Round) => {
  const names = new Map(standing.watched.map(({ connection_id, name }) => [connection_id, name]));
  return (id: number) => names.get(id);
};

export async function onePerMachine(
  round: Round,
  known: KnownRule,
  found: RuleReadings,
): Promise<RuleReadings> {
  const machines = await round.machinesOf();
  const asked = new Set(found.connection_ids);
  const readings = new Map<string, PlacedReading>();
  const connection_ids = new Set(found.connection_ids);
  const nameOf = namesOf(round);
  for (const judged of found.readings.values()) {
    const { connection_id } = judged;
    if (!asked.has(connection_id)) continue;
    const members = machines.membersOf(connection_id);
    const holder = members.length < 2 ? connection_id : holderOf(round, known, { judged, members });
    if (holder !== connection_id) connection_ids.delete(connection_id);
    if (holder === undefined) continue;
    connection_ids.add(holder);
    const machine = machines.describe(holder, nameOf);
    const own: PlacedReading = {
      ...judged,
      connection_id: holder,
      ...(machine !== undefined && { machine }),
    };
    const key = placeKey(own);
    const before = readings.get(key);
    if (!before || before.reading.at < own.reading.at) readings.set(key, own);
  }
  endOthers(round, known, machines);
  return { readings, connection_ids: [...connection_ids] };
}
