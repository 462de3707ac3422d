// The data directory after its owner was killed, and while many want it. One after the other: data-dir.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockText } from '../kernel/file-lock.ts';
import { contender, tryLock } from '../testing/faults/data-dir-contender.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { openDataDir } from './data-dir.ts';

const root = testDirectory('lock');

describe('the data directory', () => {
  it('is taken over after kill -9', async () => {
    const dataDir = path.join(root, 'killed');
    await using first = contender(dataDir);
    expect(await tryLock(first)).toBe('locked');
    await first.kill('SIGKILL');
    const home = await openDataDir(dataDir);
    expect(readFileSync(path.join(dataDir, 'matriarch.pid'), 'utf8')).toBe(lockText(process.pid));
    home.release();
  });

  it('goes to exactly one of many that find a dead owner', async () => {
    const dataDir = path.join(root, 'race');
    (await openDataDir(dataDir)).release();
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(path.join(dataDir, 'matriarch.pid'), 'nonsense of a dead process\n');
      writeFileSync(path.join(dataDir, 'matriarch.pid.next'), '2147483646\n1\nother\n');
      const children = Array.from({ length: 5 }, () => contender(dataDir));
      const answers = await Promise.all(children.map(tryLock));
      const winners = children.filter((_, index) => answers[index] === 'locked');
      expect(winners).toHaveLength(1);
      const sentence = `in use by process ${winners[0]?.pid}:`;
      expect(answers.filter((answer) => answer?.includes(sentence))).toHaveLength(4);
      await Promise.all(children.map((child) => child.kill('SIGKILL')));
    }
  });
});
