// Every scene of checks, and how they are played on a server of a version: one after the other, by whichever file of tests asks.
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Major } from '../postgres.ts';
import { replicatingServer, startStandby } from '../server-sets.ts';
import { ACCESS_SCENES } from './access.ts';
import { ADVICE_SCENES } from './advice.ts';
import { BLOAT_SCENES } from './bloat.ts';
import { COVERAGE_SCENES } from './coverage.ts';
import { HORIZON_SCENES } from './horizon.ts';
import { INDEX_SCENES } from './indexes.ts';
import { MEMBER_SCENES, MEMORY_SCENES } from './memory.ts';
import { ScenePlayer, scenesOn } from './player.ts';
import { REPLICATED_SCENES } from './replicated.ts';
import { ROLE_SCENES } from './roles.ts';
import { SAFETY_SCENES } from './safety.ts';
import type { CheckScene } from './scene.ts';
import { SESSION_SCENES } from './sessions.ts';
import { SETTING_SCENES } from './settings.ts';
import { SLOT_SCENES } from './slots.ts';
import { STATEMENT_SCENES } from './statements.ts';
import { STORAGE_SCENES } from './storage.ts';
import { STANDBY_SCENES, TABLE_SCENES } from './tables.ts';
import { VACUUM_SCENES } from './vacuum.ts';
import { VERSION_SCENES } from './versions.ts';

const SCENES: readonly CheckScene[] = [
  ...ADVICE_SCENES,
  ...BLOAT_SCENES,
  ...HORIZON_SCENES,
  ...STATEMENT_SCENES,
  ...VACUUM_SCENES,
  ...INDEX_SCENES,
  ...SETTING_SCENES,
  ...MEMORY_SCENES,
  ...SLOT_SCENES,
  ...ROLE_SCENES,
  ...ACCESS_SCENES,
  ...STORAGE_SCENES,
  ...VERSION_SCENES,
  ...SAFETY_SCENES,
  ...SESSION_SCENES,
  ...COVERAGE_SCENES,
  ...TABLE_SCENES,
];

/** As a server that is well has it; those of tests are set for speed. */
const SETTINGS = {
  fsync: true,
  full_page_writes: true,
  synchronous_commit: true,
  max_prepared_transactions: 5,
  track_io_timing: true,
  log_lock_waits: true,
} as const;

const WITH_STANDBY: readonly CheckScene[] = [...REPLICATED_SCENES, ...MEMBER_SCENES, ...STANDBY_SCENES];

export const EVERY_SCENE: readonly CheckScene[] = [...SCENES, ...WITH_STANDBY];

/** The scenes of a server that stands alone. */
export function playAlone(major: Major): void {
  describe(`on PostgreSQL ${major}`, () => {
    let player: ScenePlayer;
    beforeAll(async () => {
      const primary = await replicatingServer({ major, settings: SETTINGS });
      await primary.query('create extension pg_stat_statements');
      player = new ScenePlayer({ primary });
    });
    afterAll(() => player.close());

    it.each(scenesOn(major, SCENES))('%s', (_name, scene) => player.play(scene));
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
