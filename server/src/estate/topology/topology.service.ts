// One round of detection: read what was collected, judge, write what changed. Guards: one process at a time (a lease
// with an epoch, checked in the transaction that writes), all changes of a round in one transaction or none, what
// people pinned or hid stays so, and a round that finds nothing new writes nothing but that it was.
import { lockRights, systemActor } from '../../identity/identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { admitDetected, forgetScope } from '../scopes/scopes.service.ts';
import * as change from './changes.queries.ts';
import { type Changes, changesOf, isQuiet } from './changes.ts';
import { detect } from './detect.ts';
import { factsOf } from './facts.ts';
import { noteReceivers } from './receivers.queries.ts';
import * as queries from './topology.queries.ts';
import type { Detection, Memory } from './types.ts';

export interface RoundOptions {
  db: Db;
  log: Log;
  /** Of this process. */
  owner: string;
  /** The last round, whoever ran it, has to be so long ago. */
  every_seconds: number;
  /** What this process found last: a round that has the same before it is over at once. */
  last?: LastRound;
}

export interface LastRound {
  digest?: string | undefined;
  report?: RoundReport;
}

export interface RoundReport {
  servers: number;
  clusters: number;
  /** Servers that came to another cluster, role or upstream. */
  moved: number;
  changed: boolean;
}

/** Rows of clusters that are no longer there and that nobody wanted are not kept as empty shells. */
async function deleteLeftovers(db: Db, ids: readonly number[]): Promise<void> {
  const left = ids.length === 0 ? [] : await change.lockLeftovers(db, ids);
  if (left.length === 0) return;
  await forgetScope(db, 'cluster', left);
  await change.deleteStored(db, left);
}

async function write(db: Db, changes: Changes): Promise<void> {
  const { moves, wanted, clusters, nodes, labels, relationships } = changes;
  if (moves.length > 0) await change.moveStored(db, moves);
  if (clusters.changed.length + clusters.gone.length > 0) await change.saveClusters(db, clusters);
  if (nodes.changed.length + nodes.gone.length > 0) await change.saveNodes(db, nodes);
  if (labels.length > 0) await change.saveLabels(db, labels);
  if (relationships.added.length + relationships.gone.length > 0)
    await change.saveRelationships(db, relationships);
  if (wanted.length > 0) await change.storeClusters(db, wanted);
  if (changes.servers) await change.moveServers(db);
  await deleteLeftovers(db, changes.leftovers);
}

interface DetectedTopology {
  detection: Detection;
  changes: Changes;
}

async function judge(db: Db): Promise<DetectedTopology> {
  const servers = await queries.readServers(db);
  const nodes = await queries.readNodes(db);
  const clusters = await queries.readClusters(db);
  const stored = await queries.readStored(db);
  const labels = await queries.readLabels(db);
  const relationships = await queries.readRelationships(db);
  const memory: Memory = {
    members: new Map(nodes.map((node) => [node.connection_id, node])),
    names: new Map(clusters.map(({ cluster_key, name }) => [cluster_key, name])),
    labels,
  };
  const detection = detect(servers.map(factsOf), memory);
  return { detection, changes: changesOf(detection, { servers, nodes, clusters, stored, relationships }) };
}

class LeaseLost extends Error {}

/** Of more servers one was read again since any last round. */
const FEW = 20;

/** What is stored now, as a text; undefined: to read it would not tell whether a round is needed. */
const digestNow = async ({ db, last }: RoundOptions): Promise<string | undefined> =>
  last && (last.report?.servers ?? 0) <= FEW ? await queries.readDigest(db) : undefined;

/** Of a process whose last round found what is stored now: another one would find the same. */
function again(last: LastRound | undefined, digest: string | undefined): RoundReport | undefined {
  if (digest === undefined || !last?.report || last.digest !== digest) return undefined;
  return { ...last.report, moved: 0, changed: false };
}

async function wholeRound(options: RoundOptions, epoch: number): Promise<RoundReport | undefined> {
  const { db, log } = options;
  const { detection, changes } = await judge(db);
  const report: RoundReport = {
    servers: detection.nodes.length,
    clusters: detection.clusters.length,
    moved: changes.moved,
    changed: !isQuiet(changes),
  };
  if (!report.changed) return (await queries.finishRound(db, epoch, report)) > 0 ? report : undefined;
  await db.transaction(async (tx) => {
    if ((await queries.finishRound(tx, epoch, report)) === 0) throw new LeaseLost();
    // Before any row: a user who moves servers or gives access holds it, and waits for none that is locked here.
    await lockRights(tx);
    await write(tx, changes);
    await admitDetected({ db: tx, log, clock: systemClock, principal: systemActor('server') });
  });
  for (const { from, to } of changes.moves) log.info({ event: 'topology.cluster_moved', from, to });
  if (changes.moved > 0) log.info({ event: 'topology.changed', ...report });
  return report;
}

/**
 * Runs a round if it is due and nobody else does it; answers what it found. A process that knows already what it would find
 * neither takes the lease nor waits for its turn.
 */
export async function detectIfDue(options: RoundOptions): Promise<RoundReport | undefined> {
  const { db, owner, every_seconds, last } = options;
  // Before anything is read: what changes meanwhile is different the next time.
  const digest = await digestNow(options);
  const same = again(last, digest);
  if (same) return same;
  const epoch = await queries.claimRound(db, owner, every_seconds);
  if (epoch === undefined) return undefined;
  try {
    const report = await wholeRound(options, epoch);
    if (last && report) {
      last.digest = digest;
      last.report = report;
    }
    // After the nodes of new servers were stored.
    if (report) await noteReceivers(db);
    return report;
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    await queries.abandonRound(db, epoch).catch(() => undefined);
    throw error;
  }
}
