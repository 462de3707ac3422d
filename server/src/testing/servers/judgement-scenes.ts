// Servers as they stand in real estates, each well, and each as it is in trouble: for the test that alert rules and checks say the same
// of it. Guards: each scene has servers of its own and ends them.
import { onTestFinished } from 'vitest';
import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import { startFaultProxy } from '../faults/fault-proxy.ts';
import {
  ARCHIVES,
  advancedSlot,
  delayed,
  demoted,
  fromArchive,
  leftForLong,
  logical,
  type Played,
  server,
  slot,
  standbyOf,
  withDelayed,
  withLeftSlot,
  withPaused,
} from './judgement-servers.ts';
import { hasPooler, POOLER, startPooler } from './pooler.ts';
import type { Major, TestCluster } from './postgres.ts';
import { run, segments, set } from './rule-scenes/scene.ts';
import { promote, untilTrue } from './server-sets.ts';

export interface JudgementScene {
  scene: string;
  from?: number;
  /** Played everyday too: on the newest version, or on that one. */
  isQuick?: true | Major;
  /** Rules that have to fire; none where the server is well. */
  expects?: readonly RuleName[];
  /** Why it cannot be played here. */
  lacks?: () => string | undefined;
  /** A server that has to stand for a minute: begun before the first scene is played, and this one is among the last. */
  ahead?(major: Major): Promise<TestCluster>;
  make(major: Major, ahead?: TestCluster): Promise<Played>;
}

const DISABLED_SUBSCRIPTION =
  "create subscription off connection 'host=127.0.0.1 port=1' publication p with (connect = false)";

const MANY_CHECKPOINTS = Array.from({ length: 60 }, () => 'checkpoint');

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
  {
    scene: 'standby that is asked for many restartpoints',
    isQuick: 14,
    async make(major) {
      const standby = await standbyOf(await server(major));
      return { server: standby, meanwhile: () => run(standby, ...MANY_CHECKPOINTS) };
    },
  },
  {
    scene: 'standby that is promoted after many restartpoints',
    isQuick: 14,
    async make(major) {
      const standby = await standbyOf(await server(major));
      await run(standby, ...MANY_CHECKPOINTS);
      return { server: standby, meanwhile: () => promote(standby) };
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
    expects: ['replication_slot_inactive', 'replication_slot_retention_warn'],
    ahead: withLeftSlot,
    make: (_major, primary) => leftForLong(primary, segments(66)),
  },
  {
    scene: 'slot whose consumer is gone and that keeps little',
    from: 17,
    ahead: withLeftSlot,
    make: (_major, primary) => leftForLong(primary, segments(2)),
  },
  {
    scene: 'subscription that is disabled',
    isQuick: true,
    expects: ['subscription_worker_down'],
    async make(major) {
      const subscriber = await server(major);
      await run(subscriber, DISABLED_SUBSCRIPTION);
      return { server: subscriber };
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
    scene: 'standby with an archive whose primary is gone',
    isQuick: true,
    expects: ['replication_standby_disconnected'],
    async make(major) {
      const primary = await server(major);
      const standby = await standbyOf(primary);
      await set(standby, { restore_command: 'false' });
      await primary.kill();
      await untilTrue(standby, 'not exists (select from pg_stat_wal_receiver)');
      return { server: standby };
    },
  },
  {
    scene: 'standby of a server with a disabled subscription',
    isQuick: true,
    async make(major) {
      const primary = await server(major);
      await run(primary, DISABLED_SUBSCRIPTION);
      const standby = await standbyOf(primary);
      await untilTrue(standby, 'exists (select from pg_subscription)');
      return { server: standby };
    },
  },
  {
    scene: 'slot that its idle timeout ended',
    from: 18,
    isQuick: true,
    async make(major) {
      const primary = await server(major, { idle_replication_slot_timeout: '1s' });
      await run(primary, slot('left_behind', true), ...segments(2));
      await untilTrue(
        primary,
        "exists (select from pg_replication_slots where inactive_since < now() - interval '2 s')",
      );
      await run(primary, 'checkpoint');
      await untilTrue(primary, "exists (select from pg_replication_slots where wal_status = 'lost')");
      return { server: primary };
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
