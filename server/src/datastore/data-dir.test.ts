// Whose the data directory is. Owners that were killed, and many that want it at once, are in data-dir.proof.test.ts.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockText } from '../kernel/file-lock.ts';
import { contender, tryLock } from '../testing/faults/data-dir-contender.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { openDataDir } from './data-dir.ts';

const root = testDirectory('lock');
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

  it('is taken over when the pid belongs to another process now', async () => {
    const dataDir = path.join(root, 'recycled');
    (await openDataDir(dataDir)).release();
    const [pid, , boot] = lockText(process.pid).split('\n');
    writeFileSync(path.join(dataDir, 'matriarch.pid'), [pid, '1', boot, ''].join('\n'));
    const home = await openDataDir(dataDir);
    home.release();
  });

  it('refuses a file with a sentence', async () => {
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    await expect(openDataDir(file)).rejects.toThrow(/is not a directory/);
  });
});
