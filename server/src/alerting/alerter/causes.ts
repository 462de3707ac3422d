// What an alert follows from: a worse one on the same object, or that the server which this one replicates from cannot be
// reached. What follows is kept, marked, and not sent. Guards: it is sent after all when it outlives its cause by five
// minutes; nobody is left without a word because something worse has passed.
import type { Ctx } from '../../identity/identity.ts';
import { knownRules } from '../alert-rules/known-rules.service.ts';
import type { AlertKey } from '../alerts/alerts.types.ts';
import type { Rule } from '../rules/types.ts';
import type { Round } from './judge-rules.ts';
import {
  CONNECTION,
  keyText,
  type OpenAlerts,
  type OpenState,
  raisedByRule,
  serverKey,
} from './open-alerts.ts';
import { listUnreachableMembers, listUpstreams } from './state.queries.ts';

const ruleOf = (raised_by: string): Rule | undefined => knownRules.get(raised_by.slice('rule:'.length))?.rule;

const unreachable = (connection_id: number): AlertKey => serverKey(connection_id, CONNECTION);

export interface Upstreams {
  /** The server that this one replicates from, where that does not answer. */
  unreachableUpstream(connection_id: number): number | undefined;
  /** Another server of its cluster that does not answer. */
  unreachableMember(connection_id: number): number | undefined;
}

/** Two statements, and none while every server answers. */
export async function upstreamsOf({ db }: Ctx, { watched, alerts }: OpenState): Promise<Upstreams> {
  const failing = watched.filter(({ consecutive_failures }) => consecutive_failures > 0);
  const open = alerts.filter(({ raised_by, status }) => raised_by === CONNECTION && status !== 'cleared');
  const silent = [...new Set([...failing, ...open].map(({ connection_id }) => connection_id))];
  const rows = silent.length === 0 ? [] : await listUpstreams(db, silent);
  const mates = silent.length === 0 ? [] : await listUnreachableMembers(db, silent);
  const parents = new Map(rows.map((row) => [row.connection_id, row.parent_connection_id]));
  const besides = new Map(mates.map((row) => [row.connection_id, row.silent_id]));
  return {
    unreachableUpstream: (connection_id) => parents.get(connection_id),
    unreachableMember: (connection_id) => besides.get(connection_id),
  };
}

function unreachableFor(upstreams: Upstreams, rule: Rule, id: number): number | undefined {
  const upstream = rule.followsFromUpstream ? upstreams.unreachableUpstream(id) : undefined;
  return upstream ?? (rule.followsFromMember ? upstreams.unreachableMember(id) : undefined);
}

/** What may follow from a server that does not answer yet waits until that is an alert, or answers again. */
export function waitsForUpstream({ alerts, upstreams, changes }: Round, rule: Rule, id: number): boolean {
  const upstream = unreachableFor(upstreams, rule, id);
  if (upstream === undefined) return false;
  const key = unreachable(upstream);
  return !alerts.openOf(key) && !changes.fired.some((one) => keyText(one) === keyText(key));
}

/** At most one: an alert that was open before this round and is about the same trouble. */
function earlierCause(alerts: OpenAlerts, rule: Rule, connection_id: number): AlertKey[] {
  const names = rule.followsFromEarlier ?? [];
  const keys = names.map((name) => serverKey(connection_id, raisedByRule(name)));
  return keys.filter((key) => alerts.openOf(key)).slice(0, 1);
}

/** An alert that fires follows from another one that is open, or that fires in the same round. */
export function findCauses({ alerts, upstreams, changes }: Round): void {
  const fired = new Set(changes.fired.map(keyText));
  for (const one of changes.fired) {
    if (one.alert_type !== 'threshold') continue;
    const { connection_id, database_name, object_name } = one;
    const rule = ruleOf(one.raised_by);
    const upstream = rule && unreachableFor(upstreams, rule, connection_id);
    const causes = (rule?.followsFrom ?? []).map((name) => ({
      ...{ connection_id, raised_by: raisedByRule(name), database_name, object_name },
    }));
    for (const name of rule?.followsFromServer ?? [])
      causes.push(serverKey(connection_id, raisedByRule(name)));
    if (upstream !== undefined) causes.push(unreachable(upstream));
    const worse = causes.filter((cause) => fired.has(keyText(cause)) || alerts.openOf(cause));
    const found = worse.length === 0 && rule ? earlierCause(alerts, rule, connection_id) : worse;
    for (const cause of found) changes.causes.push({ of: one, cause });
  }
}

/** Open alerts whose cause cleared longer ago than what has just cleared is remembered, and which have not got better. */
export function releaseFollowers({ alerts, changes, state, waiting }: Round): void {
  const remembered = new Set(state.alerts.map(({ id }) => id));
  const ends = new Set(changes.cleared.map(({ id }) => id));
  const better = new Set(changes.updated.flatMap(({ id, well_samples }) => (well_samples > 0 ? [id] : [])));
  for (const open of alerts.open) {
    const { id, cause_id, well_samples, connection_id, raised_by } = open;
    const waits = raised_by !== CONNECTION && waiting.has(connection_id);
    if (cause_id === null || remembered.has(cause_id) || waits) continue;
    const isBetter = well_samples > 0 || ends.has(id) || better.has(id);
    if (!isBetter && !alerts.stateOf(open).isSuppressed) changes.released.push(id);
  }
}
