// The small line beside a figure: what hardly changed is no cliff.
import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Sparkline } from './sparkline.tsx';

/** From the highest point of the line to the lowest, in pixels. */
function heightOf(values: readonly (number | null)[]): number {
  const { container } = render(<Sparkline values={values} />);
  const path = container.querySelector('path')?.getAttribute('d') ?? '';
  const heights = [...path.matchAll(/[ML]?(-?[\d.]+)[ ,](-?[\d.]+)/g)].map(([, , y]) => Number(y));
  expect(heights.length).toBeGreaterThan(1);
  return heights.reduce((most, y) => Math.max(most, y)) - heights.reduce((least, y) => Math.min(least, y));
}

it('shows a change as large as the figure from edge to edge, and one of a thousandth hardly', () => {
  expect(heightOf([null, 10, 37, 37])).toBeCloseTo(16, 0);
  expect(heightOf([37.06, 37.0599, null])).toBeLessThan(0.5);
  expect(heightOf([0, 0, 0])).toBe(0);
  expect(heightOf([99.8, 99.7, 99.8])).toBeLessThan(2);
});
