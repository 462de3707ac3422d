// Of which rows of samples it is known that they were made since the reading before.
import { describe, expect, it } from 'vitest';
import { keptRun, SERVER } from '../../../testing/store/kept-probes.ts';
import { layoutOf } from '../../layout/table-layout.ts';
import type { ProbeRun, Ran } from '../../layout/types.ts';
import { SampleBirths } from './sample-births.ts';

const layout = layoutOf(SERVER) ?? expect.fail();

interface Read extends Partial<Ran> {
  readonly instance?: string;
  readonly epoch?: number;
}

function run(at: number, kinds: readonly string[], { instance = 'a', epoch = 1, ...more }: Read = {}) {
  const rows = kinds.map((kind) => ({ kind, reads: 7, load: 0.5 }));
  const made: ProbeRun = keptRun(SERVER, { connection_id: 1, at, rows, epoch, server_instance: instance });
  if (made.outcome.kind !== 'ran') expect.fail();
  return { ...made, outcome: { ...made.outcome, ...more } };
}

const born = (before: Read, now: Read = {}) => {
  const births = new SampleBirths();
  expect(births.of(layout, 'family', run(1000, ['old'], before))).toBeUndefined();
  return births.of(layout, 'family', run(2000, ['old', 'new'], now));
};

describe('a row that the reading before did not have', () => {
  it('counted nothing then', () => {
    const found = born({});
    expect(found?.at).toBe(1000);
    expect(found?.rows).toMatchObject([{ kind: 'new', reads: 0, load: null }]);
  });

  it.each<[string, Read, Read?]>([
    ['that was cut', { is_cut: true }],
    ['some of which was masked', { cause: 'masked' }],
    ['that lacked a grant', { cause: 'missing_grant' }],
    ['of another life of the server', { instance: 'b' }],
    ['of another collector', {}, { epoch: 2 }],
  ])('is nothing new after a reading %s', (_what, before, now) => {
    expect(born(before, now)).toBeUndefined();
  });
});
