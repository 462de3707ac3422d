// Run by tests as a process: takes the lock of a data directory once a line arrives, says how that went, and holds
// the lock until standard input ends.
import { once } from 'node:events';
import { openDataDir } from '../../datastore/data-dir.ts';

await once(process.stdin, 'data');
try {
  const home = await openDataDir(process.argv[2] ?? '');
  process.stdout.write('locked\n');
  await once(process.stdin.resume(), 'end');
  home.release();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stdin.destroy();
}
