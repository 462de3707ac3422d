// Hours of a noisy estate on the test's clock: alerts and messages are counted, and there is no storm. A day of it by
// npm run test:faults.
import { expect, it } from 'vitest';
import { noisyEstate } from '../../testing/store/noisy-estate.ts';

it('50 servers that are never quiet make one message a minute on average, two at most, in three hours', async () => {
  const { messages, most_in_a_minute, ...counts } = await noisyEstate(3);
  expect(counts.alerts).toBeGreaterThan(300);
  expect(counts).toMatchObject({ unreachable: 1, during_outage: 0 });
  expect(messages).toBeGreaterThan(60);
  expect(most_in_a_minute).toBeLessThanOrEqual(2);
  expect(messages).toBeLessThanOrEqual(3 * 60 + 1);
});
