// Servers as they stand in real estates, each well, and each as it is in trouble: for the test that alert rules and checks say the same
// of it. Guards: each scene has servers of its own and ends them.
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import { startFaultProxy } from '../faults/fault-proxy.ts';
import { hasPooler, POOLER, startPooler } from './pooler.ts';
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

export interface JudgementScene {
  scene: string;
  from?: number;
  /** Played everyday too. */
  isQuick?: true;
  /** Rules that have to fire; none where the server is well. */
  expects?: readonly RuleName[];
  /** Why it cannot be played here. */
  lacks?: () => string | undefined;
  make(major: Major): Promise<Played>;
}

const STREAMING = "exists (select from pg_stat_wal_receiver where status = 'streaming')";
const ARCHIVES = { archive_mode: true, archive_command: 'true' } as const;

const server = (major: Major, settings: ClusterOptions['settings'] = {}) =>
  stopAtEnd(replicatingServer({ major, settings: { max_connections: 60, ...settings } }));

async function standbyOf(primary: TestCluster, upstream = primary): Promise<TestCluster> {
  const settings = { max_connections: 60 };
  const standby = await stopAtEnd(startStandby(primary, { major: primary.major, upstream, settings }));
  await untilTrue(standby, STREAMING);
  return standby;
}

async function fromArchive(major: Major): Promise<Played> {
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
async function delayed(major: Major): Promise<Played> {
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
async function withDelayed(major: Major): Promise<{ primary: TestCluster; late: TestCluster }> {
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
async function withPaused(major: Major): Promise<{ primary: TestCluster; paused: TestCluster }> {
  const primary = await server(major);
  const paused = await standbyOf(primary);
  await run(paused, 'select pg_wal_replay_pause()');
  await run(primary, 'create table late (id int)', ...MUCH);
  await received(paused);
  return { primary, paused };
}

/** What it could not archive as a primary still lies there. */
async function demoted(major: Major): Promise<Played> {
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

async function logical(major: Major): Promise<{ publisher: TestCluster; subscriber: TestCluster }> {
  const [publisher, subscriber] = await Promise.all([server(major), server(major)]);
  await subscribe(subscriber, publisher, { name: 'everything' });
  return { publisher, subscriber };
}

const slot = (name: string, reserves: boolean) =>
  `select pg_create_physical_replication_slot('${name}', ${reserves})`;

async function advancedSlot(major: Major): Promise<Played> {
  const primary = await server(major);
  await run(primary, slot('kept_in_step', true), ...segments(2));
  const advance = [
    ...segments(1),
    "select pg_replication_slot_advance('kept_in_step', pg_current_wal_lsn())",
  ];
  await run(primary, ...advance, ...segments(1));
  return { server: primary, meanwhile: () => run(primary, ...advance, ...segments(1)) };
}

export const JUDGEMENT_SCENES: readonly JudgementScene[] = [
  {
    scene: 'primary',
    async make(major) {
      const primary = await server(major, ARCHIVES);
      await Promise.all([standbyOf(primary), standbyOf(primary)]);
      return { server: primary, meanwhile: () => run(primary, ...segments(1)) };
    },
  },
  {
    scene: 'standby by stream',
    async make(major) {
      const primary = await server(major);
      return { server: await standbyOf(primary), meanwhile: () => run(primary, ...segments(1)) };
    },
  },
  { scene: 'standby from archive', isQuick: true, make: fromArchive },
  { scene: 'delayed standby', isQuick: true, make: delayed },
  {
    scene: 'delayed standby that has received much',
    isQuick: true,
    async make(major) {
      const { primary, late } = await withDelayed(major);
      return { server: late, mates: [primary] };
    },
  },
  {
    scene: 'primary of a delayed standby',
    isQuick: true,
    async make(major) {
      const { primary, late } = await withDelayed(major);
      return { server: primary, mates: [late] };
    },
  },
  {
    scene: 'standby whose replay is paused',
    expects: ['replication_lag_bytes'],
    async make(major) {
      const { primary, paused } = await withPaused(major);
      return { server: paused, mates: [primary] };
    },
  },
  {
    scene: 'primary of a standby whose replay is paused',
    isQuick: true,
    expects: ['replication_lag_bytes'],
    async make(major) {
      const { primary, paused } = await withPaused(major);
      return { server: primary, mates: [paused] };
    },
  },
  {
    scene: 'cascading: in the middle',
    async make(major) {
      const primary = await server(major);
      const middle = await standbyOf(primary);
      await standbyOf(primary, middle);
      return { server: middle, meanwhile: () => run(primary, ...segments(1)) };
    },
  },
  {
    scene: 'cascading: at the end',
    async make(major) {
      const primary = await server(major);
      const last = await standbyOf(primary, await standbyOf(primary));
      return { server: last, meanwhile: () => run(primary, ...segments(1)) };
    },
  },
  { scene: 'demoted', isQuick: true, make: demoted },
  {
    scene: 'publisher',
    make: async (major) => ({ server: (await logical(major)).publisher }),
  },
  {
    scene: 'subscriber',
    make: async (major) => ({ server: (await logical(major)).subscriber }),
  },
  {
    scene: 'behind a pooler',
    lacks: () => (hasPooler ? undefined : POOLER),
    async make(major) {
      const primary = await server(major);
      const { superuser: username, password, port: to } = primary;
      const pooler = await startPooler({
        port: to,
        database: 'postgres',
        username,
        password,
        pool_mode: 'session',
        pool_size: 3,
      });
      onTestFinished(() => pooler.stop());
      return {
        server: { ...primary, port: pooler.port, url: primary.url.replace(`:${to}/`, `:${pooler.port}/`) },
      };
    },
  },
  {
    scene: 'behind a proxy',
    async make(major) {
      const primary = await server(major);
      const { port } = await startFaultProxy(primary.port);
      return { server: { ...primary, port, url: primary.url.replace(`:${primary.port}/`, `:${port}/`) } };
    },
  },
  { scene: 'slot that a failover manager advances', isQuick: true, make: advancedSlot },
  {
    scene: 'slot that keeps nothing',
    async make(major) {
      const primary = await server(major);
      await run(primary, slot('reserves_nothing', false), ...segments(2));
      return { server: primary };
    },
  },
  {
    // Before 17 the server does not say since when: two readings a minute apart would have to.
    scene: 'slot whose consumer is gone',
    from: 17,
    expects: ['replication_slot_inactive'],
    async make(major) {
      const primary = await server(major);
      await run(primary, slot('left_behind', true), ...segments(2));
      await untilTrue(
        primary,
        "exists (select from pg_replication_slots where inactive_since < now() - interval '1 min')",
      );
      return { server: primary };
    },
  },
  {
    scene: 'standby whose primary is gone',
    isQuick: true,
    expects: ['replication_standby_disconnected'],
    async make(major) {
      const primary = await server(major);
      const standby = await standbyOf(primary);
      await primary.kill();
      await untilTrue(standby, 'not exists (select from pg_stat_wal_receiver)');
      return { server: standby };
    },
  },
  {
    scene: 'archive that refuses',
    isQuick: true,
    expects: ['wal_archive_failed'],
    async make(major) {
      const primary = await server(major, { archive_mode: true, archive_command: 'false' });
      const failed = () =>
        untilTrue(primary, `exists (select from pg_stat_archiver where failed_count > ${count})`);
      let count = 0;
      await run(primary, ...segments(1));
      await failed();
      count = 1;
      return { server: primary, meanwhile: failed };
    },
  },
  {
    scene: 'archive that works again',
    async make(major) {
      const primary = await server(major, { archive_mode: true, archive_command: 'false' });
      await run(primary, ...segments(1));
      await untilTrue(primary, 'exists (select from pg_stat_archiver where failed_count > 0)');
      const mended = async () => {
        await set(primary, { archive_command: 'true' });
        await run(primary, ...segments(1));
        await untilTrue(
          primary,
          'exists (select from pg_stat_archiver where last_archived_time > last_failed_time)',
        );
      };
      return { server: primary, meanwhile: mended };
    },
  },
];
