// Disks that are full, in full: npm run test:faults. Prints what it measured.
import { expect, it } from 'vitest';
import { datastoreDiskFull, spoolDiskFull } from '../../testing/faults/fault-disks.ts';

const say = (fault: string, figures: object) => {
  process.stdout.write(`${fault} ${JSON.stringify(figures)}\n`);
};

it('F13: the disk of the datastore is full for two minutes', async (context) => {
  const figures = await datastoreDiskFull(context, 120);
  say('F13', figures);
  expect(figures.back_ms).toBeLessThan(10_000);
});

it('F14: the disk of the spool is full for a minute while the datastore is away', async (context) => {
  const figures = await spoolDiskFull(context, { seconds: 60, left: 3 * 1024 * 1024 });
  say('F14', figures);
  expect(figures.lost).toBeGreaterThan(0);
});
