import { expect, it } from 'vitest';
import { shownCount } from './shown-value.ts';

it('says one of a thing as one, and groups the digits of many', () => {
  const said = [0, 1, 2, 12_345].map((count) => shownCount(count, 'query was', 'queries were'));
  expect(said).toEqual(['0 queries were', '1 query was', '2 queries were', '12,345 queries were']);
  expect(shownCount(1, 'row')).toBe('1 row');
});
