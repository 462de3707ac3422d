import { expect, it } from 'vitest';
import { TABLES } from '../../testing/store/kept-probes.ts';
import { layoutOf } from '../layout/table-layout.ts';
import { Cell } from './buckets.ts';
import { ALL } from './samples.ts';
import { rowsOf } from './write.ts';

it('a span of nearly half a million cells is written, and covers what the longest measured one does', () => {
  const layout = layoutOf(TABLES) ?? expect.fail();
  const cells = new Map<string, Cell[]>();
  const grown = (seconds: number) => {
    const cell = new Cell();
    cell.add(1, seconds);
    return cell;
  };
  for (let id = 1; id <= 150_000; id += 1)
    cells.set(id === 1 ? ALL : String(id), [grown(id === 777 ? 50 : 40), new Cell(), new Cell()]);
  const grid = { from: 0, to: 60e6, width: 60e6 };
  const [row] = rowsOf({ layout, grid, buckets: [{ runs: new Set([1]), cells }], idOf: Number });
  expect(row).toMatchObject({ at: 0, runs: 1, covered: 50 });
  expect(row?.object_ids).toHaveLength(150_000);
});
