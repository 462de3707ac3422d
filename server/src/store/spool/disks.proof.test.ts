// Disks that are full, in the short form. In full: disks.faults.test.ts.
import { expect, it } from 'vitest';
import { datastoreDiskFull, spoolDiskFull } from '../../testing/faults/fault-disks.ts';

it('F13 (short): the disk of the datastore is full', { timeout: 300_000 }, async (context) => {
  const { lost } = await datastoreDiskFull(context, 3);
  expect(lost).toBe(0);
});

it('F14 (short): the disk of the spool is full while the datastore is away', {
  timeout: 300_000,
}, async (context) => {
  const { gaps } = await spoolDiskFull(context, { seconds: 3, left: 200 * 1024 });
  expect(gaps).toBeGreaterThan(0);
});
