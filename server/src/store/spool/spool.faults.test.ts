// The spool on a disk that is full: a small tmpfs in a mount namespace of its own, which ends with the process in it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { testDirectory } from '../../testing/servers/postgres.ts';
import type { Gap } from './gaps.ts';

const run = promisify(execFile);
const COUNT = 3000;

it('F14: a full disk costs the oldest, which is said, and the process goes on', async () => {
  const directory = testDirectory('small');
  const script = fileURLToPath(new URL('../../testing/faults/spool-process.ts', import.meta.url));
  // A disk of 4 MiB for a spool that may take 64 MiB, and batches of 10 MiB.
  const command = 'mount -t tmpfs -o size=4m spool "$1" && exec "$2" "$3" "$1" 67108864 0 "$4"';
  const args = ['-rm', 'sh', '-c', command, 'sh', directory, process.execPath, script, String(COUNT)];
  const { stdout } = await run('unshare', args, { maxBuffer: 64 * 1024 * 1024 });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(COUNT + 1);
  const { left, refused, gaps }: { left: number[]; refused: number[]; gaps: Gap[] } = JSON.parse(
    lines.at(-1) ?? '',
  );
  expect(left.length).toBeGreaterThan(50);
  expect(left.length).toBeLessThan(COUNT);
  const kept = new Set([...left, ...refused]);
  const isSaid = (n: number) =>
    gaps.some(({ connection_id, from, to }) => connection_id === n % 5 && from <= n && n <= to);
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  expect(numbers.filter((n) => !kept.has(n) && !isSaid(n))).toEqual([]);
  expect(gaps.every(({ reason }) => reason === 'disk')).toBe(true);
  // The newest survive.
  expect(Math.max(...left)).toBeGreaterThan(COUNT - 10);
});
