// Every scene of checks, and how they are played on a server of a version: one after the other, by whichever file of tests asks.
import { afterAll, beforeAll, describe, it } from 'vitest';
import * as ofChecks from '../../scenes/of-checks.gen.ts';
import type { Major } from '../postgres.ts';
import { replicatingServer, startStandby } from '../server-sets.ts';
import { ScenePlayer, scenesOn } from './player.ts';
import type { CheckScene } from './scene.ts';

const SCENES: readonly CheckScene[] = Object.values(ofChecks.scenes).flat();
const WITH_STANDBY: readonly CheckScene[] = Object.values(ofChecks.scenesWithStandby).flat();

/** As a server that is well has it; those of tests are set for speed. */
const SETTINGS = {
  fsync: true,
  full_page_writes: true,
  synchronous_commit: true,
  max_prepared_transactions: 5,
  track_io_timing: true,
  log_lock_waits: true,
  log_checkpoints: true,
  log_connections: true,
  log_temp_files: '64MB',
  log_autovacuum_min_duration: '10min',
  log_min_duration_statement: '5s',
  log_recovery_conflict_waits: true,
  log_line_prefix: '%m [%p] %e %q%u@%d/%a ',
} as const;

export const EVERY_SCENE: readonly CheckScene[] = [...SCENES, ...WITH_STANDBY];

async function alone(major: Major): Promise<ScenePlayer> {
  const primary = await replicatingServer({ major, settings: SETTINGS });
  await primary.query('create extension pg_stat_statements');
  return new ScenePlayer({ primary });
}

function playBeside(major: Major, scene: CheckScene): Promise<void> {
  const playing = alone(major).then((player) => player.play(scene).finally(() => player.close()));
  // It is the scene's own test that fails.
  playing.catch(() => undefined);
  return playing;
}

/** The scenes of a server that stands alone. */
export function playAlone(major: Major): void {
  describe(`on PostgreSQL ${major}`, () => {
    const scenes = scenesOn(major, SCENES);
    let player: ScenePlayer;
    const beside = new Map<CheckScene, Promise<void>>();
    beforeAll(async () => {
      player = await alone(major);
      for (const [, scene] of scenes) if (scene.isBeside) beside.set(scene, playBeside(major, scene));
    });
    afterAll(async () => {
      await Promise.allSettled(beside.values());
      await player.close();
    });

    it.each(scenes.filter(([, { isBeside }]) => !isBeside))('%s', (_name, scene) => player.play(scene));
    it.each(scenes.filter(([, { isBeside }]) => isBeside))('%s', (_name, scene) => beside.get(scene));
  });
}

/** Those of a primary with a standby. */
export function playReplicated(major: Major): void {
  describe(`with a standby on PostgreSQL ${major}`, () => {
    let player: ScenePlayer;
    beforeAll(async () => {
      const primary = await replicatingServer({ major, settings: SETTINGS });
      const standby = await startStandby(primary, { settings: SETTINGS });
      player = new ScenePlayer({ primary, standby });
    });
    afterAll(() => player.close());

    it.each(scenesOn(major, WITH_STANDBY))('%s', (_name, scene) => player.play(scene));
  });
}
