// What a collector remembers of families of objects, with many of them and while batches are on the disk alone.
import { expect, it, onTestFinished, vi } from 'vitest';
import { keptRun, TABLES } from '../../../testing/store/kept-probes.ts';
import { layoutOf } from '../../layout/table-layout.ts';
import { ColumnBuffer } from '../objects/column-buffer.ts';
import { SampleQueue } from './sample-queue.ts';

const layout = layoutOf(TABLES) ?? expect.fail();
const rows = Array.from({ length: 50 }, (_none, n) => ({
  relid: n,
  relname: `t${n}`,
  n_tup_ins: n,
  seq_scan: 0,
  table_size: 1,
  last_vacuum: null,
}));
const LIMITS = { maxRuns: 1e6, maxBytes: 1e12 };

const add = (queue: SampleQueue, connection_id: number, of = layout) =>
  queue.add(of, keptRun(TABLES, { connection_id, at: 60_000, rows, database_name: 'shop' }));

it('packs columns once there are those of fifty servers, unless they are read every few seconds', () => {
  const pack = vi.spyOn(ColumnBuffer.prototype, 'pack');
  onTestFinished(() => pack.mockRestore());
  const queue = new SampleQueue(1e12, () => undefined);
  for (let id = 1; id < 1000; id += 1) add(queue, id);
  expect(pack).not.toHaveBeenCalled();
  add(queue, 1000, { ...layout, intervalSeconds: 10 });
  expect(pack).not.toHaveBeenCalled();
  add(queue, 1001);
  expect(pack).toHaveBeenCalledTimes(1);
});

it('holds no names for batches that are on the disk alone', () => {
  const queue = new SampleQueue(1e12, () => undefined);
  add(queue, 1);
  const entries = queue.take(LIMITS);
  const names = entries[0]?.ticks[0]?.refs[0]?.home;
  expect(names?.waiting.size).toBe(50);
  queue.setAside(entries);
  expect(names?.waiting.size).toBe(0);
});
