// One round: reads what is new, judges it, and writes what that changes. Guards: at most three statements for each rule,
// whatever the number of connections, and only of connections whose probe brought something new; a sample that was held
// back is judged again until it is not; one rule cannot flood a server's list.

import { anomalyMetrics } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { once } from '../../kernel/once.ts';
import { probe as connectivity } from '../../probes/pg-connectivity.ts';
import { readFreshness, silentAfter, silentNow } from '../../store/read/doors/runs.ts';
import { readRulesInForce } from '../alert-rules/in-force.service.ts';
import { knownRules } from '../alert-rules/known-rules.service.ts';
import type { QueueOptions, Written } from '../alerts/outbox.service.ts';
import { judgeAnomalies } from './anomalies.ts';
import { findCauses, releaseFollowers, upstreamsOf } from './causes.ts';
import { isNothing, type Lease, noChanges, writeChanges } from './changes.ts';
import { judgeChannels } from './channel-alerts.ts';
import { judgeConnections } from './connection-alerts.ts';
import { readHosts } from './hosts.ts';
import { judgeRules, type Round } from './judge-rules.ts';
import type { Memory } from './memory.ts';
import { type Blackouts, CONNECTION, OpenAlerts, readOpenState } from './open-alerts.ts';
import type { RecentRun } from './runs.queries.ts';
import { audiencesOf, joinSameServers, sameServersOf } from './same-server.ts';
import { listAudiences } from './state.queries.ts';

const JUDGED = [...knownRules.values(), ...anomalyMetrics];
/** Whose runs bring something to judge. */
export const PROBES = [...new Set([connectivity.name, ...JUDGED.map(({ probe }) => probe.name)])];

export interface RoundOptions extends QueueOptions {
  memory: Memory;
  lease: Lease;
  blackouts: Blackouts;
  /** The datastore's time, in milliseconds since the epoch: samples have it too. */
  now: number;
  /** Those of the last while. */
  runs: readonly RecentRun[];
}

export interface RoundReport {
  /** Rules that were asked, and values that could change anything. */
  rules: number;
  readings: number;
  fired: number;
  cleared: number;
  written: Written | undefined;
  /** Servers that could not be judged, since the node of the datastore that keeps their metrics does not answer. */
  silent: number;
  /** Rules and metrics that were not judged, since what they judge could not be read. */
  unread: string[];
}

/** Open alerts of rules that are switched off there or that this program does not have, and of servers that nobody watches. */
function clearOrphans({ state, alerts, inForce, changes }: Round): void {
  const watched = new Set(state.watched.map(({ connection_id }) => connection_id));
  for (const { id, connection_id, raised_by } of alerts.open) {
    if (!watched.has(connection_id)) {
      changes.cleared.push({ id, message: 'The connection is not monitored any more.' });
      continue;
    }
    if (raised_by === CONNECTION || !raised_by.startsWith('rule:')) continue;
    const name = raised_by.slice('rule:'.length);
    const isKnown = knownRules.has(name);
    if (isKnown && inForce.of(connection_id, name).is_enabled) continue;
    const message = isKnown
      ? 'The rule was switched off here.'
      : 'This rule is not part of the program any more.';
    changes.cleared.push({ id, message });
  }
}

/** When each server answered last. */
const answersIn = (runs: readonly RecentRun[]): ReadonlyMap<number, number> =>
  new Map(
    runs.flatMap(({ connection_id, probe, at }) =>
      probe === connectivity.name ? [[connection_id, at] as const] : [],
    ),
  );

/** As before where they cannot be read: alerts matter more than their number. */
async function readAudiences({ db, log, signal }: Ctx, memory: Memory): Promise<void> {
  try {
    const rows = await listAudiences(db);
    memory.sameServers = sameServersOf(rows);
    memory.audiences = audiencesOf(rows);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ event: 'alerter.same_servers_failed', err: error });
  }
}

