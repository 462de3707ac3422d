// F8, F18, F19 in full: npm run test:faults. Prints what it measured.
import { expect, it } from 'vitest';
import { strickenAlerters } from '../../testing/faults/alerter-faults.ts';

it('F8 F18 F19: what fired arrives while one of two alerters is killed or frozen at fifty moments', async () => {
  const { lost, invented, retold, out_of_order, ...figures } = await strickenAlerters(50);
  process.stdout.write(`F8 alerters ${JSON.stringify(figures)}\n`);
  expect(figures.alerts).toBeGreaterThan(20);
  expect(figures.owed).toBe(figures.alerts * 2 * 4);
});
