// Servers as they are in real estates, for the scenes of judgements: replicas by stream and from the archive, delayed, paused,
// demoted, logical. Guards: they end with their test.
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ClusterOptions, Major, TestCluster, TestServer } from './postgres.ts';
import { testDirectory } from './postgres.ts';
import { run, segments, set } from './rule-scenes/scene.ts';
import {
  promote,
  replicatingServer,
  returnAsStandby,
  startStandby,
  stopAtEnd,
  subscribe,
  untilTrue,
} from './server-sets.ts';

export interface Played {
  /** The server that is read, maybe by a way that is not its own. */
  server: TestServer;
  /** Other servers of its cluster that are monitored too. */
  mates?: readonly TestServer[];
  /** What goes on between two readings. */
  meanwhile?: () => Promise<unknown>;
}

const STREAMING = "exists (select from pg_stat_wal_receiver where status = 'streaming')";
export const ARCHIVES = { archive_mode: true, archive_command: 'true' } as const;

export const server = (major: Major, settings: ClusterOptions['settings'] = {}) =>
  stopAtEnd(replicatingServer({ major, settings: { max_connections: 60, ...settings } }));

export async function standbyOf(primary: TestCluster, upstream = primary): Promise<TestCluster> {
  const settings = { max_connections: 60 };
  const standby = await stopAtEnd(startStandby(primary, { major: primary.major, upstream, settings }));
  await untilTrue(standby, STREAMING);
  return standby;
}

export async function fromArchive(major: Major): Promise<Played> {
  const archive = path.join(testDirectory('archive'), 'wal');
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  const primary = await server(major, {
    archive_mode: true,
    archive_command: `cp %p ${archive}/%f`,
  });
  const standby = await standbyOf(primary);
  await set(standby, { primary_conninfo: '', restore_command: `cp ${archive}/%f %p` });
  await run(primary, 'create table kept (id int)', ...segments(2));
  await untilTrue(
    standby,
    "not exists (select from pg_stat_wal_receiver) and to_regclass('kept') is not null",
  );
  return { server: standby, meanwhile: () => run(primary, ...segments(1)) };
}

/** It was started anew a moment ago, and has a commit that waits. */
export async function delayed(major: Major): Promise<Played> {
  const primary = await server(major);
  const standby = await standbyOf(primary);
  await set(standby, { recovery_min_apply_delay: '6min' });
  await run(primary, 'create table late (id int)', ...segments(1));
  const waits = "exists (select from pg_stat_activity where wait_event = 'RecoveryApplyDelay')";
  await untilTrue(standby, waits);
  await standby.shutdown();
  await standby.start();
  await untilTrue(standby, waits);
  return { server: standby };
}

/** More WAL than a standby may be behind. */
const MUCH = segments(9);

/** A standby that has received much and waits with it, and beside it one that waits for nothing. */
export async function withDelayed(major: Major): Promise<{ primary: TestCluster; late: TestCluster }> {
  const primary = await server(major);
  const [late] = await Promise.all([standbyOf(primary), standbyOf(primary)]);
  await set(late, { recovery_min_apply_delay: '6min' });
  await run(primary, 'create table late (id int)', ...MUCH);
  await untilTrue(late, "exists (select from pg_stat_activity where wait_event = 'RecoveryApplyDelay')");
  await received(late);
  return { primary, late };
}

/** Everything is there, and not all of it is replayed. */
const received = (standby: TestCluster) =>
  untilTrue(
    standby,
    'pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) > 8 * 16777216::numeric',
  );

/** As far behind, since somebody has paused its replay. */
export async function withPaused(major: Major): Promise<{ primary: TestCluster; paused: TestCluster }> {
  const primary = await server(major);
  const paused = await standbyOf(primary);
  await run(paused, 'select pg_wal_replay_pause()');
  await run(primary, 'create table late (id int)', ...MUCH);
  await received(paused);
  return { primary, paused };
}

/** What it could not archive as a primary still lies there. */
export async function demoted(major: Major): Promise<Played> {
  const old = await server(major, { archive_mode: true, archive_command: 'false' });
  const standby = await standbyOf(old);
  await run(old, ...segments(2));
  await untilTrue(old, 'exists (select from pg_stat_archiver where failed_count > 0)');
  await old.shutdown();
  await promote(standby);
  await returnAsStandby(old, standby);
  await untilTrue(old, STREAMING);
  return { server: old };
}

export async function logical(major: Major): Promise<{ publisher: TestCluster; subscriber: TestCluster }> {
  const [publisher, subscriber] = await Promise.all([server(major), server(major)]);
  await subscribe(subscriber, publisher, { name: 'everything' });
  return { publisher, subscriber };
}

export const slot = (name: string, reserves: boolean) =>
  `select pg_create_physical_replication_slot('${name}', ${reserves})`;

/** With a slot that is inactive from now on. */
export async function withLeftSlot(major: Major): Promise<TestCluster> {
  const primary = await replicatingServer({ major, settings: { max_connections: 60 } });
  await run(primary, slot('left_behind', true));
  return primary;
}

/** The same when the slot has been inactive for a minute and retains so many segments. */
export async function leftForLong(
  primary: TestCluster | undefined,
  kept: readonly string[],
): Promise<Played> {
  if (!primary) throw new Error('the server of this scene was not begun ahead');
  onTestFinished(() => primary.stop());
  await untilTrue(
    primary,
    "exists (select from pg_replication_slots where inactive_since < now() - interval '1 min')",
  );
  await run(primary, ...kept);
  return { server: primary };
}

export async function advancedSlot(major: Major): Promise<Played> {
  const primary = await server(major);
  await run(primary, slot('kept_in_step', true), ...segments(2));
  const advance = [
    ...segments(1),
    "select pg_replication_slot_advance('kept_in_step', pg_current_wal_lsn())",
  ];
  await run(primary, ...advance, ...segments(1));
  return { server: primary, meanwhile: () => run(primary, ...advance, ...segments(1)) };
}
