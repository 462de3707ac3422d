// The part of npm run eval that asks a model: which one, and how causes are read from what it says. A mock is asked in
// incidents-asked.proof.test.ts.
import { expect, it } from 'vitest';
import { causesIn, modelFrom, placeOf } from '../../testing/incidents/asking.ts';

it('reads causes where they are named as such, in their order', () => {
  expect(causesIn('cause: a_b\n- Cause: c\nbecause: d\nthe cause: e\n> **cause**: `f_1`.')).toEqual([
    'a_b',
    'c',
    'f_1',
  ]);
  expect(placeOf(['lock', 'fsync_off'], { causes: ['fsync_off'] })).toBe(2);
  expect(placeOf(['lock'], { causes: ['fsync_off'] })).toBeUndefined();
});

it('asks no model that is not named', () => {
  expect(modelFrom({})).toBeUndefined();
  expect(modelFrom({ MATRIARCH_EVAL_PROVIDER: 'ollama', MATRIARCH_EVAL_API_KEY: '' })).toEqual({
    default_provider: 'ollama',
    providers: { ollama: {} },
  });
});