type RoundResult = Omit<RoundReport, 'silent' | 'unread'>;

/**
 * Of all servers, or of those whose metrics are on nodes of the datastore that answer: the alerts of the others stay as they are, and
 * are judged when their node is back.
 */
export async function evaluate(ctx: Ctx, options: RoundOptions): Promise<RoundReport> {
  const { memory } = options;
  const { db } = ctx;
  const idsOf = async () => (await readOpenState(db)).watched.map(({ connection_id }) => connection_id);
  // To find a node silent may take long: while one is, it is asked first.
  const known = memory.silent.size > 0 ? await silentNow(db, await idsOf()) : [];
  memory.silent = new Set(known);
  const judged = await evaluateAnswering(ctx, options).catch(async (error: unknown) => {
    memory.silent = new Set(await silentAfter(db, await idsOf(), error));
    return evaluateAnswering(ctx, options);
  });
  return { ...judged, silent: memory.silent.size, unread: [...memory.unread] };
}

/** Undefined report of what was written: nothing had changed, or the lease was lost. */
async function evaluateAnswering(ctx: Ctx, options: RoundOptions): Promise<RoundResult> {
  const { memory, lease, blackouts, group_seconds, now, runs } = options;
  const { db } = ctx;
  // After the runs: of whatever ran, the connection is among those that are watched.
  const [state, inForce, isFresh] = await Promise.all([
    readOpenState(db),
    readRulesInForce(db),
    readFreshness(db, now),
  ]);
  const alerts = new OpenAlerts(state, blackouts);
  const answers = answersIn(runs);
  const changes = noChanges();
  const answeredAt = (id: number) => answers.get(id);
  const { watched } = state;
  const waiting = judgeConnections({ watched, alerts, answeredAt }, changes).union(memory.silent);
  const isMinute = memory.isMinute(now);
  if (isMinute) await judgeChannels(db, { watched, alerts, now }, changes);
  // A new server may be on a host of which an alert is open: its audience is read before it is judged.
  if (isMinute || watched.some(({ connection_id }) => !memory.audiences.has(connection_id)))
    await readAudiences(ctx, memory);
  const isSettled = memory.isSettled(now);
  const watchedById = new Map(watched.map((one) => [one.connection_id, one]));
  const expectedSince = (connection_id: number, probe: string) => {
    const one = watchedById.get(connection_id);
    if (!one || one.consecutive_failures > 0) return undefined;
    const at = answers.get(connection_id);
    const { read_since } = one;
    if (at !== undefined && isFresh({ probe: connectivity, connection_id, at }))
      return read_since ?? undefined;
    // No collector tries to reach it: that is reported once, by the probe that tries.
    return probe === connectivity.name && isSettled ? 0 : undefined;
  };
  const upstreams = await upstreamsOf(ctx, state);
  const hosts = once(() =>
    readHosts(db, {
      connection_ids: state.watched.map(({ connection_id }) => connection_id),
      audiences: memory.audiences,
    }),
  );
  const asked = { isFresh, expectedSince, hosts, now };
  const round = { ctx, memory, state, alerts, inForce, waiting, upstreams, changes, ...asked };
  clearOrphans(round);
  const work = memory.dueRules({ runs, watched, waiting, inForce, now });
  const readings = await judgeRules(round, work);
  for (const due of memory.dueAnomalies({ runs, watched, waiting })) await judgeAnomalies(round, due);
  findCauses(round);
  joinSameServers(round);
  releaseFollowers(round);
  const by = { lease, open: state.alerts, group_seconds };
  const written = isNothing(changes) ? undefined : await writeChanges(ctx, changes, by);
  const isLost = !isNothing(changes) && written === undefined;
  if (!isLost) memory.commit();
  const counts = { fired: written?.fired.length ?? 0, cleared: written?.cleared.length ?? 0 };
  return { rules: work.length, readings, ...counts, written };
}
