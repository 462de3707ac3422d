import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockText } from '../kernel/file-lock.ts';
import { type Child, startChild } from '../testing/child.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { openDataDir } from './data-dir.ts';

const root = testDirectory('lock');
const script = path.join(import.meta.dirname, '../testing/faults/hold-data-dir.ts');

function contender(dataDir: string): Child {
  return startChild({ script, args: [dataDir] });
}

async function tryLock(child: Child): Promise<string | null> {
  child.process.stdin?.write('go\n');
  return child.line();
}

describe('the data directory', () => {
  it('is made private, and refused to a second process with the first one’s pid', async () => {
    const dataDir = path.join(root, 'deep', 'down', 'data');
    await using first = contender(dataDir);
    expect(await tryLock(first)).toBe('locked');
    expect(statSync(dataDir).mode & 0o066).toBe(0);
    await using second = contender(dataDir);
    expect(await tryLock(second)).toContain(`in use by process ${first.pid}:`);
    expect(await second.ended).toBe(0);
    await expect(openDataDir(dataDir)).rejects.toThrow(`in use by process ${first.pid}:`);
    first.process.stdin?.end();
    expect(await first.ended).toBe(0);
    expect(existsSync(path.join(dataDir, 'matriarch.pid'))).toBe(false);
  });

  it('is taken over after kill -9', async () => {
    const dataDir = path.join(root, 'killed');
    await using first = contender(dataDir);
    expect(await tryLock(first)).toBe('locked');
    await first.kill('SIGKILL');
    const home = await openDataDir(dataDir);
    expect(readFileSync(path.join(dataDir, 'matriarch.pid'), 'utf8')).toBe(lockText(process.pid));
    home.release();
  });

  it('is taken over when the pid belongs to another process now', async () => {
    const dataDir = path.join(root, 'recycled');
    (await openDataDir(dataDir)).release();
    const [pid, , boot] = lockText(process.pid).split('\n');
    writeFileSync(path.join(dataDir, 'matriarch.pid'), [pid, '1', boot, ''].join('\n'));
    const home = await openDataDir(dataDir);
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

  it('refuses a file with a sentence', async () => {
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    await expect(openDataDir(file)).rejects.toThrow(/is not a directory/);
  });
});
