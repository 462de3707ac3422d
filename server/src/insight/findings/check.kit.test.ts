// Checks on real servers of all versions: a server that is well is silent; brought into the state, it is found, with the right
// figure; the remedy that is shown is run there, and the finding goes; what was not read is unknown, never silence. A file for each
// version, so that they run beside each other; 14 to 17 in the proof alone.
import { describe, expect, it } from 'vitest';
import { EVERY_SCENE, playReplicated } from '../../testing/servers/check-scenes/play.ts';
import { judgeReadings } from '../../testing/servers/judging.ts';
import { endMajors, isEverydayMajor, isProof } from '../../testing/tier.ts';
import { checks } from '../checks/catalog.gen.ts';

for (const major of endMajors) if (isProof() || isEverydayMajor(major)) playReplicated(major);

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
  const shown = new Set<string>(EVERY_SCENE.map(({ check }) => check));
  expect(checks.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
});
