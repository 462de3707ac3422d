// Rows are the same whatever way they were made, and no name of a column is run as code.
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { type Column, defineProbe } from '../probes/types.ts';
import { rowOf } from './row-shape.ts';

const probeOf = (...names: string[]) =>
  defineProbe({
    name: 'p',
    description: '',
    level: 'S',
    intervalSeconds: 30,
    retentionDays: 7,
    keeps: 'snapshot',
    columns: names.map((name): Column => ({ name, type: 'text', kind: 'label', description: '' })),
    sql: () => 'select',
  });

it('holds the values under the names, in their order, those of JavaScript included', () => {
  const probe = probeOf('relid', 'default', 'values', 'constructor');
  const row = rowOf(probe, [1, 'd', null, 'c']);
  expect(row).toEqual({ relid: 1, default: 'd', values: null, constructor: 'c' });
  expect(Object.keys(row)).toEqual(['relid', 'default', 'values', 'constructor']);
});

it('holds names that are not plain as well, and runs nothing of them', () => {
  const names = ['a: globalThis.ran = 1, b', '__proto__', 'a"b', ']; globalThis.ran = 1; //', 'ä', ''];
  const row = rowOf(probeOf(...names), names);
  expect(Object.entries(row)).toEqual(names.map((name) => [name, name]));
  expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  expect(globalThis).not.toHaveProperty('ran');
});

it('is of the same shape for each row of a probe, and no table of names', () => {
  const names = Array.from({ length: 60 }, (_, index) => `c${index}`);
  const probe = probeOf(...names);
  const [one, two] = [rowOf(probe, names), rowOf(probe, [])];
  setFlagsFromString('--allow-natives-syntax');
  const natives = new Function('a', 'b', 'return [%HaveSameMap(a, b), %HasFastProperties(a)]');
  setFlagsFromString('--no-allow-natives-syntax');
  expect(natives(one, two)).toEqual([true, true]);
});
