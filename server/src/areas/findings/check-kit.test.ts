// Checks on real servers of all versions: a server that is well is silent; brought into the state, it is found, with the right
// figure; the remedy that is shown is run there, and the finding goes; what was not read is unknown, never silence.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checks } from '../../findings/catalog.gen.ts';
import { ACCESS_SCENES } from '../../testing/servers/check-scenes/access.ts';
import { BLOAT_SCENES } from '../../testing/servers/check-scenes/bloat.ts';
import { HORIZON_SCENES } from '../../testing/servers/check-scenes/horizon.ts';
import { INDEX_SCENES } from '../../testing/servers/check-scenes/indexes.ts';
import { MEMBER_SCENES, MEMORY_SCENES } from '../../testing/servers/check-scenes/memory.ts';
import { ScenePlayer, scenesOn } from '../../testing/servers/check-scenes/player.ts';
import { REPLICATED_SCENES } from '../../testing/servers/check-scenes/replicated.ts';
import { ROLE_SCENES } from '../../testing/servers/check-scenes/roles.ts';
import { SAFETY_SCENES } from '../../testing/servers/check-scenes/safety.ts';
import type { CheckScene } from '../../testing/servers/check-scenes/scene.ts';
import { SESSION_SCENES } from '../../testing/servers/check-scenes/sessions.ts';
import { SETTING_SCENES } from '../../testing/servers/check-scenes/settings.ts';
import { SLOT_SCENES } from '../../testing/servers/check-scenes/slots.ts';
import { STATEMENT_SCENES } from '../../testing/servers/check-scenes/statements.ts';
import { STORAGE_SCENES } from '../../testing/servers/check-scenes/storage.ts';
import { VACUUM_SCENES } from '../../testing/servers/check-scenes/vacuum.ts';
import { VERSION_SCENES } from '../../testing/servers/check-scenes/versions.ts';
import { judgeReadings } from '../../testing/servers/judging.ts';
import { MAJORS } from '../../testing/servers/postgres.ts';
import { replicatingServer, startStandby } from '../../testing/servers/server-sets.ts';

const SCENES: readonly CheckScene[] = [
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

describe.each(MAJORS)('on PostgreSQL %i', (major) => {
  let player: ScenePlayer;
  beforeAll(async () => {
    const primary = await replicatingServer({ major, settings: SETTINGS });
    await primary.query('create extension pg_stat_statements');
    player = new ScenePlayer({ primary });
  });
  afterAll(() => player.close());

  it.each(scenesOn(major, SCENES))('%s', (_name, scene) => player.play(scene));
});

describe.each([14, 18] as const)('with a standby on PostgreSQL %i', (major) => {
  let player: ScenePlayer;
  beforeAll(async () => {
    const primary = await replicatingServer({ major, settings: SETTINGS });
    const standby = await startStandby(primary, { settings: SETTINGS });
    player = new ScenePlayer({ primary, standby });
  });
  afterAll(() => player.close());

  it.each(scenesOn(major, [...REPLICATED_SCENES, ...MEMBER_SCENES]))('%s', (_name, scene) =>
    player.play(scene),
  );
});

describe('what was not read', () => {
  const because = 'Our role may not read it.';
  it.each(checks.map((check) => [check.name, check] as const))('%s is unknown', (_name, check) => {
    const trouble = { database_name: '', because, mend: 'grant …', isNotApplicable: false };
    const troubles = new Map(Object.keys(check.reads).map((probe) => [probe, [trouble]]));
    const [verdict] = judgeReadings([check], { now: Date.now(), readings: new Map(), troubles });
    expect(verdict?.found).toEqual([]);
    expect(verdict?.unknown.length).toBeGreaterThan(0);
  });
});

it('every check has a scene', () => {
  const shown = new Set<string>(
    [...SCENES, ...REPLICATED_SCENES, ...MEMBER_SCENES].map(({ check }) => check),
  );
  expect(checks.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});
