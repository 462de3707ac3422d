// F8, F18, F19 in their short form: two real processes that judge and deliver are killed and frozen while alerts fire and
// clear; what fired is what arrives. In full by npm run test:faults.
import { expect, it } from 'vitest';
import { strickenAlerters } from '../../testing/faults/alerter-faults.ts';

it('what fired arrives, in order, while one of two alerters is killed or frozen at ten moments', async () => {
  const { alerts, owed } = await strickenAlerters(10);
  expect(alerts).toBeGreaterThan(5);
  expect(owed).toBe(alerts * 2 * 4);
});
