// A segment goes when its own records are acknowledged, and not before: what is said of records whose segment is gone
// counts nowhere.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recover } from './segment.ts';
import { Shelf } from './shelf.ts';

/** A shelf with the records 1 to 6, two in each segment, which are only numbers to it. */
async function threeSegments() {
  const directory = mkdtempSync(path.join(tmpdir(), 'matriarch-shelf-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const shelf = new Shelf({ directory, segmentBytes: 1024, recovered: await recover(directory) });
  for (const first_seq of [1, 3, 5]) {
    await shelf.write(Buffer.alloc(100), { records: 2, first_seq, last_seq: first_seq + 1 });
    await shelf.seal();
  }
  return shelf;
}
const firstSeqs = (shelf: Shelf) => shelf.segments.map(({ header }) => header.first_seq);

it('keeps a segment of which one record is stored, whatever is said of a segment that was given up', async () => {
  const shelf = await threeSegments();
  const middle = shelf.segments[1];
  if (middle) await shelf.remove(middle);
  expect(shelf.acknowledge(1)).toBe(true);
  expect([shelf.acknowledge(3), shelf.acknowledge(4)]).toEqual([false, false]);
  await shelf.tidy();
  expect(firstSeqs(shelf)).toEqual([1, 5]);
  expect([shelf.acknowledge(2), shelf.acknowledge(2)]).toEqual([true, false]);
  await shelf.tidy();
  expect(firstSeqs(shelf)).toEqual([5]);
});
