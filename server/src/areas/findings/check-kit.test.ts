// Checks on real servers of all versions: a server that is well is silent; brought into the state, it is found, with the right
// figure; the remedy that is shown is run there, and the finding goes; what was not read is unknown, never silence.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Session } from '../../collector/session.ts';
import { checks } from '../../findings/catalog.gen.ts';
import type { Check, Found } from '../../findings/types.ts';
import { INDEX_SCENES } from '../../testing/servers/check-scenes/indexes.ts';
import { type CheckRoom, type CheckScene, statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import { SETTING_SCENES } from '../../testing/servers/check-scenes/settings.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../../testing/servers/judging.ts';
import { MAJORS } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { replicatingServer } from '../../testing/servers/server-sets.ts';

const SCENES: readonly CheckScene[] = [...INDEX_SCENES, ...SETTING_SCENES];

/** As a server that is well has it; those of tests are set for speed. */
const SETTINGS = { fsync: true, full_page_writes: true, max_prepared_transactions: 5 } as const;

const SOON = { timeout: 30_000, interval: 100 };

function checkNamed(name: string): Check {
  const found = checks.find((check) => check.name === name);
  if (!found) throw new Error(`There is no check ${name}.`);
  return found;
}

describe.each(MAJORS)('on PostgreSQL %i', (major) => {
  let room: CheckRoom;
  let session: Session;
  beforeAll(async () => {
    const primary = await replicatingServer({ major, settings: SETTINGS });
    await primary.query('create extension pg_stat_statements');
    room = { primary };
    session = await sessionOn(primary);
  });
  afterAll(async () => {
    await session.client.close();
    await room.primary.stop();
  });

  async function found(scene: CheckScene, shape: (readings: Readings) => void = () => undefined) {
    const check = checkNamed(scene.check);
    const readings = await readingsOf(session, probesOf(check));
    shape(readings);
    const [verdict] = judgeReadings([check], readings, { later: scene.later ?? 0 });
    return { verdict, it: verdict?.found.find((one: Found) => scene.isIt(one)) };
  }

  async function mend(scene: CheckScene, it: Found): Promise<void> {
    const { remedy } = scene;
    if (typeof remedy === 'function') {
      await remedy(it, room);
      return;
    }
    const statements = statementsOf(it.remedy);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) await room.primary.query(statement);
    if (remedy !== 'restart') return;
    await session.client.close();
    await room.primary.shutdown();
    await room.primary.start();
    session = await sessionOn(room.primary);
  }

  const scenes = SCENES.filter(({ from = 0, to = 99 }) => from <= major && major <= to).map(
    (scene) => [scene.title ? `${scene.check}: ${scene.title}` : scene.check, scene] as const,
  );

  it.each(scenes)('%s', async (_name, scene) => {
    expect((await found(scene)).it).toBeUndefined();
    const undo = await scene.make(room);
    const made = await vi.waitFor(async () => {
      const { it, verdict } = await found(scene, scene.feed);
      expect(it, JSON.stringify(verdict?.unknown)).toBeDefined();
      return it;
    }, SOON);
    if (!made) throw new Error('not found');
    await scene.expect(made, room);
    await mend(scene, made);
    await vi.waitFor(async () => expect((await found(scene)).it).toBeUndefined(), SOON);
    await undo?.();
  });
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
  const shown = new Set<string>(SCENES.map(({ check }) => check));
  expect(checks.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});
