// Folding ticks into objects as they stand: what comes, goes, grows and is unknown, whatever order the ticks name objects in.
import { describe, expect, it } from 'vitest';
import type { Column } from '../../probes/types.ts';
import { foldedOne } from './newest-fold.ts';
import type { TickTexts } from './stored-read.ts';

const column = (name: string, kind: Column['kind']): Column => ({
  name,
  type: 'bigint',
  kind,
  description: '',
});
const columns = [column('scans', 'counter'), column('size', 'gauge')];
const HOUR = 3_600_000_000;

interface TickSpec {
  at: number;
  ids: string;
  t0?: string | null;
  t1?: string | null;
  gone?: string;
  keyframe?: boolean;
  whole?: boolean;
}

const tick = ({
  at,
  gone = '',
  keyframe = false,
  whole = false,
  ids,
  t0 = null,
  t1 = null,
}: TickSpec): TickTexts => ({
  ...{ connection_id: 1, database_name: 'shop', t0: String(HOUR + at), t1: String(keyframe) },
  ...{ t2: String(whole), t3: null, t4: `{${ids}}`, t5: gone === '' ? null : `{${gone}}` },
  ...{ t6: t0 === null ? null : `{${t0}}`, t7: t1 === null ? null : `{${t1}}` },
});

/** By object: its cells, in the order of the columns. */
function standing(ticks: readonly TickTexts[]): Record<number, unknown[]> {
  const { ids = [], cells = [] } = foldedOne(ticks, columns) ?? {};
  return Object.fromEntries(ids.map((id, place) => [id, cells.map((own) => own[place])]));
}

const whole = tick({ at: 0, keyframe: true, whole: true, ids: '1,2,3', t0: '10,20,30', t1: '1,2,3' });

describe('foldedOne', () => {
  it('takes a whole keyframe as it is, and forgets what was before', () => {
    const later = tick({ at: 9, keyframe: true, whole: true, ids: '3,1', t0: '5,6', t1: '7,8' });
    expect(standing([whole, later])).toEqual({ 3: [5, 7], 1: [6, 8] });
  });

  it('adds increases and replaces levels, in whatever order objects are named', () => {
    const more = tick({ at: 1, ids: '3,1', t0: '3,1', t1: '33,11' });
    expect(standing([more, whole])).toEqual({ 1: [11, 11], 2: [20, 2], 3: [33, 33] });
  });

  it('leaves counters as they are where no array says that anything grew, and has no level without one', () => {
    expect(standing([whole, tick({ at: 1, ids: '2', t1: '22' })])).toEqual({
      1: [10, 1],
      2: [20, 22],
      3: [30, 3],
    });
    expect(standing([whole, tick({ at: 1, ids: '2', t0: '5' })])).toEqual({
      1: [10, 1],
      2: [25, null],
      3: [30, 3],
    });
  });

  it('does not know a counter whose beginning, or one of whose increases, nobody knows', () => {
    const more = tick({ at: 1, ids: '1,4', t0: 'NULL,4', t1: '1,4' });
    const again = tick({ at: 2, ids: '1,4', t0: '7,7', t1: '1,4' });
    expect(standing([whole, more, again])).toEqual({ 1: [null, 1], 2: [20, 2], 3: [30, 3], 4: [null, 4] });
    const first = tick({ at: 3, keyframe: true, ids: '4', t0: '40', t1: '4' });
    expect(standing([whole, more, again, first])[4]).toEqual([40, 4]);
  });

  it('loses what is gone, and keeps every other object beside its own cells', () => {
    const gone = tick({ at: 1, ids: '4', t0: 'NULL', t1: '4', gone: '1,3' });
    const back = tick({ at: 2, ids: '1,2', t0: 'NULL,1', t1: '9,2' });
    expect(standing([whole, gone])).toEqual({ 2: [20, 2], 4: [null, 4] });
    expect(standing([whole, gone, back])).toEqual({ 2: [21, 2], 4: [null, 4], 1: [null, 9] });
  });

  it('keeps cells beside their objects where a column said nothing at first', () => {
    const silent = tick({ at: 0, keyframe: true, whole: true, ids: '1,2,3', t1: '1,2,3' });
    const more = tick({ at: 1, ids: '3', t0: '5', t1: '3', gone: '1' });
    expect(standing([silent, more])).toEqual({ 2: [null, 2], 3: [null, 3] });
  });

  it('counts beyond what a number holds exactly', () => {
    const most = tick({ at: 0, keyframe: true, whole: true, ids: '1', t0: '9007199254740991', t1: '1' });
    expect(standing([most, tick({ at: 1, ids: '1', t0: '2', t1: '1' })])).toEqual({
      1: [9007199254740993n, 1],
    });
  });
});
