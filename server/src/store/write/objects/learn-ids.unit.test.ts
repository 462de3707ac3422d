// Names that left memory for the disk, and the ids that a replay brings for them.
import { expect, it } from 'vitest';
import { TABLES } from '../../../testing/store/kept-probes.ts';
import { layoutOf } from '../../layout/table-layout.ts';
import type { Row } from '../../layout/types.ts';
import { diffReading, type Family } from './deltas.ts';
import type { ObjectRef } from './object-names.ts';
import { learnIds } from './reading-diff.ts';

const layout = layoutOf(TABLES) ?? expect.fail();
const table = (relid: number, n_tup_ins: number, relname = `t${relid}`): Row => ({
  relid,
  relname,
  n_tup_ins,
  seq_scan: 0,
  table_size: 1,
  last_vacuum: null,
});

function read(family: Family | undefined, at: number, rows: readonly Row[]) {
  const result = diffReading(layout, family, { at, epoch: 1, server_instance: 'x', rows, complete: true });
  return {
    family: result.family,
    refs: result.ticks.flatMap(({ objects }) => objects.map(({ ref }) => ref)),
  };
}

/** As they come back from the disk, with the ids of the dictionary. */
const replayed = (refs: readonly ObjectRef[]): ObjectRef[] =>
  refs.map(({ key, keyJson, labelsJson }, index) => ({
    key,
    keyJson,
    labelsJson,
    id: 100 + index,
    dirty: false,
  }));

const idsOf = (refs: readonly ObjectRef[]) => refs.map(({ keyJson, id }) => [JSON.parse(keyJson).relid, id]);

it('are known by their keys, wherever the objects stand by then', () => {
  const first = read(undefined, 0, [table(1, 0), table(2, 0), table(3, 0)]);
  for (const ref of first.refs) ref.home?.leave(ref);
  expect(first.family.objects.names.waiting.size).toBe(0);
  const moved = read(first.family, 60_000, [table(3, 0), table(1, 0), table(4, 0)]);
  learnIds(layout, moved.family.objects, replayed(first.refs));
  const { refs } = read(moved.family, 120_000, [table(3, 5), table(1, 5), table(4, 5)]);
  expect(idsOf(refs)).toEqual([
    [3, 102],
    [1, 100],
    [4, undefined],
  ]);
});

it('are not taken where the labels are others by now, nor over what waits in memory', () => {
  const first = read(undefined, 0, [table(1, 0), table(2, 0), table(3, 0)]);
  for (const ref of first.refs) ref.home?.leave(ref);
  const renamed = read(first.family, 60_000, [table(1, 0, 'another'), table(2, 3), table(3, 0)]);
  expect(idsOf(renamed.refs)).toEqual([[2, undefined]]);
  learnIds(layout, renamed.family.objects, replayed(first.refs));
  const { refs } = read(renamed.family, 120_000, [table(1, 5, 'another'), table(2, 5), table(3, 5)]);
  expect(idsOf(refs)).toEqual([
    [1, undefined],
    [2, undefined],
    [3, 102],
  ]);
  expect(JSON.parse(refs[0]?.labelsJson ?? '')).toEqual({ relname: 'another' });
});

it('leave what the dictionary has to be told anew', () => {
  const first = read(undefined, 0, [table(1, 0)]);
  const [ref] = first.refs;
  if (!ref) return expect.fail();
  Object.assign(ref, { id: 7 });
  ref.home?.settle(ref);
  const renamed = read(first.family, 60_000, [table(1, 0, 'another')]);
  const waiting = [...renamed.family.objects.names.waiting.values()];
  expect(waiting).toMatchObject([{ id: 7, dirty: true }]);
  for (const one of waiting) one.home?.leave(one);
  expect([...renamed.family.objects.names.waiting.values()]).toEqual(waiting);
});
