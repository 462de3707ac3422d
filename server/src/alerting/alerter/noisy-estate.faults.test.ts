// A day of a noisy estate on the test's clock: npm run test:faults. Prints what it counted.
import { expect, it } from 'vitest';
import { noisyEstate } from '../../testing/store/noisy-estate.ts';

it('50 servers that are never quiet make one message a minute on average in 24 hours, two at most', async () => {
  const figures = await noisyEstate(24);
  process.stdout.write(`noisy estate, 24 h ${JSON.stringify(figures)}\n`);
  expect(figures).toMatchObject({ unreachable: 1, during_outage: 0 });
  expect(figures.most_in_a_minute).toBeLessThanOrEqual(2);
  expect(figures.messages).toBeLessThanOrEqual(24 * 60 + 1);
  expect(figures.alerts).toBeGreaterThan(2400);
});
