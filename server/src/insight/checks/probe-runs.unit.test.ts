// Words for runs of probes: places are told once, however many probes were to be read there.
import { expect, it } from 'vitest';
import { type ProbeRun, placesOf } from './probe-runs.ts';

const run = (probe: string, database_name: string): ProbeRun => ({
  ...{ probe, database_name, outcome: 'skipped', cause: 'missing_grant', reason: null, mend: null },
  ...{ collected_at: null, isCurrent: false, interval: null, intervalSet: null, slowedBecause: null },
});

it('names the one database, counts several, and says nothing of the server as a whole', () => {
  expect(placesOf([run('a', 'shop'), run('b', 'shop'), run('c', '')])).toBe(' in database "shop"');
  expect(placesOf([run('a', 'shop'), run('b', 'shop'), run('b', 'stock')])).toBe(' in 2 databases');
  expect(placesOf([run('a', '')])).toBe('');
});
