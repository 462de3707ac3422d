// A spool whose process is killed again and again while it appends. All else that it promises is in spool.test.ts.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sleep } from '../../kernel/clock.ts';
import { startChild } from '../../testing/child.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { MB, openedSpool } from '../../testing/store/spools.ts';

it('a process that is killed twenty times while appending loses nothing that append had answered for, and doubles nothing', async () => {
  const directory = testDirectory('spool');
  const script = fileURLToPath(new URL('../../testing/faults/spool-process.ts', import.meta.url));
  const answered: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const first = round * 1_000_000;
    await using child = startChild({ script, args: [directory, String(256 * MB), String(first)] });
    for (let lines = 0; lines < 20 + round * 5; lines += 1) answered.push(Number(await child.line()));
    await sleep(Math.random() * 20);
    await child.kill('SIGKILL');
    for (let line = await child.line(); line !== null; line = await child.line())
      if (/^\d+$/.test(line)) answered.push(Number(line));
  }
  const spool = await openedSpool(directory);
  expect(spool.epoch).toBe(21);
  const kept: number[] = [];
  const keys = new Set<string>();
  for await (const record of spool.unacknowledged()) {
    if (record.kind !== 'batch') expect.fail('a gap');
    keys.add(`${record.epoch}/${record.seq}`);
    kept.push(JSON.parse(record.payload.toString()).n);
  }
  const found = new Set(kept);
  expect(answered.filter((n) => !found.has(n))).toEqual([]);
  expect(found.size).toBe(kept.length);
  expect(keys.size).toBe(kept.length);
});
