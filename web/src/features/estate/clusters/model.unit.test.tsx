// What is said of clusters as a whole.
import { expect, it } from 'vitest';
import { BILLING, ORDERS } from '../../../testing/estate.ts';
import { timelinePath } from './model.ts';

it('leads to the timeline of all of its servers, standbys too', () => {
  expect(timelinePath(ORDERS)).toBe('/timeline?servers=1,2');
  expect(timelinePath(BILLING)).toBe('/timeline?servers=3');
});
